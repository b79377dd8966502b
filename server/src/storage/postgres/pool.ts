import pg from 'pg';
import { Backlog } from '../../lib/backlog.ts';
import { stopping } from '../errors.ts';
import { FairSemaphore } from '../fair-semaphore.ts';
import { GRACE_MS } from './connection.ts';
import { ConnectionError, isConnectionDead, isFull, isReadOnly, isSilent } from './errors.ts';
import { SharedConnections } from './shared-connections.ts';

export interface PoolSettings {
  poolSize: number;
  /** Timeout of a request's statement. */
  statementTimeoutMs: number;
  /** False behind a pooler that assigns each transaction a different connection, which loses prepared statements. */
  preparesStatements: boolean;
}

/**
 * The longest wait for a connection. With the default statement timeout, waiting and running a statement together take
 * less than five seconds.
 */
const ACQUIRE_TIMEOUT_MS = 2_000;
/** This many waiting requests per connection are served well before the timeout. */
const WAITING_PER_CONNECTION = 150;
/** A statement's wait for a lock times out before the statement itself, so that the error names the cause. */
const LOCK_SHARE = 0.9;
/** Connections younger than this are assumed to lead to the same server as a new one. */
const YOUNG_MS = 1_000;
/** The service is never idle in a transaction, so an idle transaction belongs to a process that has died. */
const IDLE_TRANSACTION_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 60_000;
/** After the server has rejected a connection, the pool uses only its existing connections for this long. */
const FULL_MS = 1_000;
/** A response this recent proves that the database responds. */
const SERVING_MS = 1_000;
const KEEP_ALIVE_DELAY_MS = 10_000;
/** The type of sums, counts, and sequences. They are parsed as numbers, since all are below 2^53. */
const INT8 = 20;

/** Used in place of an account id for data that does not belong to a single account. */
const NO_ACCOUNT = '';
/** One in this many connections is shared. */
const SHARED_DIVISOR = 4;

/** Connections to the server, opened on demand. Some are shared; accounts take turns using the others. */
export class Pool {
  readonly settings: PoolSettings;
  /** Commands to append to `begin` behind a pooler, which drops the settings of the server session. */
  readonly beginLimits: string;
  /**
   * Permits for long reads, so that connections are left for other work. While other accounts read, an account has
   * only one permit, since each long read takes a core.
   */
  readonly longReads: FairSemaphore;
  readonly #pool: pg.Pool;
  readonly #backlogs = new Map<string, Backlog>();
  /**
   * Permits for the connections that are not shared. An account has at most a quarter (or two, if that is more but
   * not above half), or half while it is the only one.
   */
  readonly #permits: FairSemaphore;
  readonly #shared: SharedConnections;
  readonly #openTimesMs = new WeakMap<pg.PoolClient, number>();
  /** Connections opened before this time may lead to a lost server. */
  #lostTimeMs = 0;
  /** Connections in use. */
  #busy = 0;
  #fullUntilMs = 0;
  #respondedTimeMs = Number.NEGATIVE_INFINITY;

