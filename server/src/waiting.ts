import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from './config.ts';
import { createHttpServer } from './http/server.ts';
import { cutConnections, shutDown, trackConnections } from './http/shutdown.ts';
import { createWaitingApp } from './http/waiting.ts';
import type { Log } from './lib/log.ts';
import { listen } from './listening.ts';
import { DatabaseAwayError } from './storage/database.ts';
import { openDatabase } from './storage/open.ts';

const TRY_INTERVAL_MS = 500;
/** Replies of this server are short, and end their connections. */
const GRACE = { idleMs: 0, runningMs: 1_000 };

/**
 * Waits until the database server answers. Meanwhile requests are told so: the process lives and is not ready.
 * @param signal ends the waiting
 * @returns the settings, with the port that was picked if they leave it open; undefined if the waiting was ended
 * @throws {ConfigError} when it cannot listen; what `openDatabase` throws when waiting is of no use
 */
export async function awaitDatabase(config: Config, log: Log, signal: AbortSignal): Promise<Config | undefined> {
  const away = isServer(config) ? await findAway(config) : undefined;
  if (away === undefined) return config;
  log.logger.warn(`${away.message} Waiting for it.`);
  const server = createHttpServer(createWaitingApp(log), log);
  const connections = trackConnections(server);
  const { port } = new URL(await listen(server, config));
  while (!signal.aborted && (await findAway(config)) !== undefined) {
    await sleep(TRY_INTERVAL_MS, undefined, { signal }).catch(() => {});
  }
  cutConnections(new Set([...connections].filter((socket) => socket.bytesRead === 0)));
  await shutDown(server, connections, GRACE);
  if (signal.aborted) return undefined;
  log.logger.info('the database answers');
  return { ...config, port: Number(port) };
}

function isServer({ databaseUrl }: Config): boolean {
  return !databaseUrl.startsWith('file:');
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
