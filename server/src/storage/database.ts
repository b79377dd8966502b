import type { CompiledQuery, Dialect, Kysely, RawBuilder, SqlBool } from 'kysely';
import type { CounterStore } from '../lib/limiter.ts';
import { AppError } from '../model/errors.ts';
import type { Tables } from './schema.ts';

/** Builds queries and runs none. */
export type QueryBuilder = Kysely<Tables>;

/** Names a value that is given when the statement runs. */
export type Parameter<P> = <K extends keyof P & string>(name: K) => RawBuilder<P[K]>;

/** What the engines say in words of their own: each has these functions. */
export interface EngineSql {
  /** Puts a listing's words into the index. */
  insertWords: (query: QueryBuilder, parameter: Parameter<NewWords>) => { compile(): CompiledQuery<never> };
  /** Where the words stand that have just been put in, in the transaction that has done so. */
  newWordsRow: (parameter: Parameter<Pick<NewWords, 'sequence'>>) => RawBuilder<number>;
  /** The last row of the index that is taken; where accounts have rows of their own, the account's sequence. */
  lastWordsRow: (parameter: Parameter<Pick<NewWords, 'sequence'>>) => RawBuilder<number>;
  /** Puts a listing's words into the index, as a row that was not taken. */
  insertWordsAt: (
    query: QueryBuilder,
    parameter: Parameter<WordsPlace & Pick<NewWords, 'words'>>,
  ) => { compile(): CompiledQuery<never> };
  /** Takes the words of a row out of the index. */
  removeWords: (query: QueryBuilder, parameter: Parameter<WordsPlace>) => { compile(): CompiledQuery<never> };
  /** The key with this hash, with its account's sequence and the epoch: one row, or none. */
  keyPrincipals: (hash: RawBuilder<string>) => RawBuilder<KeyPrincipalRow>;
  /** Whether each of these words begins one of the words of a row of `facets`. */
  hasWords: (accountId: string, words: readonly string[]) => RawBuilder<SqlBool>;
  /** The pairs of a JSON array, as rows of `index`, `id` and `searchRow`. */
  pairs: (json: string) => RawBuilder<FoundPair>;
  /** The account's facets, so that those with the newest ids are met first as far as the engine cares. */
  searchColumnsNewestFirst: (accountId: string) => RawBuilder<Tables['listing_facets']>;
}

/** A key, and where its account stands. */
export type KeyPrincipalRow = Pick<Tables['api_keys'], 'id' | 'account_id' | 'access' | 'expires_at'> &
  Pick<Tables['account_heads'], 'sequence' | 'rate_points' | 'rate_seconds' | 'suspended_for'> &
  Pick<Tables['database_info'], 'epoch'>;

/** Words as they stand in the index, with spaces between them. */
export interface NewWords {
  accountId: string;
  /** The account's sequence when they were put in: there are no other words with it. */
  sequence: number;
  words: string;
}

export interface WordsPlace {
  accountId: string;
  searchRow: number;
}

/** The place of a listing that was found, in the order of the list. */
export interface FoundPair {
  index: number;
  id: string;
  searchRow: number;
}

/** A query that is compiled once for each engine, and kept prepared by it. */
export interface Statement<P, R> {
  build: (query: QueryBuilder, parameter: Parameter<P>, engine: EngineSql) => { compile(): CompiledQuery<R> };
}

/**
 * Declares a statement with named parameters of type `P` and rows of type `R`. The parameter `accountId` names the account
 * whose rows it reads, and `limit` how many at most: PostgreSQL's connections are given by them.
 */
export function statement<P, R = never>(build: Statement<P, R>['build']): Statement<P, R> {
  return { build };
}

/** Whatever can run a statement: the database for reading, an open transaction for writing. */
export interface Executor {
  /**
   * `signal` cancels a read that is still waiting for its turn.
   * @throws {AppError} `unavailable` or `storage_full`; why `signal` aborts
   */
  execute<P, R>(statement: Statement<P, R>, parameters: P, signal?: AbortSignal): Promise<R[]>;
  /**
   * As `execute`, but stops after the row with which the rows' texts exceed `bytesMax` (UTF-8): for rows that may be
   * large, since reading them stops the event loop. There is one row at least, if any.
   * @throws {AppError} as `execute` does
   */
  executeRun<P, R>(statement: Statement<P, R>, parameters: P, bytesMax: number, signal?: AbortSignal): Promise<Run<R>>;
}

/** What is read at a time: at most ten milliseconds, where characters take three bytes. */
export const RUN_BYTES_MAX = 1024 * 1024;
/**
 * Listings that are read at a time where no page is asked for; fewer if they are large. Usual ones stay below 128 KiB
 * together: V8 keeps longer texts in a space of their own, and a stream of them takes twice the memory.
 */
