import pg from 'pg';
import { Line } from '../../lib/line.ts';
import { FairSemaphore } from '../fair-semaphore.ts';
import { PATIENCE_MS } from './connection.ts';
import { ConnectionError, isConnectionDead, isFull, isReadOnly, isSilent } from './errors.ts';
import { SharedConnections } from './shared-connections.ts';

export interface PoolSettings {
  /** Connections of this process at most. */
  poolSize: number;
  /** What a statement of a request may take; others wait as long for its locks. */
  statementTimeoutMs: number;
  /** Not behind a pooler that hands each transaction another connection and forgets statements. */
  preparesStatements: boolean;
}

/** How long a request waits for a connection: with the time of a statement it stays below five seconds. */
const ACQUIRE_TIMEOUT_MS = 2_000;
/** So many have had their turn long before that time is over. */
const WAITING_PER_CONNECTION = 150;
/** A lock is given up a little before the statement that waits for it: the error then says why. */
const LOCK_SHARE = 0.9;
/** Connections as young as this lead to where a new one would lead. */
const YOUNG_MS = 1_000;
/** Nothing of ours waits within a transaction: one that does so long belongs to a process that is gone. */
const IDLE_TRANSACTION_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 60_000;
/** After the server has refused a connection the others are made do with for so long. */
const FULL_MS = 1_000;
const ANSWERED_MS = 1_000;
const KEEP_ALIVE_DELAY_MS = 10_000;
/** Sums, counts and sequences: all are below 2^53. */
const INT8 = 20;

/** In place of an account's id, for what belongs to none or to several. */
const NOBODY = '';
/** A quarter of the connections is shared. */
const SHARED_PART = 4;

/** Connections to the server, made when they are needed. Some are shared; for the others accounts take turns. */
export class Pool {
  readonly settings: PoolSettings;
  /** What begins a transaction where the session has no limits: a pooler that shares connections knows none. */
  readonly beginLimits: string;
  /**
   * Whose long reads run: they leave connections to everybody else. One account's run one at a time while others read: on a
   * machine of few cores each of them is a core.
   */
  readonly longReads: FairSemaphore;
  readonly #pool: pg.Pool;
  /** Those who wait for a connection, by account. */
  readonly #lines = new Map<string, Line>();
  /** Who has a connection of their own: half of them are one account's at most. */
  readonly #turns: FairSemaphore;
  readonly #shared: SharedConnections;
  /** When each connection was made. */
  readonly #madeTimesMs = new WeakMap<pg.PoolClient, number>();
  /** Connections from before lead to a server that is gone. */
  #lostTimeMs = 0;
  /** How many connections work. */
  #busy = 0;
  #fullUntilMs = 0;
  #answeredTimeMs = Number.NEGATIVE_INFINITY;

