import cluster from 'node:cluster';
import type { Config, Environment } from '../../config.ts';
import { findFreePort } from '../../lib/free-port.ts';
import { countForWorkers } from '../../lib/limiter.ts';
import { openDatabase } from '../../storage/open.ts';
import { ensureDashboard } from '../dashboard-build.ts';
import type { Preparation } from '../preparation.ts';
import { createLog, type ServiceLog } from '../service-log.ts';
import { abortOn, exitOnSecondSignal, exitStopped, nextSignal } from '../signals.ts';
import { startWithDatabase } from '../waiting.ts';
import { sayListening } from '../welcome.ts';
import { Reload } from './reload.ts';
import { WorkerPool } from './worker-pool.ts';

/**
 * Runs the service by worker processes that share one port, until a signal ends it. This process answers no request: it
 * prepares the database, hands on connections, counts for the rate limits, and sees to it that there are enough workers.
 */
export async function serveByWorkers(config: Config, size: number, given: Environment): Promise<void> {
  const log = createLog(config.logLevel, true);
  const { logger } = log;
  countForWorkers();
  cluster.setupPrimary({ args: ['worker'] });
  // A host that is none is told by the worker that tries to listen there.
  const freePort = config.port === 0 ? await findFreePort(config.host).catch(() => undefined) : undefined;
  const pool = new WorkerPool(size, logger, freePort);
  const reload = new Reload(pool, config, given, logger);
  const signalled = nextSignal(() => reload.ask());
  const preparation = await start(pool, config, given, log, signalled);
  reload.allow();

  const signal = await signalled;
  logger.info({ signal }, 'stopping');
  exitOnSecondSignal(log, () => pool.cut());
  await pool.stop();
  preparation.end();
  await exitStopped(log);
}

/** @throws {ConfigError} or {AppError} with words for the operator; then no worker is left */
async function start(
  pool: WorkerPool,
  config: Config,
  given: Environment,
  log: ServiceLog,
  signalled: Promise<string>,
): Promise<Preparation> {
  try {
    await ensureDashboard(log);
    const waiting = { log, signal: abortOn(signalled) };
    const prepared = await startWithDatabase(() => prepareDatabase(config, log), config, waiting);
    if (prepared === undefined) {
      pool.kill();
      return await exitStopped(log);
    }
    const { databaseName, preparation } = prepared;
    const url = await pool.start();
    sayListening({ url, ...preparation.announce(url), databaseName }, config, given, log);
    return preparation;
  } catch (error) {
    pool.kill();
    throw error;
  }
}

/** What every worker needs is there before the first one starts. This process needs the database only for that. */
async function prepareDatabase(config: Config, log: ServiceLog) {
  const { prepareStart } = await import('../preparation.ts');
  const database = await openDatabase(config.databaseUrl, config.databasePool);
  try {
    return { databaseName: database.name, preparation: await prepareStart(database, config, log) };
  } finally {
    await database.close();
  }
}
