import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config.ts';
import type { Log } from '../lib/log.ts';
import { AppError } from '../model/errors.ts';
import { DatabaseAwayError } from '../storage/database.ts';
import { openDatabase } from '../storage/open.ts';
import { describeMigration } from './migration-progress.ts';
import { startStandIn } from './stand-in.ts';

const TRY_INTERVAL_MS = 500;
const WAITING = 'The service is waiting for its database';

export interface Waiting {
  log: Log;
  /** Whether other processes serve requests during the wait. */
  isServed?: boolean;
}

/**
 * Calls `start`. If the database server cannot be reached, waits for it and calls `start` again. During the wait,
 * requests get 503, except liveness probes, unless other processes serve requests.
 * @param start must clean up before it throws; its `config` contains the chosen port if PORT is 0
 * @throws {ConfigError} if it cannot listen, or errors of `start` and `openDatabase` that waiting cannot fix
 */
export async function startWithDatabase<T>(
  start: (config: Config) => Promise<T>,
  config: Config,
  waiting: Waiting,
): Promise<T> {
  let ready = config;
  for (;;) {
    try {
      return await start(ready);
    } catch (error) {
      if (!isServer(config) || !isOfDatabase(error)) throw error;
      // Errors that waiting cannot fix are thrown here, before the process listens.
      const away = (await findAway(config, waiting)) ?? error;
      waiting.log.logger.warn(`${away.message} Waiting for it.`);
      ready = await wait(ready, waiting);
    }
  }
}

function isServer({ databaseUrl }: Config): boolean {
  return !databaseUrl.startsWith('file:');
}

function isOfDatabase(error: unknown): error is AppError {
  return error instanceof AppError && (error.code === 'unavailable' || error.code === 'outcome_unknown');
}

/** Why the database cannot be reached; undefined if it was reached, in which case its tables are now up to date. */
async function findAway(
  { databaseUrl, databasePool }: Config,
  { log }: Waiting,
): Promise<DatabaseAwayError | undefined> {
  try {
    const tell = describeMigration((message) => log.logger.info(message));
    const database = await openDatabase(databaseUrl, databasePool, tell);
    await database.close();
    return undefined;
  } catch (error) {
    if (error instanceof DatabaseAwayError) return error;
    throw error;
  }
}

/** Resolves once the database can be reached, with settings that include the port. */
async function wait(config: Config, waiting: Waiting): Promise<Config> {
  const { log, isServed = false } = waiting;
  const standIn = isServed ? undefined : await startStandIn(config, log, () => WAITING);
  try {
    do await sleep(TRY_INTERVAL_MS);
    while ((await findAway(config, waiting)) !== undefined);
  } finally {
    await standIn?.end();
  }
  log.logger.info('the database can be reached');
  return { ...config, port: standIn?.port ?? config.port };
}
