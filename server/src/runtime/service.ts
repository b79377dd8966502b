import type { Config } from '../config.ts';
import { KeyUse } from '../domain/keys/key-use.ts';
import { ListingCounts } from '../domain/listings/listing-counts.ts';
import { RequestLog } from '../domain/requests/request-log.ts';
import { Dispatcher } from '../domain/webhooks/dispatch/dispatcher.ts';
import { EventHub } from '../domain/writing/event-hub.ts';
import { readRelease } from '../environment.ts';
import { createApp } from '../http/app.ts';
import { Admission } from '../http/gate/admission.ts';
import { KeyGuessLimiter } from '../http/gate/key-guess-limiter.ts';
import { OwnPermits, type Permits } from '../http/gate/permits.ts';
import { RateLimit } from '../http/gate/rate-limit.ts';
import { UploadGate } from '../http/gate/upload-gate.ts';
import { PasswordAttempts, TokenAttempts } from '../http/identity/attempts.ts';
import { Identity } from '../http/identity/identity.ts';
import { InvitationLimit } from '../http/identity/invitation-limit.ts';
import { SetupLink } from '../http/identity/setup-link.ts';
import { ReadingThreads } from '../http/imports/reading-threads.ts';
import { CursorCodec } from '../http/protocol/cursor.ts';
import { ListCache } from '../http/protocol/list-cache.ts';
import { createHttpServer, type ServerLimits } from '../http/protocol/server.ts';
import { cutConnections, shutDown, trackConnections } from '../http/protocol/shutdown.ts';
import { type CreateLimiter, createDatabaseLimiters, createMemoryLimiter } from '../lib/limiter.ts';
import type { Log } from '../lib/log.ts';
import { createMailer } from '../lib/mailer.ts';
import { OutgoingRequests } from '../lib/outgoing.ts';
import { SecretBox } from '../lib/secret-box.ts';
import { noteConnection } from '../lib/turns.ts';
import { scheduleHousekeeping } from '../maintenance/housekeeping.ts';
import { schedule } from '../maintenance/schedule.ts';
import type { Database } from '../storage/database.ts';
import { getCursorSecret } from '../storage/database-info.ts';
import { beginWithDatabase } from '../storage/open.ts';
import { listen } from './listening.ts';
import { MigrationWatch } from './migration-watch.ts';
import { type Addresses, prepareStart } from './preparation.ts';
import { watchService } from './service-metrics.ts';

/** How long in-flight requests can take once the service stops. */
export const SHUTDOWN_MAX_MS = 10_000;
/** How long in-flight requests can take if other processes keep serving; must be less than workers' `END_MAX_MS`. */
const SHUTDOWN_MAX_REPLACED_MS = 50_000;
/** When the service stops, idle connections stay open this long, so a request on its way still gets a response. */
const IDLE_GRACE_MS = 300;
/** While other processes serve, idle connections stay open this long to get a response with `Connection: close`. */
const IDLE_GRACE_REPLACED_MS = 5_000;
/** How often the request log is written. A crash loses at most the entries of one interval. */
const REQUEST_LOG_INTERVAL_MS = 1_000;
/** How often the use of keys is stored. A crash loses at most the counts of one interval. */
const KEY_USE_INTERVAL_MS = 5_000;

interface Serving {
  /** The address that the service listens on. */
  url: string;
  /** Takes over the scheduled work, which one process does for all processes. */
  keepHouse(): void;
  /** Stops accepting requests and finishes in-flight ones. `isReplaced`: other processes continue the service. */
  stop(options?: { isReplaced: boolean }): Promise<void>;
  /** Aborts in-flight requests, before the process ends. */
  cut(): void;
}

export interface Service extends Addresses, Omit<Serving, 'keepHouse'> {
  database: Database;
}

/**
 * Runs the service in this process alone.
 * @throws {ConfigError} if it cannot listen or prepare, errors of `openDatabase`, or {AppError} `unavailable`
 * without a database
 */
export async function startService(config: Config, log: Log, limits: ServerLimits = {}): Promise<Service> {
  const migration = new MigrationWatch(config, log);
  const begin = async (database: Database) => {
    const ready = await migration.end();
    const preparation = await prepareStart(database, ready, log);
    const permits = new OwnPermits();
    const serving = await serveRequests(database, ready, log, {
      ...limits,
      createLimiter: createMemoryLimiter,
      permits,
    });
    serving.keepHouse();
    return {
      ...serving,
      ...preparation.announce(serving.url),
      database,
      async stop(options) {
        await serving.stop(options);
        preparation.end();
        await database.close();
      },
    } satisfies Service;
  };
  try {
    return await beginWithDatabase(config, begin, migration.tell);
  } finally {
    await migration.end();
  }
}

