import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { findClone } from '../environment.ts';
import type { ServiceLog } from './service-log.ts';

/** Only a clone of the repository needs a build: the published package contains one. */
export async function ensureDashboard({ logger }: ServiceLog): Promise<void> {
  const clone = findClone();
  // `npm run dev` serves the dashboard from its sources, without a build.
  if (clone === undefined || process.env.DASHBOARD_BUILD === 'off') return;
  const dashboard = join(clone, 'dashboard');
  const sources = [join(dashboard, 'src'), join(clone, 'client/src')];
  if (!existsSync(join(dashboard, 'index.html')) || isCurrent(join(dashboard, 'dist/index.html'), sources)) return;
  logger.info('building the dashboard');
  const build = spawn(process.execPath, [join(dashboard, 'scripts/build.js')], { stdio: ['ignore', 2, 2] });
  const [code] = await once(build, 'exit');
  if (code !== 0) logger.error({ code }, 'could not build the dashboard');
}

function isCurrent(page: string, sources: string[]): boolean {
  if (!existsSync(page)) return false;
  const builtMs = statSync(page).mtimeMs;
  return sources.every((source) => {
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' });
    return files.every((name) => statSync(join(source, name)).mtimeMs <= builtMs);
  });
}
