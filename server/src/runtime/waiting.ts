import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { createHttpServer } from '../http/protocol/server.ts';
import { cutConnections, shutDown, trackConnections } from '../http/protocol/shutdown.ts';
import type { Log } from '../lib/log.ts';
import { AppError } from '../model/errors.ts';
import { DatabaseAwayError } from '../storage/database.ts';
import { openDatabase } from '../storage/open.ts';
import { listen } from './listening.ts';
import { createWaitingApp } from './waiting-app.ts';

const TRY_INTERVAL_MS = 500;
/** Shutdown times of the stand-in server, whose responses are short and close their connections. */
const GRACE = { idleMs: 0, runningMs: 1_000 };

export interface Waiting {
  log: Log;
  /** Ends the wait when it aborts. */
  signal: AbortSignal;
  /** Whether other processes serve requests during the wait. */
  isServed?: boolean;
}

/**
 * Calls `start`, and calls it again while the database server cannot be reached. During the wait,
 * requests get 503: the process is live but not ready.
 * @param start must clean up before it throws; its `config` contains the chosen port if the
 * settings leave the port open
 * @returns the result of `start`; undefined if `signal` ended the wait
 * @throws {ConfigError} if it cannot listen, or errors of `start` and `openDatabase` that waiting
 * cannot fix
 */
export async function startWithDatabase<T>(
  start: (config: Config) => Promise<T>,
  config: Config,
  waiting: Waiting,
): Promise<T | undefined> {
  let ready = config;
  while (!waiting.signal.aborted) {
    try {
      return await start(ready);
    } catch (error) {
      if (!isServer(config) || !isOfDatabase(error)) throw error;
      // Errors that waiting cannot fix are thrown here, before the process listens.
      const away = (await findAway(config)) ?? error;
      waiting.log.logger.warn(`${away.message} Waiting for it.`);
      ready = await wait(ready, waiting);
    }
  }
  return undefined;
}

function isServer({ databaseUrl }: Config): boolean {
  return !databaseUrl.startsWith('file:');
}

function isOfDatabase(error: unknown): error is AppError {
  return error instanceof AppError && (error.code === 'unavailable' || error.code === 'outcome_unknown');
}

/** Why the database cannot be reached; undefined if it was reached, in which case its tables are now up to date. */
async function findAway({ databaseUrl, databasePool }: Config): Promise<DatabaseAwayError | undefined> {
  try {
    const database = await openDatabase(databaseUrl, databasePool);
    await database.close();
    return undefined;
  } catch (error) {
    if (error instanceof DatabaseAwayError) return error;
    throw error;
  }
}

/** Resolves once the database can be reached, with settings that include the port. */
async function wait(config: Config, { log, signal, isServed = false }: Waiting): Promise<Config> {
  const standIn = isServed ? undefined : await serveNotReady(config, log);
  try {
    do await sleep(TRY_INTERVAL_MS, undefined, { signal }).catch(() => {});
    while (!signal.aborted && (await findAway(config)) !== undefined);
  } finally {
    await standIn?.end();
  }
  if (!signal.aborted) log.logger.info('the database can be reached');
  return { ...config, port: standIn?.port ?? config.port };
}

/** Starts a server that responds to every request that the service is not ready. */
async function serveNotReady(config: Config, log: Log) {
  const server = createHttpServer(createWaitingApp(log), log, { publicUrl: config.publicUrl });
  const connections = trackConnections(server);
  const { port } = new URL(await listen(server, config));
  return {
    port: Number(port),
    async end(): Promise<void> {
      cutConnections(new Set([...connections].filter((socket) => socket.bytesRead === 0)));
      await shutDown(server, connections, GRACE);
    },
  };
}
