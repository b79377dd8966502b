import type { Command } from 'commander';
import { type Config, readConfig } from '../config.ts';
import type { Environment } from '../environment.ts';
import { Backups } from '../runtime/backups.ts';
import { ensureDashboard } from '../runtime/dashboard-build.ts';
import { serveMetrics } from '../runtime/metrics-listener.ts';
import { createLog } from '../runtime/service-log.ts';
import { exitStopped, nextSignal, stopOnSignal, untilStarted } from '../runtime/signals.ts';
import { startWithDatabase } from '../runtime/waiting.ts';
import { sayListening } from '../runtime/welcome.ts';
import { serveByWorkers } from '../runtime/workers/primary.ts';
import { work } from '../runtime/workers/work.ts';

export function addServe(program: Command): void {
  program.command('serve').description('run the service').action(serve);
  program.command('worker', { hidden: true }).description('a process of `serve` with WORKERS').action(work);
}

async function serve(): Promise<void> {
  const given = { ...process.env };
  const config = readConfig();
  if (config.workers === undefined) await serveAlone(config, given);
  else await serveByWorkers(config, config.workers, given);
}

async function serveAlone(config: Config, given: Environment): Promise<void> {
  const log = createLog(config);
  const signalled = nextSignal(() => log.logger.warn('SIGHUP does nothing without WORKERS: restart the service'));
  // Loaded only here: this takes half of the program's start-up time, and the operator's other commands do not need it.
  const { startService, loadIdentity } = await import('../runtime/service.ts');
  await loadIdentity();
  await ensureDashboard(log);
  await serveMetrics(config, log);
  const starting = startWithDatabase((ready) => startService(ready, log), config, { log });
  const service = await untilStarted(starting, signalled);
  if (service === undefined) return exitStopped(log);
  const { stop, cut, database, ...addresses } = service;
  sayListening({ ...addresses, databaseName: database.name }, config, given, log);
  const backups = new Backups(log);
  await backups.follow(config);
  const stopAll = async () => {
    await backups.stop();
    await stop();
  };
  await stopOnSignal(signalled, log, { stop: stopAll, cut });
}
