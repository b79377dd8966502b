import { once } from 'node:events';
import type { Server } from 'node:http';
import { type Config, ConfigError, readRelease } from './config.ts';
import { KeyUse } from './domain/api-keys.ts';
import { purgeRetries } from './domain/writing.ts';
import { createApp } from './http/app.ts';
import { CursorCodec } from './http/cursor.ts';
import { Guesses } from './http/guesses.ts';
import { RateLimit } from './http/rate-limit.ts';
import { createHttpServer, type ServerTimeouts } from './http/server.ts';
import { shutDown } from './http/shutdown.ts';
import type { Log } from './lib/log.ts';
import type { Database } from './storage/database.ts';
import { getCursorSecret } from './storage/database-info.ts';
import { openDatabase } from './storage/open.ts';
import { schedule } from './worker/schedule.ts';

/** What is running when the service is told to stop may take so long. */
const SHUTDOWN_MAX_MS = 10_000;
const KEY_USE_INTERVAL_MS = 5_000;
const PURGE_INTERVAL_MS = 60_000;

export interface Service {
  /** The address it listens on. */
  url: string;
  database: Database;
  /** Takes no more requests, finishes those that run, and closes the database. */
  stop(): Promise<void>;
}

/**
 * Wires the parts together: database → app → HTTP server.
 * @throws {ConfigError} when it cannot listen; what `openDatabase` throws
 */
export async function startService(config: Config, log: Log, timeouts?: ServerTimeouts): Promise<Service> {
  const database = openDatabase(config.databaseUrl);
  const keyUse = new KeyUse(database);
  let stopping = false;
  const app = createApp({
    database,
    cursors: new CursorCodec(await getCursorSecret(database)),
    keyUse,
    log,
    trustedProxies: config.trustedProxies,
    rateLimit: config.rateLimit && new RateLimit(config.rateLimit),
    guesses: new Guesses(),
    release: readRelease(),
    isStopping: () => stopping,
  });
  const server = createHttpServer(app, log, timeouts);
  const url = await listen(server, config);
  const stopRecording = schedule('record key use', KEY_USE_INTERVAL_MS, () => keyUse.flush(), log.logger);
  const stopPurging = schedule('purge retries', PURGE_INTERVAL_MS, () => purgeRetries(database), log.logger);
  return {
    url,
    database,
    async stop() {
      stopping = true;
      await shutDown(server, SHUTDOWN_MAX_MS);
      stopRecording();
      stopPurging();
      await keyUse
        .flush()
        .catch((error: unknown) => log.logger.error({ err: error }, 'the last use of keys was not written'));
      await database.close();
    },
  };
}

async function listen(server: Server, { host, port }: Config): Promise<string> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`Cannot listen on HOST ${host}, PORT ${port}: ${reason}.`);
  }
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no address');
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}
