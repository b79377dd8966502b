import type { Command } from 'commander';
import { type Config, readConfig } from '../config.ts';
import { ensureDashboard } from '../runtime/dashboard-build.ts';
import { createLog } from '../runtime/service-log.ts';
import { abortOn, exitOnSecondSignal, exitStopped, nextSignal } from '../runtime/signals.ts';
import { startWithDatabase } from '../runtime/waiting.ts';
import { sayListening } from '../runtime/welcome.ts';
import { serveByWorkers } from '../runtime/workers/primary.ts';

export function addServe(program: Command): void {
  program.command('serve').description('run the service').action(serve);
}

/** Runs the service until a signal ends it. */
async function serve(): Promise<void> {
  const given = { ...process.env };
  const config = readConfig();
  if (config.workers === undefined) await serveAlone(config, given);
  else await serveByWorkers(config, config.workers, given);
}

async function serveAlone(config: Config, given: NodeJS.ProcessEnv): Promise<void> {
  const log = createLog(config.logLevel);
  const { logger } = log;
  const signalled = nextSignal(() => logger.warn('SIGHUP does nothing here: it takes WORKERS, or a restart'));
  // Other commands are not kept waiting for what only the service needs: half of what the program takes to start.
  const { startService, loadIdentity } = await import('../runtime/service.ts');
  await loadIdentity();
  await ensureDashboard(log);
  const waiting = { log, signal: abortOn(signalled) };
  const service = await startWithDatabase((ready) => startService(ready, log), config, waiting);
  if (service === undefined) return exitStopped(log);
  const { stop, cut, database, ...addresses } = service;
  sayListening({ ...addresses, databaseName: database.name }, config, given, log);

  const signal = await signalled;
  logger.info({ signal }, 'stopping');
  exitOnSecondSignal(log, cut);
  await stop();
  await exitStopped(log);
}
