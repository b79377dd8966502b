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
/** Replies of this server are short, and end their connections. */
const GRACE = { idleMs: 0, runningMs: 1_000 };

/** How the database server is waited for. */
export interface Waiting {
  log: Log;
  /** Ends the waiting. */
  signal: AbortSignal;
  /** Whether nobody is to be answered meanwhile, since others do that. */
  isAnswered?: boolean;
}

/**
 * Starts what needs the database, and again whenever its server is gone before that is done. Meanwhile requests are told
 * so: the process lives and is not ready.
 * @param start leaves nothing behind when it throws; its settings have the port that was picked if they leave it open
 * @returns what `start` does; undefined if the waiting was ended
 * @throws {ConfigError} when it cannot listen; what `start` and `openDatabase` throw when waiting is of no use
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
      // What cannot be mended by waiting is thrown here, before anybody listens.
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

/** Why the database cannot be reached; undefined if it can. Its tables are up to date then. */
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

/** Resolves once the server answers, with the settings that have the port. */
async function wait(config: Config, { log, signal, isAnswered = false }: Waiting): Promise<Config> {
  const answering = isAnswered ? undefined : await answer(config, log);
  try {
    do await sleep(TRY_INTERVAL_MS, undefined, { signal }).catch(() => {});
    while (!signal.aborted && (await findAway(config)) !== undefined);
  } finally {
    await answering?.end();
  }
  if (!signal.aborted) log.logger.info('the database answers');
  return { ...config, port: answering?.port ?? config.port };
}

/** Tells everybody that the database is waited for. */
async function answer(config: Config, log: Log) {
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
