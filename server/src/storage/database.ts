import type { CompiledQuery, Dialect, Kysely, RawBuilder } from 'kysely';
import type { CounterStore } from '../lib/limiter.ts';
import { AppError } from '../model/errors.ts';
import type { Run } from './runs.ts';
import type { Tables } from './schema.ts';
import type { ListingSearch } from './searches.ts';

/** Builds queries without running them. */
export type QueryBuilder = Kysely<Tables>;

/** A named value that is bound when the statement runs. */
export type Parameter<P> = <K extends keyof P & string>(name: K) => RawBuilder<P[K]>;

export interface EngineSql {
  /** An account's key in `listing_facets`. */
  accountKey: (accountId: RawBuilder<string>) => RawBuilder<string>;
  /** Inserts rows for stored listings of an account into `listing_facets`: column → value, including `id`. */
  insertFacets: (
    query: QueryBuilder,
    rows: Record<string, RawBuilder<string>>[],
    accountId: RawBuilder<string>,
  ) => { compile(): CompiledQuery<never> };
  /** Like `insertFacets`, but replaces the given columns of the stored rows with these ids. */
  updateFacets: EngineSql['insertFacets'];
  /** A listing's search terms, which SQLite stores in `listings`, and PostgreSQL in `listing_facets` (`facetTerms`). */
  listingTerms: (terms: RawBuilder<string>) => { terms?: RawBuilder<string> };
  facetTerms: (terms: RawBuilder<string>, accountId: RawBuilder<string>) => { terms?: RawBuilder<string> };
  /** Whether updating a row writes to all indexes of its table, so that leaving out columns saves nothing. */
  updatesAllIndexes: boolean;
  /**
   * A table to cross-join, of which only the account's row with this key is needed. The engine looks up that row
   * for each row of the preceding tables, whatever its statistics say. The statement must also contain the
   * conditions on the account and the key.
   */
  lookUp: <T extends keyof Tables & string>(
    table: T,
    accountKey: RawBuilder<unknown>,
    column: keyof Tables[T] & string,
    key: RawBuilder<unknown>,
  ) => RawBuilder<Tables[T]>;
  /** The key with this hash and the head of its account: one row or none. */
  keyPrincipals: (hash: RawBuilder<string>) => RawBuilder<KeyPrincipalRow>;
}

export type KeyPrincipalRow = Pick<Tables['api_keys'], 'id' | 'account_id' | 'access' | 'expires_at'> &
  Pick<Tables['account_heads'], 'sequence' | 'rate_points' | 'rate_seconds' | 'suspended_for'> &
  Pick<Tables['database_info'], 'epoch'>;

/** A query that each engine compiles once and prepares. */
export interface Statement<P, R> {
  build: (query: QueryBuilder, parameter: Parameter<P>, engine: EngineSql) => { compile(): CompiledQuery<R> };
}

/**
 * Declares a statement with named parameters of type `P` and rows of type `R`. On PostgreSQL, the parameters
 * `accountId` (the account whose rows it reads) and `limit` decide which connection runs it.
 */
export function statement<P, R = never>(build: Statement<P, R>['build']): Statement<P, R> {
  return { build };
}

/** Runs statements. A `Database` runs only reads this way; an open transaction also runs writes. */
export interface Executor {
  /**
   * `signal` cancels a read that is still waiting.
   * @throws {AppError} `unavailable` or `storage_full`, or the reason of an aborted `signal`
   */
  execute<P, R>(statement: Statement<P, R>, parameters: P, signal?: AbortSignal): Promise<R[]>;
  /**
   * Like `execute`, but stops after the row that brings the total size of the strings above `bytesMax` (UTF-8
   * bytes). Returns at least one row if there is any. Use it for rows that may be large, since reading them
   * blocks the event loop.
   * @throws {AppError} as `execute` does
   */
  executeRun<P, R>(statement: Statement<P, R>, parameters: P, bytesMax: number, signal?: AbortSignal): Promise<Run<R>>;
}

/** The transaction of a job that takes longer than one event-loop turn. */
export interface LongTransaction extends Executor {
  /** Yields to the event loop. The transaction stays open, and the writes that wait for it keep waiting. */
  nextTurn(): Promise<void>;
  /** Whether a trigger updates `listing_counts` for each changed row; a batch suspends it to change each count once. */
  readonly hasCountTriggers: boolean;
}

