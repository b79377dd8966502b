import pg from 'pg';
import { ConnectionError, isConnectionLost } from './errors.ts';

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
/** A lock is given up a little before the statement that waits for it: the error then says why. */
const LOCK_PATIENCE_MS = 200;
/** Nothing of ours waits within a transaction: one that does so long belongs to a process that is gone. */
const IDLE_TRANSACTION_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_DELAY_MS = 10_000;
/** Sums, counts and sequences: all are below 2^53. */
const INT8 = 20;

/** Connections to the server, made when they are needed. */
export class Pool {
  readonly settings: PoolSettings;
  readonly #url: string;
  #pool: pg.Pool;

  constructor(url: string, settings: PoolSettings) {
    this.#url = url;
    this.settings = settings;
    this.#pool = this.#make();
  }

  /**
   * Runs `work` with a connection of its own. One that is of no use afterwards is thrown away.
   * @throws {ConnectionError} when there is none in time; what `work` throws
   */
  async use<T>(work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
    const pool = this.#pool;
    const client = await pool.connect().catch((error: unknown) => {
      if (error instanceof pg.DatabaseError) throw error;
      throw new ConnectionError('No connection to the database', { cause: error });
    });
    let isSpoilt = true;
    try {
      const value = await work(client);
      isSpoilt = false;
      return value;
    } catch (error) {
      isSpoilt = isConnectionLost(error) || client.getTransactionStatus() !== 'I';
      // Others of the pool lead to the same server: one that cannot be written any more, or has gone.
      if (isConnectionLost(error) && pool === this.#pool) this.#renew();
      throw error;
    } finally {
      client.release(isSpoilt);
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  /** Those in use end with their work. */
  #renew(): void {
    void this.#pool.end().catch(() => {});
    this.#pool = this.#make();
  }

  #make(): pg.Pool {
    const { poolSize, statementTimeoutMs, preparesStatements } = this.settings;
    // A pooler that shares connections knows no settings of a session.
    const limits = {
      statement_timeout: statementTimeoutMs,
      lock_timeout: Math.max(1, statementTimeoutMs - LOCK_PATIENCE_MS),
      idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
    };
    const pool = new pg.Pool({
      connectionString: this.#url,
      max: poolSize,
      connectionTimeoutMillis: ACQUIRE_TIMEOUT_MS,
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
      application_name: 'property-listings',
      pipeline: true,
      types: { getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) },
      ...(preparesStatements ? limits : {}),
    });
    // Without these listeners a connection that ends by itself would end the process; its queries fail in any case.
    pool.on('error', () => {});
    pool.on('connect', (client) => client.on('error', () => {}));
    return pool;
  }
}