/** Loads better-auth early, because loading it later would block requests for a fifth of a second. */
export async function loadIdentity(): Promise<void> {
  await import('../http/identity/better-auth.ts');
}

interface ServingOptions extends ServerLimits {
  createLimiter: CreateLimiter;
  permits: Permits;
  /** The file descriptors of bound sockets to listen on; if undefined, the server listens on HOST and PORT. */
  sockets?: number[] | undefined;
}

/** Wires the parts together: database → app → HTTP server. @throws {ConfigError} if it cannot listen */
export async function serveRequests(
  database: Database,
  config: Config,
  log: Log,
  { createLimiter: createOwnLimiter, permits, sockets, ...limits }: ServingOptions,
): Promise<Serving> {
  const { counters } = database;
  const createLimiter = counters ? createDatabaseLimiters(counters, createOwnLimiter) : createOwnLimiter;
  const keyUse = new KeyUse(database);
  const requestLog = new RequestLog(database.requestLog, config.requestLog, (count, cause) =>
    log.logger.warn({ requests: count, err: cause }, 'requests are missing from the request log'),
  );
  void requestLog.open(database);
  const eventHub = new EventHub(database);
  const secret = await getCursorSecret(database);
  let leaving: 'stopped' | 'replaced' | undefined;
  const admission = new Admission(database, config.trustedProxies);
  const readingThreads = new ReadingThreads(log);
  const mailer = config.mail && createMailer(config.mail);
  const outgoing = new OutgoingRequests(config.webhookAllow, config.sendsWebhooks);
  const secretBox = new SecretBox(config.secretsKey);
  const { publicUrl } = config;
  const dispatcher = new Dispatcher({ database, secretBox, outgoing, log, mailer, publicUrl });
  const app = createApp({
    database,
    admission,
    uploadGate: new UploadGate(database, permits),
    readingThreads,
    eventHub,
    cursors: new CursorCodec(secret),
    listCache: new ListCache(),
    keyUse,
    requestLog,
    listingCounts: new ListingCounts(database.search),
    log,
    trustedProxies: config.trustedProxies,
    rateLimit: new RateLimit(config.rateLimit, createLimiter),
    keyGuesses: new KeyGuessLimiter(createLimiter),
    identity: new Identity(database, config.publicUrl, log),
    passwordAttempts: new PasswordAttempts(secret, createLimiter),
    tokenAttempts: new TokenAttempts(secret, createLimiter),
    invitationLimit: new InvitationLimit(createLimiter),
    setupLink: new SetupLink(config.dataDirectory, log),
    mailer,
    mapTiles: config.mapTiles,
    outgoing,
    secretBox,
    dispatcher,
    publicUrl,
    host: config.host,
    release: readRelease(),
    isStopping: () => leaving === 'stopped',
    isLeaving: () => leaving !== undefined,
  });
  const server = createHttpServer(app, log, { ...limits, publicUrl: config.publicUrl });
  server.on('connection', noteConnection);
  const connections = trackConnections(server);
  const unwatch = watchService(database, connections);
  const url = await listen(server, config, sockets);
  if (config.sendsWebhooks) dispatcher.start();
  const schedules = [
    schedule('record key use', KEY_USE_INTERVAL_MS, () => keyUse.flush(), log.logger),
    schedule('write the request log', REQUEST_LOG_INTERVAL_MS, () => requestLog.flush(), log.logger),
  ];
  return {
    url,
    keepHouse: () => void schedules.push(...scheduleHousekeeping(database, log.logger, config.requestLog)),
    async stop({ isReplaced } = { isReplaced: false }) {
      leaving = isReplaced ? 'replaced' : 'stopped';
      eventHub.stop();
      const { shutdownMaxMs = SHUTDOWN_MAX_MS } = limits;
      const stopped = dispatcher.stop();
      await shutDown(server, connections, {
        idleMs: isReplaced ? IDLE_GRACE_REPLACED_MS : IDLE_GRACE_MS,
        runningMs: isReplaced ? SHUTDOWN_MAX_REPLACED_MS : shutdownMaxMs,
      });
      await stopped;
      outgoing.close();
      for (const end of unwatch) end();
      await readingThreads.close();
      await Promise.all(schedules.map((stopWork) => stopWork()));
      const logLoss = (error: unknown) => log.logger.error({ err: error }, 'could not store how keys were used');
      await Promise.all([keyUse.flush().catch(logLoss), requestLog.flush()]);
    },
    cut: () => cutConnections(connections),
  };
}