/** Builds a query for a single request. */
export type QueryBuild<R> = (query: QueryBuilder, engine: EngineSql) => { compile(): CompiledQuery<R> };

/** Long reads, which run on a reader thread or on the database server. Accounts take turns. */
export interface Scans {
  /** @throws {AppError} `unavailable` */
  query<R>(accountId: string, build: QueryBuild<R>): Promise<R[]>;
}

export type QueryDialect = Omit<Dialect, 'createDriver'>;

interface Measurements {
  waitingWrites: number;
  /** The SQLite file, its log, and the free space of its file system. */
  file?: { bytes: number; logBytes: number; freeBytes: number };
  /** The connections to PostgreSQL that serve requests, and the requests that wait for one. */
  pool?: { used: number; idle: number; max: number; pending: number };
}

/** The request log's database. Its failures and delays affect nothing but the request log. */
export interface LogDatabase extends Pick<Executor, 'execute'> {
  /** Runs `job` in a transaction. @throws {AppError} as `Database.write` does */
  write<T>(job: LogJob<T>): Promise<T>;
}

export type LogJob<T> = (transaction: Pick<Executor, 'execute'>) => Promise<T>;

export interface Database extends Executor {
  /** The database's name in messages for the operator, without passwords. */
  readonly name: string;
  readonly dialect: QueryDialect;
  readonly scans: Scans;
  readonly search: ListingSearch<Executor>;
  readonly requestLog: LogDatabase;
  /**
   * Whether to reject further requests of the account before they start, because too many wait for the
   * database. Without `accountId`, refers to requests whose account is not known yet.
   */
  isOverfull(accountId?: string): boolean;
  /**
   * Call this before a change by an API key. Changes by users are not limited, so that a user can always
   * delete a key.
   * @throws {AppError} `unavailable` if too many changes of the account wait
   */
  requireRoom(accountId: string): void;
  /** Whether waiting requests prove that the database responds, so that a health check does not need to query it. */
  isServing(): boolean;
  /**
   * Runs `job` as if in its own transaction and resolves once the commit is on disk. Waiting jobs share a
   * commit, and accounts take turns. If a job throws, its changes are undone, and the other jobs may run
   * again from the start. A job must await only its transaction, which ends with the job. `accountId` is the
   * account that the job changes; no other process changes it at the same time. Jobs without `accountId`, for
   * data that does not belong to a single account, run one at a time.
   * @throws what the job throws, or {AppError} `unavailable`, `storage_full`, or `outcome_unknown`
   */
  write<T>(job: (transaction: Executor) => Promise<T>, accountId?: string): Promise<T>;
  /** Maximum bytes that a long write can write and replace. On SQLite, all other writes wait during a long write. */
  readonly longWriteBytesMax: number;
  /** Like `write`, but for a long job, which has its own transaction and can await `nextTurn`. */
  writeLong<T>(job: (transaction: LongTransaction) => Promise<T>, accountId?: string): Promise<T>;
  /** The counters that several machines share; undefined for SQLite. */
  readonly counters?: Counters;
  /**
   * Distributes the tables over the machines of a cluster while nothing else writes; undefined for SQLite.
   * @throws {AppError} `conflict` without a cluster
   */
  distribute?(): Promise<void>;
  /**
   * Checks the whole database unless it is large; undefined for PostgreSQL.
   * @throws {AppError} `unavailable` with a message for the operator if it is damaged
   */
  requireSound?(): void;
  /** Removes deleted data from the log; undefined for PostgreSQL. */
  truncateLog?(): Promise<void>;
  measure(): Measurements;
  /** Closes the database after all submitted writes. */
  close(): Promise<void>;
}

export interface Counters extends CounterStore {
  /**
   * Runs a key's query and a counting statement in the same round trip. If only the latter fails, `counted`
   * is empty.
   * @throws {AppError} as `execute` does
   */
  executeCounting<P extends { hash: string }, R, C>(
    query: Statement<P, R>,
    counting: Statement<P, C>,
    parameters: P,
  ): Promise<Counted<R, C>>;
}

export interface Counted<R, C> {
  rows: R[];
  counted: C[];
}

/** Thrown if the database server does not respond or does not accept connections. */
export class DatabaseAwayError extends AppError {
  constructor(message: string, cause: unknown) {
    super('unavailable', message, { cause });
  }
}

/** A temporary database. */
export type Scratch = Pick<Database, 'write' | 'close'>;
