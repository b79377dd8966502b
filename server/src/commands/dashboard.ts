import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceLog } from './log.ts';

const DASHBOARD = join(import.meta.dirname, '../../../dashboard');

/** Builds the dashboard where there is none yet, or one that is older than its sources; without it the API runs all the same. */
export async function ensureDashboard({ logger }: ServiceLog): Promise<void> {
  // `npm run dev` serves it from its sources.
  if (process.env.DASHBOARD_BUILD === 'off') return;
  if (!existsSync(join(DASHBOARD, 'index.html')) || isCurrent()) return;
  logger.info('building the dashboard');
  const build = spawn(process.execPath, [join(DASHBOARD, 'scripts/build.js')], { stdio: ['ignore', 2, 2] });
  const [code] = await once(build, 'exit');
  if (code !== 0) logger.error({ code }, 'the dashboard was not built');
}

function isCurrent(): boolean {
  const page = join(DASHBOARD, 'dist/index.html');
  if (!existsSync(page)) return false;
  const builtMs = statSync(page).mtimeMs;
  const source = join(DASHBOARD, 'src');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' });
  return files.every((name) => statSync(join(source, name)).mtimeMs <= builtMs);
}
