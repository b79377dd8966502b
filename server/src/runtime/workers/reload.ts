import type { Logger } from 'pino';
import { type Config, readConfig } from '../../config.ts';
import { ConfigError, type Environment, readEnvironment, readRelease } from '../../environment.ts';
import type { Backups } from '../backups.ts';
import type { WorkerPool } from './worker-pool.ts';

/** The running release. Another release, installed in the meantime, must not run alongside it. */
const RELEASE = readRelease();

/** The settings and the environment that the service was started with, and its backups. */
interface Start {
  config: Config;
  given: Environment;
  backups: Backups;
}

/**
 * Returns a function that replaces the workers with new ones, which use the current settings. Calls run one
 * at a time, after `started`. A call is ignored while another one is waiting.
 */
export function createReload(started: Promise<void>, pool: WorkerPool, start: Start, logger: Logger): () => void {
  let last = started;
  let isWaiting = false;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    last = last.then(() => {
      isWaiting = false;
      return reload(pool, start, logger);
    });
  };
}

async function reload(pool: WorkerPool, { config, given, backups }: Start, logger: Logger): Promise<void> {
  const before = { ...process.env };
  try {
    if (readRelease() !== RELEASE) {
      throw new ConfigError(
        `release ${readRelease()} is installed, but ${RELEASE} is running; restart the service to use the installed release.`,
      );
    }
    const environment = readEnvironment(given);
    const changed = readConfig(environment);
    const { workers = 1, logLevel, databaseUrl, dataDirectory, metricsAddress } = changed;
    if (databaseUrl !== config.databaseUrl || dataDirectory !== config.dataDirectory) {
      throw new ConfigError('DATABASE_URL or DATA_DIR has changed; restart the service to use another database.');
    }
    if (metricsAddress?.host !== config.metricsAddress?.host || metricsAddress?.port !== config.metricsAddress?.port) {
      throw new ConfigError('METRICS_ADDRESS has changed; restart the service to use another address.');
    }
    logger.info({ workers }, 'reloading');
    logger.level = logLevel;
    // Workers get the environment of this process.
    replaceEnvironment(environment);
    await pool.replaceAll(workers, changed);
    await backups.follow(changed);
    logger.info('reloaded');
  } catch (error) {
    if (pool.isStopping) return;
    replaceEnvironment(before);
    if (error instanceof ConfigError) logger.error(`not reloaded: ${error.message}`);
    else logger.error({ err: error }, 'not reloaded: workers that are not replaced continue');
  }
}

function replaceEnvironment(environment: Environment): void {
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(environment, name)) delete process.env[name];
  Object.assign(process.env, environment);
}