  constructor(url: string, settings: PoolSettings) {
    this.settings = settings;
    const sharedCount = Math.ceil(settings.poolSize / SHARED_DIVISOR);
    this.#shared = new SharedConnections((work) => this.#connect(work), sharedCount, ACQUIRE_TIMEOUT_MS);
    const ownCount = Math.max(1, settings.poolSize - sharedCount);
    const [half, quarter] = [Math.ceil(ownCount / 2), Math.ceil(ownCount / 4)];
    // With two permits, an account can read during its own long write.
    this.#permits = new FairSemaphore(ownCount, Math.min(half, Math.max(2, quarter)), half);
    this.longReads = new FairSemaphore(half, 1, quarter);
    const limits = Object.entries(limitsOf(settings));
    const inTransaction = limits.map(([name, value]) => `; set local ${name} = ${value}`);
    this.beginLimits = settings.preparesStatements ? '' : inTransaction.join('');
    this.#pool = new pg.Pool({
      connectionString: settings.preparesStatements ? withOptions(url, limits) : url,
      max: settings.poolSize,
      connectionTimeoutMillis: ACQUIRE_TIMEOUT_MS,
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      query_timeout: settings.statementTimeoutMs + GRACE_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
      application_name: 'property-listings',
      pipeline: true,
      types: { getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) },
    });
    // Without these listeners, a lost connection would end the process. Its queries fail anyway.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => {
      client.on('error', () => {});
      this.#openTimesMs.set(client, performance.now());
    });
  }

  /**
   * Runs `work` with an exclusive connection, and discards the connection if it is broken. Accounts take
   * turns; omit `accountId` for work on data that does not belong to a single account. `work` can call `tell`
   * with its result before it is done with the connection. Urgent work runs before the account's other work.
   * @throws {ConnectionError} if no connection is free in time, or what `work` throws
   */
  use<T>(
    work: (client: pg.ClientBase, tell: (value: T) => void) => Promise<T>,
    accountId = NO_ACCOUNT,
    isUrgent = false,
  ): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#useAlone((client) => work(client, resolve), accountId, isUrgent).then(resolve, reject);
    return promise;
  }

  async #useAlone<T>(work: (client: pg.ClientBase) => Promise<T>, accountId: string, isUrgent: boolean): Promise<T> {
    await this.#wait(accountId, this.#acquirePermit(accountId, isUrgent));
    try {
      return await this.#connect(work, accountId);
    } finally {
      this.#permits.release(accountId);
    }
  }

  /** Runs `work`, which sends all its statements at once, on a shared connection. @throws as `use` does */
  share<T>(work: (client: pg.ClientBase) => Promise<T>, name: string): Promise<T> {
    return this.#wait(NO_ACCOUNT, this.#shared.run(work, name));
  }

  /** Like `share`, but for a read that several callers can share. */
  shareRead<T>(work: (client: pg.ClientBase) => Promise<T>, name: string): Promise<T> {
    return this.#wait(NO_ACCOUNT, this.#shared.read(work, name));
  }

  /** Whether requests wait for a connection, and the database has just responded to an earlier one. */
  get isServing(): boolean {
    return this.#backlogs.size > 0 && performance.now() - this.#respondedTimeMs < SERVING_MS;
  }

  /** Whether too many requests of an account, or without one, wait for a connection. */
  isOverfull(accountId = NO_ACCOUNT): boolean {
    return this.#backlogs.get(accountId)?.isTooLong ?? false;
  }

  measure() {
    const pending = this.#backlogs.values().reduce((sum, backlog) => sum + backlog.length, 0);
    return { used: this.#busy, idle: this.#pool.idleCount, max: this.settings.poolSize, pending };
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #wait<T>(accountId: string, promise: Promise<T>): Promise<T> {
    const backlog = this.#backlogs.get(accountId) ?? new Backlog(this.settings.poolSize * WAITING_PER_CONNECTION);
    this.#backlogs.set(accountId, backlog);
    try {
      return await backlog.wait(promise);
    } finally {
      if (backlog.isEmpty) this.#backlogs.delete(accountId);
    }
  }

  async #acquirePermit(accountId: string, isUrgent: boolean): Promise<void> {
    const signal = this.#permits.isFreeFor(accountId) ? undefined : AbortSignal.timeout(ACQUIRE_TIMEOUT_MS);
    try {
      await this.#permits.acquire(accountId, { signal, isUrgent });
    } catch (cause) {
      throw new ConnectionError('No connection to the database', { cause });
    }
  }

  async #connect<T>(work: (client: pg.ClientBase) => Promise<T>, accountId = NO_ACCOUNT): Promise<T> {
    // Not a `ConnectionError`, because retries would keep the process alive.
    if (this.#pool.ending) throw stopping();
    const client = await this.#wait(accountId, this.#acquire());
    this.#busy += 1;
    let isDead = false;
    try {
      const value = await work(client);
      this.#respondedTimeMs = performance.now();
      return value;
    } catch (error) {
      isDead = isConnectionDead(error);
      // Connections that are at least as old as a dead one may also be dead.
      if (isDead) this.#distrust(this.#openTimesMs.get(client) ?? 0);
      if (isSilent(error) || isReadOnly(error)) this.#distrust(performance.now() - YOUNG_MS);
      throw error;
    } finally {
      this.#busy -= 1;
      client.release(isDead || client.getTransactionStatus() !== 'I' || !this.#isTrusted(client));
    }
  }

  async #acquire(): Promise<pg.PoolClient> {
    for (;;) {
      if (performance.now() > this.#fullUntilMs) this.#pool.options.max = this.settings.poolSize;
      const client = await this.#pool.connect().catch((error: unknown) => this.#keepExisting(error));
      if (client !== undefined && this.#isTrusted(client)) return client;
      client?.release(true);
    }
  }

  /** If the server does not accept more connections, the pool uses its existing ones. @throws if it has none */
  #keepExisting(error: unknown): undefined {
    if (!(error instanceof pg.DatabaseError))
      throw new ConnectionError('No connection to the database', { cause: error });
    const count = this.#busy + this.#pool.idleCount;
    if (!isFull(error) || count === 0) throw error;
    this.#pool.options.max = count;
    this.#fullUntilMs = performance.now() + FULL_MS;
  }

  #distrust(openTimeMs: number): void {
    this.#lostTimeMs = Math.max(this.#lostTimeMs, openTimeMs);
  }

  #isTrusted(client: pg.PoolClient): boolean {
    return (this.#openTimesMs.get(client) ?? 0) > this.#lostTimeMs;
  }
}

/** PostgreSQL's settings for each connection. Times are in milliseconds. */
function limitsOf({ statementTimeoutMs }: PoolSettings) {
  return {
    statement_timeout: statementTimeoutMs,
    lock_timeout: Math.floor(statementTimeoutMs * LOCK_SHARE),
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
    // Otherwise, the server may compile a query, which takes many times as long as running it.
    jit: 'off',
  };
}

/** Adds settings for the server's session. Those that the operator has set take precedence. */
function withOptions(url: string, settings: [name: string, value: unknown][]): string {
  const changed = new URL(url);
  const given = changed.searchParams.get('options') ?? process.env.PGOPTIONS ?? '';
  changed.searchParams.set('options', `${settings.map(([name, value]) => `-c ${name}=${value}`).join(' ')} ${given}`);
  return changed.href;
}