export const RUN_LENGTH = 150;

export interface Run<R> {
  rows: R[];
  /** Whether it stopped at `bytesMax`: then more rows may follow. */
  isCut: boolean;
}

/** The session of a job that takes longer than a turn of the event loop. */
export interface LongTransaction extends Executor {
  /** Lets everybody else have a turn, while the transaction stays open and other writes wait. */
  nextTurn(): Promise<void>;
}

/** Builds a query for one request. */
export type QueryBuild<R> = (query: QueryBuilder, engine: EngineSql) => { compile(): CompiledQuery<R> };

/** Reads that may take long, away from the thread that answers requests. Accounts take turns. */
export interface Scans {
  /** The rows of a query on an account's data. @throws {AppError} `unavailable`; why `signal` aborts */
  query<R>(accountId: string, build: QueryBuild<R>, options?: ScanOptions): Promise<Run<R>>;
  /** As `query`, for many rows of numbers and texts that are not wanted at once. */
  queryPacked<R>(accountId: string, build: QueryBuild<R>, options: ScanOptions): Promise<PackedRows<R>>;
}

/** Rows in packs of `RUN_LENGTH`, which take little room until they are opened. */
export interface PackedRows<R> {
  packs: (() => R[])[];
  count: number;
}

export interface ScanOptions {
  /** Stops as `executeRun` does. */
  bytesMax?: number;
  /** Aborts when nobody wants the answer any more: a query that waits is not run then. */
  signal?: AbortSignal | undefined;
  /** Whether it goes on with a search: what that holds is held for less long if it goes before those that have not begun. */
  goesOn?: boolean;
}

/** How queries are written for an engine; not how they are run. */
export type QueryDialect = Omit<Dialect, 'createDriver'>;

/** One interface over both engines. */
export interface Database extends Executor {
  /** What it is called in messages to the operator; without passwords. */
  readonly name: string;
  readonly dialect: QueryDialect;
  readonly scans: Scans;
  /**
   * Whether so much waits for the database that a request is better refused before it begins. What has begun goes on.
   * `accountId` is whose requests; undefined for what is done before that is known.
   */
  isOverfull(accountId?: string): boolean;
  /**
   * To be asked before a program's change of an account. People's are taken: no program can keep them from deleting a key.
   * @throws {AppError} `unavailable` if too many changes of the account wait
   */
  requireRoom(accountId: string): void;
  /** Whether others wait for the database and are answered: who only asks whether it is there need not wait behind them. */
  isServing(): boolean;
  /**
   * Runs `job` as if in a transaction of its own and resolves once the commit is on disk. Jobs that wait at the same time
   * are committed together, and accounts take turns; of one that throws nothing stays, and the others may be run again from their beginning. A job
   * awaits nothing but its session, which ends with it. `accountId` is whose data it changes: on an engine with many
   * writers nobody else changes that account meanwhile. A job without one changes what belongs to no account, or to
   * several, and is the only such.
   * @throws whatever the job throws; {AppError} `unavailable`, `storage_full` or `outcome_unknown`
   */
  write<T>(job: (transaction: Executor) => Promise<T>, accountId?: string): Promise<T>;
  /** What a long write may hold, in bytes of what it writes and replaces: on SQLite all others wait for it. */
  readonly longWriteBytesMax: number;
  /** As `write`, for a job that takes long: it is alone in its transaction, and may await its session's `nextTurn`. */
  writeLong<T>(job: (transaction: LongTransaction) => Promise<T>, accountId?: string): Promise<T>;
  /** Where the processes of several machines count together; undefined for an engine of one machine. */
  readonly counters?: Counters;
  /**
   * Spreads the tables over the machines of a cluster; undefined for an engine that cannot. Nobody may write meanwhile.
   * @throws {AppError} `conflict` where there is no cluster
   */
  distribute?(): Promise<void>;
  /**
   * Reads all of it, if that does not take long; undefined for an engine that looks after its files itself.
   * @throws {AppError} `unavailable` with words for the operator if it is damaged
   */
  requireSound?(): void;
  /** Empties the log of what was deleted; undefined for an engine that looks after its files itself. */
  truncateLog?(): Promise<void>;
  /** Waits for the writes that were handed in, then closes. */
  close(): Promise<void>;
}

/** Where the processes of several machines count together. */
export interface Counters extends CounterStore {
  /**
   * Runs a query about a key, and a statement that counts in the same round trip; when only that one fails, there are no rows
   * of it.
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

/** The database server does not answer, or takes nobody in now: it may later. */
export class DatabaseAwayError extends AppError {
  constructor(message: string, cause: unknown) {
    super('unavailable', message, { cause });
  }
}

/** A database for a while: it is gone when it is closed. */
export type Scratch = Pick<Database, 'write' | 'close'>;
