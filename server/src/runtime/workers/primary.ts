import type { Config } from '../../config.ts';
import type { Environment } from '../../environment.ts';
import { countForWorkers } from '../../lib/limiter.ts';
import { openDatabase } from '../../storage/open.ts';
import { Backups } from '../backups.ts';
import { ensureDashboard } from '../dashboard-build.ts';
import { serveMetrics } from '../metrics-listener.ts';
import { MigrationWatch } from '../migration-watch.ts';
import type { Preparation } from '../preparation.ts';
import { createLog, type ServiceLog } from '../service-log.ts';
import { nextSignal, stopOnSignal, untilStarted } from '../signals.ts';
import { startWithDatabase } from '../waiting.ts';
import { sayListening } from '../welcome.ts';
import { Port } from './port.ts';
import { createReload } from './reload.ts';
import { givePermits } from './worker-permits.ts';
import { WorkerPool } from './worker-pool.ts';

/**
 * Runs the service in worker processes that share one port, until a signal ends it. This process does not
 * serve requests: it prepares the database, counts requests for the rate limits, and keeps the port open and
 * the workers running.
 */
export async function serveByWorkers(config: Config, size: number, given: Environment): Promise<void> {
  const log = createLog(config, 'primary');
  countForWorkers();
  givePermits();
  const pool = new WorkerPool(size, await Port.open(config), log.logger);
  const { promise: started, resolve: allowReloads } = Promise.withResolvers<void>();
  const backups = new Backups(log);
  const signalled = nextSignal(createReload(started, pool, { config, given, backups }, log.logger));
  const preparation = await untilStarted(start(pool, config, given, log), signalled).catch((error: unknown) => {
    pool.kill();
    throw error;
  });
  if (preparation !== undefined) {
    await backups.follow(config);
    allowReloads();
  }
  const stop = async () => {
    await backups.stop();
    await pool.stop();
    preparation?.end();
  };
  await stopOnSignal(signalled, log, { stop, cut: () => pool.cut() });
}

/** @throws {ConfigError} or {AppError} with a message for the operator */
async function start(pool: WorkerPool, config: Config, given: Environment, log: ServiceLog): Promise<Preparation> {
  await serveMetrics(config, log, () => pool.measure());
  await ensureDashboard(log);
  const prepare = () => prepareDatabase(config, log);
  const { databaseName, preparation } = await startWithDatabase(prepare, config, { log });
  const url = await pool.start();
  sayListening({ url, ...preparation.announce(url), databaseName }, config, given, log);
  return preparation;
}

/** Prepares the database before the first worker starts; this process does not use the database for anything else. */
async function prepareDatabase(config: Config, log: ServiceLog) {
  const { prepareStart } = await import('../preparation.ts');
  const migration = new MigrationWatch(config, log);
  const opening = openDatabase(config.databaseUrl, config.databasePool, migration.tell);
  const database = await opening.finally(() => migration.end());
  try {
    return { databaseName: database.name, preparation: await prepareStart(database, config, log) };
  } finally {
    await database.close();
  }
}
