import type { Search } from '../model/search.ts';
import type { RunOptions } from './fair-semaphore.ts';
import type { PackedRows, Run } from './runs.ts';

export interface Position {
  id: string;
  /** The sort value; null for a listing without such a value, and in a list by id. */
  value: string | number | null;
}

export interface FoundDoc extends Position {
  doc: string;
}

/** The part of a list to read. */
export interface Wanted {
  /** The position after which to begin; undefined for the beginning of the list. */
  after: Position | undefined;
  limit: number;
  /** Where to stop, as in `executeRun`. */
  bytesMax?: number;
}

export interface SearchOptions extends Pick<RunOptions, 'signal' | 'isUrgent'> {}

export interface DocsOptions extends SearchOptions {
  bytesMax: number;
  sequenceMax?: number | undefined;
}

/** `Executor` stands for the type in `database.ts`, which imports this file. */
export interface PageOptions<Executor> extends SearchOptions {
  /**
   * Checks something after the search has read; if the check fails, so does the search. It can run more than
   * once. If it gets an executor, it must send its statement immediately: on PostgreSQL, the statement runs after
   * the search, but `check` is called before the search has finished.
   */
  check?: ((executor?: Executor) => Promise<unknown>) | undefined;
}

/** How an engine finds an account's listings. Accounts take turns. Each method can throw {AppError} `unavailable`. */
export interface ListingSearch<Executor> {
  /** The first matches after a position, with documents. For short pages. A page that is cut can be empty. */
  findPage(
    accountId: string,
    search: Search,
    wanted: Wanted & { bytesMax: number },
    options: PageOptions<Executor>,
  ): Promise<Run<FoundDoc>>;
  /** Like `findPage`, but for many matches, and without documents. */
  findPositions(
    accountId: string,
    search: Search,
    wanted: Wanted,
    options: SearchOptions,
  ): Promise<PackedRows<Position>>;
  /**
   * The documents of these listings, in this order. Omits listings that were deleted, no longer match, or may
   * have moved after `sequenceMax`. If the documents are cut at `bytesMax`, `count` is the number of `ids` covered.
   */
  findDocs(
    accountId: string,
    search: Search,
    ids: readonly string[],
    options: DocsOptions,
  ): Promise<{ docs: string[]; count: number }>;
  count(accountId: string, search: Search, options: SearchOptions): Promise<number>;
  /** The matches per square of a grid. `search` needs a box. */
  cluster(accountId: string, search: Search, sideDegrees: number, options: SearchOptions): Promise<Cluster[]>;
  countByStatus(accountId: string): Promise<Totals>;
}

export interface Cluster {
  count: number;
  /** The matches' mean coordinates, in degrees. */
  latitude: number;
  longitude: number;
  /** The id of the newest match. */
  newestId: string;
}

export interface Totals {
  byStatus: { status: string; count: number }[];
  /** When the newest listing was created (RFC 3339); null without listings. */
  newestAt: string | null;
}

export function toPosition([id, value]: [string, Position['value']]): Position {
  return { id, value };
}

export function toFoundDoc([id, value, doc]: unknown[]): FoundDoc {
  return { id: String(id), value: value as Position['value'], doc: String(doc) };
}

export function toCluster([count, latitude, longitude, newestId]: unknown[]): Cluster {
  return {
    count: Number(count),
    latitude: Number(latitude),
    longitude: Number(longitude),
    newestId: String(newestId),
  };
}

export function toTotals(counts: unknown[][], [newestAt]: unknown[] = []): Totals {
  const byStatus = counts.map(([status, count]) => ({ status: String(status), count: Number(count) }));
  return { byStatus, newestAt: newestAt == null ? null : String(newestAt) };
}
