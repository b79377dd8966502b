import { once } from 'node:events';
import type { Server } from 'node:http';
import { type Config, ConfigError, readRelease } from './config.ts';
import { EventHub } from './domain/event-hub.ts';
import { purgeEvents } from './domain/event-purge.ts';
import { KeyUse, purgeKeyUse } from './domain/key-use.ts';
import { findSetupState, renewSetupLink, setUp } from './domain/setup.ts';
import { purgeRetries } from './domain/writing.ts';
import { createApp } from './http/app.ts';
import { CursorCodec } from './http/cursor.ts';
import { Guesses } from './http/guesses.ts';
import { PasswordAttempts } from './http/identity/attempts.ts';
import { Identity } from './http/identity/identity.ts';
import { SetupLink } from './http/identity/setup-link.ts';
import { RateLimit } from './http/rate-limit.ts';
import { createHttpServer, type ServerTimeouts } from './http/server.ts';
import { cutConnections, shutDown, trackConnections } from './http/shutdown.ts';
import type { Log } from './lib/log.ts';
import { createMailer } from './lib/mailer.ts';
import { AppError } from './model/errors.ts';
import type { Database } from './storage/database.ts';
import { getCursorSecret } from './storage/database-info.ts';
import { removeExpired } from './storage/expired.ts';
import { openDatabase } from './storage/open.ts';
import { schedule } from './worker/schedule.ts';

/** What is running when the service is told to stop may take so long. */
const SHUTDOWN_MAX_MS = 10_000;
/** What a crash loses at most of the counts of requests. */
const KEY_USE_INTERVAL_MS = 5_000;
const PURGE_INTERVAL_MS = 60_000;
/** It looks at every account. */
const EVENT_PURGE_INTERVAL_MS = 600_000;
/** What is over is refused long before it is removed. */
const SIGN_IN_PURGE_INTERVAL_MS = 3_600_000;

export interface Service {
  /** The address it listens on. */
  url: string;
  /** How people reach it. */
  publicUrl: string;
  database: Database;
  /** By which the first administrator comes in; undefined when there is one. */
  setupUrl: string | undefined;
  /** Takes no more requests, finishes those that run, and closes the database. */
  stop(): Promise<void>;
  /** Breaks off what runs: for a process that is about to end. */
  cut(): void;
}

/**
 * Wires the parts together: database → app → HTTP server.
 * @throws {ConfigError} when it cannot listen; what `openDatabase` throws
 */
export async function startService(config: Config, log: Log, timeouts: ServerTimeouts = {}): Promise<Service> {
  const { shutdownMaxMs = SHUTDOWN_MAX_MS } = timeouts;
  const database = openDatabase(config.databaseUrl);
  const keyUse = new KeyUse(database);
  const eventHub = new EventHub(database);
  const setupLink = new SetupLink(config.dataDirectory, log);
  let stopping = false;
  const app = createApp({
    database,
    eventHub,
    cursors: new CursorCodec(await getCursorSecret(database)),
    keyUse,
    log,
    trustedProxies: config.trustedProxies,
    rateLimit: config.rateLimit && new RateLimit(config.rateLimit),
    guesses: new Guesses(),
    identity: new Identity(database, config.publicUrl, log),
    passwordAttempts: new PasswordAttempts(),
    setupLink,
    mailer: config.mail && createMailer(config.mail),
    publicUrl: config.publicUrl,
    release: readRelease(),
    isStopping: () => stopping,
  });
  const setupToken = await prepareSetup(database, config, log);
  const server = createHttpServer(app, log, timeouts);
  const connections = trackConnections(server);
  const url = await listen(server, config);
  const publicUrl = config.publicUrl ?? reachable(url);
  const setupUrl = setupToken && `${publicUrl}/setup#token=${setupToken}`;
  setupLink.replace(setupUrl);
  const schedules = [
    schedule('record key use', KEY_USE_INTERVAL_MS, () => keyUse.flush(), log.logger),
    schedule('purge retries', PURGE_INTERVAL_MS, (signal) => purgeRetries(database, signal), log.logger),
    schedule('purge key use', PURGE_INTERVAL_MS, (signal) => purgeKeyUse(database, signal), log.logger),
    schedule(
      'purge sign-ins',
      SIGN_IN_PURGE_INTERVAL_MS,
      () => database.write((session) => removeExpired(session, Date.now())),
      log.logger,
    ),
    schedule('purge events', EVENT_PURGE_INTERVAL_MS, (signal) => purgeEvents(database, signal), log.logger),
  ];
  return {
    url,
    publicUrl,
    database,
    setupUrl,
    async stop() {
      stopping = true;
      eventHub.stop();
      await shutDown(server, connections, shutdownMaxMs);
      await Promise.all(schedules.map((stopWork) => stopWork()));
      await keyUse
        .flush()
        .catch((error: unknown) => log.logger.error({ err: error }, 'the last use of keys was not written'));
      if (setupLink.file !== null) setupLink.remove();
      await database.close();
    },
    cut: () => cutConnections(connections),
  };
}

/** What the first account is called if the settings make the first administrator: it can be changed. */
const FIRST_ACCOUNT_NAME = 'My company';
const FIRST_ADMINISTRATOR_NAME = 'Administrator';

/**
 * Makes the first administrator that the settings name; where there is none, the token of a new setup link.
 * @throws {ConfigError} for an address or a password that cannot be
 */
async function prepareSetup(database: Database, config: Config, { logger }: Log): Promise<string | undefined> {
  const { firstAdministrator } = config;
  const { isOpen } = await findSetupState(database);
  if (!isOpen) return undefined;
  if (firstAdministrator !== undefined) {
    const names = { name: FIRST_ADMINISTRATOR_NAME, accountName: FIRST_ACCOUNT_NAME };
    await setUp(database, { ...firstAdministrator, ...names }, null).catch(explainSetup);
  }
  // A database that cannot be written may still be read.
  return await renewSetupLink(database).catch((error: unknown) => {
    logger.error({ err: error }, 'there is no setup link');
    return undefined;
  });
}

/** Another process that starts at the same time may have been first. */
function explainSetup(error: unknown): void {
  if (error instanceof AppError && error.code === 'conflict') return;
  if (!(error instanceof AppError && error.code === 'validation_failed')) throw error;
  throw new ConfigError(`ADMIN_EMAIL and ADMIN_PASSWORD cannot be used: ${error.message}`);
}

/** Every interface is listened on, but nobody can call it by that address. */
function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
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
