import { sql } from 'kysely';
import { type Executor, RUN_BYTES_MAX, statement } from './database.ts';

interface RunParameters {
  accountId: string;
  beforeId: string;
  limit: number;
  /** A longer document is null and is not read at all. */
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

/** More than any text has bytes. */
const EVERY_LENGTH = 2 ** 31 - 1;
const AFTER_EVERY_ID = '~';

/** Which of the account's listings, newest first. */
export interface ListingRange {
  /** Those that come after this one in the list; without it, from the newest. */
  afterId: string | undefined;
  /** Up to this one and with it; without it, to the oldest. */
  untilId?: string | undefined;
  limit: number;
  /** How long their texts may be together (`RUN_BYTES_MAX` if it is left out); one may be longer. */
  bytesMax?: number;
  /** Whether they are long as far as is known: those of the run before. */
  areLong?: boolean;
  /** Cancels the read while it waits for its turn. */
  signal?: AbortSignal;
}

/** Some of the account's listings, newest first. */
export interface ListingRun {
  /** Their JSON texts. */
  docs: string[];
  /** The last one's id if more come after it. */
  nextAfterId: string | undefined;
  /** Whether there are fewer than `limit` because they are large. Then `nextAfterId` may be the end. */
  isCut: boolean;
  /** Whether one of them is so long that all had to be counted while they were read. */
  areLong: boolean;
}

/**
 * The first listings of a range: `limit` of them, or fewer but at least one if they are large.
 * @throws why the range's `signal` aborts
 */
export async function findListingRun(executor: Executor, accountId: string, range: ListingRange): Promise<ListingRun> {
  const { afterId: beforeId = AFTER_EVERY_ID, limit, bytesMax = RUN_BYTES_MAX, areLong = false, signal } = range;
  const parameters = { accountId, beforeId, limit: limit + 1 };
  if (!areLong) {
    // Rows that need not be counted while they are read cost a third less.
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
  { isCut, areLong }: Pick<ListingRun, 'isCut' | 'areLong'>,
): ListingRun {
  // A bound in the statement would cost a page without one a fifteenth of its time.
  const wanted = untilId === undefined ? rows : rows.filter(({ id }) => id >= untilId);
  const isEnd = wanted.length < rows.length;
  // The row beyond the limit is not served: it only tells that there is one.
  const isFull = wanted.length > limit;
  if (isFull) wanted.pop();
  return {
    docs: wanted.map(({ doc }) => doc),
    nextAfterId: isFull || (isCut && !isEnd) ? wanted.at(-1)?.id : undefined,
    isCut: isCut && !isFull && !isEnd,
    areLong,
  };
}

const selectIds = statement<{ accountId: string; beforeId: string; limit: number }, { id: string }>(
  (query, parameter) =>
    query
      .selectFrom('listings')
      .select('id')
      .where('account_id', '=', parameter('accountId'))
      .where('id', '<', parameter('beforeId'))
      .orderBy('id', 'desc')
      .limit(parameter('limit')),
);

/**
 * The id of the last of the `count` listings that come after the one with the id `afterId`, if there are more: that one
 * itself for none. Looks at no document.
 */
export async function findPageEnd(
  executor: Executor,
  accountId: string,
  afterId: string,
  count: number,
): Promise<string | undefined> {
  const rows = await executor.execute(selectIds, { accountId, beforeId: afterId, limit: count + 1 });
  if (rows.length <= count) return undefined;
  return count === 0 ? afterId : rows.at(-2)?.id;
}
