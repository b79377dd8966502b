import { sql } from 'kysely';
import { type Executor, statement } from './database.ts';
import { findSomeRows } from './rows.ts';
import { RUN_BYTES_MAX } from './runs.ts';

interface RunParameters {
  accountId: string;
  beforeId: string;
  limit: number;
  /** A longer document is returned as null, without being read. */
  docBytesMax: number;
}

interface RunRow {
  id: string;
  doc: string | null;
}

const selectRun = statement<RunParameters, RunRow>((query, parameter) =>
  query
    .selectFrom('listings')
    .select([
      'id',
      sql<string | null>`case when octet_length(doc) <= ${parameter('docBytesMax')} then doc end`.as('doc'),
    ])
    .where('account_id', '=', parameter('accountId'))
    .where('id', '<', parameter('beforeId'))
    .orderBy('id', 'desc')
    .limit(parameter('limit')),
);

/** Exceeds the length of any document. */
const EVERY_LENGTH = 2 ** 31 - 1;
const AFTER_EVERY_ID = '~';

/** A part of the account's listings, newest first. */
export interface ListingRange {
  /** The id before the first listing; undefined to start with the newest. */
  afterId: string | undefined;
  /** The id of the last listing, inclusive; undefined to end with the oldest. */
  untilId?: string | undefined;
  limit: number;
  /** Maximum total length of the documents (default `RUN_BYTES_MAX`). A single document can exceed it. */
  bytesMax?: number;
  /** `areLong` of the previous run: if an earlier run had long documents, this run probably has them, too. */
  areLong?: boolean;
  /** Cancels the read while it waits. */
  signal?: AbortSignal;
}

export interface ListingRun {
  /** The documents, as JSON text. */
  docs: string[];
  /** The last listing's id if more listings may follow. */
  nextAfterId: string | undefined;
  /** Whether the bytes of all documents were counted, because this run or an earlier one had a long document. */
  areLong: boolean;
}

/** The first `limit` listings; fewer, but at least one, if they are large. @throws the reason of an aborted `signal` */
export async function findListingRun(executor: Executor, accountId: string, range: ListingRange): Promise<ListingRun> {
  const { afterId: beforeId = AFTER_EVERY_ID, limit, bytesMax = RUN_BYTES_MAX, areLong = false, signal } = range;
  const parameters = { accountId, beforeId, limit: limit + 1 };
  if (!areLong) {
    // Reading takes a third less time if the bytes do not have to be counted.
    const docBytesMax = Math.floor(bytesMax / limit);
    const rows = await executor.execute(selectRun, { ...parameters, docBytesMax }, signal);
    if (rows.every(hasDoc)) return toRun(rows, range, { isCut: false, areLong: false });
  }
  const wanted = { ...parameters, docBytesMax: EVERY_LENGTH };
  const run = await executor.executeRun(selectRun, wanted, bytesMax, signal);
  return toRun(run.rows.filter(hasDoc), range, { isCut: run.isCut, areLong: true });
}

type WholeRow = RunRow & { doc: string };

function hasDoc(row: RunRow): row is WholeRow {
  return row.doc !== null;
}

function toRun(
  rows: WholeRow[],
  { limit, untilId }: ListingRange,
  { isCut, areLong }: { isCut: boolean; areLong: boolean },
): ListingRun {
  // A condition in the statement would slow down pages without `untilId` by about 7%.
  const wanted = untilId === undefined ? rows : rows.filter(({ id }) => id >= untilId);
  const isEnd = wanted.length < rows.length;
  // The row beyond the limit only shows that more listings follow.
  const isFull = wanted.length > limit;
  if (isFull) wanted.pop();
  return {
    docs: wanted.map(({ doc }) => doc),
    nextAfterId: isFull || (isCut && !isEnd) ? wanted.at(-1)?.id : undefined,
    areLong,
  };
}

const selectIds = findSomeRows('listings', ['accountId', 'id <'], ['id'], 'id desc');

/**
 * The id of the `count`-th listing after `afterId`, or `afterId` itself for a count of 0; undefined if no listing
 * follows it. Does not read documents.
 */
export async function findPageEnd(
  executor: Executor,
  accountId: string,
  afterId: string,
  count: number,
): Promise<string | undefined> {
  const rows = await selectIds(executor, accountId, afterId, count + 1);
  if (rows.length <= count) return undefined;
  return count === 0 ? afterId : rows.at(-2)?.id;
}