  constructor(url: string, settings: PoolSettings) {
    this.settings = settings;
    const sharedCount = Math.ceil(settings.poolSize / SHARED_PART);
    this.#shared = new SharedConnections((work) => this.#connect(work), sharedCount, ACQUIRE_TIMEOUT_MS);
    const ownCount = Math.max(1, settings.poolSize - sharedCount);
    this.#turns = new FairSemaphore(ownCount, Math.ceil(ownCount / 2));
    this.longReads = new FairSemaphore(Math.ceil(ownCount / 2), 1, Math.ceil(ownCount / 4));
    const limits = limitsOf(settings);
    const inTransaction = Object.entries(limits).map(([name, value]) => `; set local ${name} = ${value}`);
    this.beginLimits = settings.preparesStatements ? '' : inTransaction.join('');
    this.#pool = new pg.Pool({
      connectionString: url,
      max: settings.poolSize,
      connectionTimeoutMillis: ACQUIRE_TIMEOUT_MS,
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      query_timeout: settings.statementTimeoutMs + PATIENCE_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
      application_name: 'property-listings',
      pipeline: true,
      types: { getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) },
      ...(settings.preparesStatements && limits),
    });
    // Without these listeners a connection that ends by itself would end the process; its queries fail in any case.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => {
      client.on('error', () => {});
      this.#madeTimesMs.set(client, performance.now());
    });
  }

  /**
   * Runs `work` with a connection of its own. One that is of no use afterwards is thrown away. Accounts take turns; where it is
   * for none of them, or not known yet for which, `accountId` is left out. `work` may tell what it gives before it is done with
   * the connection.
   * @throws {ConnectionError} when there is none in time; what `work` throws
   */
  use<T>(work: (client: pg.ClientBase, tell: (value: T) => void) => Promise<T>, accountId = NOBODY): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#useAlone((client) => work(client, resolve), accountId).then(resolve, reject);
    return promise;
  }

  async #useAlone<T>(work: (client: pg.ClientBase) => Promise<T>, accountId: string): Promise<T> {
    await this.#wait(accountId, this.#enter(accountId));
    try {
      return await this.#connect(work, accountId);
    } finally {
      this.#turns.leave(accountId);
    }
  }

  /** Runs `work`, which sends all its statements at once, as `SharedConnections.run` does. @throws as `use` */
  share<T>(work: (client: pg.ClientBase) => Promise<T>, name: string): Promise<T> {
    return this.#wait(NOBODY, this.#shared.run(work, name));
  }

  /** As `share`, for reading: it is done once for all who ask. */
  shareRead<T>(work: (client: pg.ClientBase) => Promise<T>, name: string): Promise<T> {
    return this.#wait(NOBODY, this.#shared.read(work, name));
  }

  /** Whether others wait, and one of those before them was answered a moment ago. */
  get isServing(): boolean {
    return this.#lines.size > 0 && performance.now() - this.#answeredTimeMs < ANSWERED_MS;
  }

  /** Whether so much waits for a connection, of an account or of nobody's, that what comes is better told to come back. */
  isOverfull(accountId = NOBODY): boolean {
    return this.#lines.get(accountId)?.isTooLong ?? false;
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  /** Stands in a line until `promise` is settled. */
  async #wait<T>(accountId: string, promise: Promise<T>): Promise<T> {
    const line = this.#lines.get(accountId) ?? new Line(this.settings.poolSize * WAITING_PER_CONNECTION);
    this.#lines.set(accountId, line);
    try {
      return await line.wait(promise);
    } finally {
      if (line.isEmpty) this.#lines.delete(accountId);
    }
  }

  async #enter(accountId: string): Promise<void> {
    const signal = this.#turns.isFreeFor(accountId) ? undefined : AbortSignal.timeout(ACQUIRE_TIMEOUT_MS);
    try {
      await this.#turns.enter(accountId, { signal });
    } catch (cause) {
      throw new ConnectionError('No connection to the database', { cause });
    }
  }

  /** Runs `work` with a connection. */
  async #connect<T>(work: (client: pg.ClientBase) => Promise<T>, accountId = NOBODY): Promise<T> {
    const client = await this.#wait(accountId, this.#acquire());
    this.#busy += 1;
    let isDead = false;
    try {
      const value = await work(client);
      this.#answeredTimeMs = performance.now();
      return value;
    } catch (error) {
      isDead = isConnectionDead(error);
      // Those that are as old as one that has died may have died with it.
      if (isDead) this.#distrust(this.#madeTimesMs.get(client) ?? 0);
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
      const client = await this.#pool.connect().catch((error: unknown) => this.#makeDo(error));
      if (client !== undefined && this.#isTrusted(client)) return client;
      client?.release(true);
    }
  }

  /** A server that gives no more connections has given some: they are waited for. @throws why there is none */
  #makeDo(error: unknown): undefined {
    if (!(error instanceof pg.DatabaseError))
      throw new ConnectionError('No connection to the database', { cause: error });
    const count = this.#busy + this.#pool.idleCount;
    if (!isFull(error) || count === 0) throw error;
    this.#pool.options.max = count;
    this.#fullUntilMs = performance.now() + FULL_MS;
  }

  #distrust(madeTimeMs: number): void {
    this.#lostTimeMs = Math.max(this.#lostTimeMs, madeTimeMs);
  }

  #isTrusted(client: pg.PoolClient): boolean {
    return (this.#madeTimesMs.get(client) ?? 0) > this.#lostTimeMs;
  }
}

/** As PostgreSQL calls them, in milliseconds. */
function limitsOf({ statementTimeoutMs }: PoolSettings) {
  return {
    statement_timeout: statementTimeoutMs,
    lock_timeout: Math.floor(statementTimeoutMs * LOCK_SHARE),
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
  };
}
