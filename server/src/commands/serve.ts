import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { ensureDashboard } from './dashboard.ts';
import { createLog, type ServiceLog } from './log.ts';
import { welcome } from './welcome.ts';

/** One Ctrl-C under npm arrives twice: a second signal counts only after a second. */
const SECOND_SIGNAL_AFTER_MS = 1_000;

export function addServe(program: Command): void {
  program.command('serve').description('run the service').action(serve);
}

/** Runs the service until SIGINT or SIGTERM. */
async function serve(): Promise<void> {
  const settings = shellSettings();
  const config = readConfig();
  const log = createLog(config.logLevel);
  const { logger } = log;
  const signalled = nextSignal();
  // Other commands are not kept waiting for what only the service needs: half of what the program takes to start.
  const { startService } = await import('../service.ts');
  await ensureDashboard(log);
  const { url, publicUrl, database, setupUrl, stop, cut } = await startService(config, log);
  if (process.stdout.isTTY) console.log(welcome(publicUrl, database.name, settings, setupUrl));
  // Not into the log: whoever has the link becomes the administrator.
  else if (setupUrl !== undefined) console.error(`Set up the first administrator within 30 minutes: ${setupUrl}`);
  logger.info({ url, publicUrl: config.publicUrl, database: database.name, pid: process.pid }, 'listening');

  const signal = await signalled;
  logger.info({ signal }, 'stopping');
  exitOnSecondSignal(log, cut);
  await stop();
  logger.info('stopped');
  log.flush();
  process.exit(0);
}

/** What another terminal would not have: the settings that name the database and stand in this one's environment only. */
function shellSettings(): string {
  const names = ['DATA_DIR', 'DATABASE_URL'].filter((name) => process.env[name]);
  return names.map((name) => `${name}='${process.env[name]}' `).join('');
}

/** The listeners stay: without one, even for an instant, the next signal would end the process. */
function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    process.on('SIGINT', resolve);
    process.on('SIGTERM', resolve);
  });
}

function exitOnSecondSignal({ logger, flush }: ServiceLog, cut: () => void): void {
  const firstTimeMs = performance.now();
  const onSignal = () => {
    if (performance.now() - firstTimeMs < SECOND_SIGNAL_AFTER_MS) return;
    logger.warn('a second signal: exiting at once');
    flush();
    cut();
    process.exit(1);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
}
