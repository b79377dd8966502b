import { sql } from 'kysely';
import type { FeedCounts } from '../model/feeds.ts';
import { type Executor, type Parameter, statement } from './database.ts';
import { allRows, columnsOf, firstRow, hasRow } from './functions.ts';
import { findRow, findSomeRows, insertRow, type RowOf, removeRows, updateRows } from './rows.ts';
import type { Run } from './runs.ts';

type Row = Omit<RowOf<'feed_runs'>, 'accountId'>;

/** A run as stored; times are UTC milliseconds. */
export interface StoredRun extends Omit<Row, 'counts' | 'error'> {
  counts: FeedCounts;
  error: { code: string; message: string } | null;
}

function toRow({ counts, error, ...run }: StoredRun): Row {
  return { ...run, counts: JSON.stringify(counts), error: error && JSON.stringify(error) };
}

function toRun({ counts, error, ...row }: Row): StoredRun {
  return { ...row, counts: JSON.parse(counts), error: error === null ? null : JSON.parse(error) };
}

const SHORT = [
  ...(['finishedAt', 'outcome', 'counts', 'sequenceFrom', 'sequenceTo'] as const),
  ...(['error', 'storedRows', 'storedBytes', 'separator'] as const),
] as const;
const CHANGING = [...SHORT, 'errors'] as const;
const FIXED = ['id', 'feed', 'startedAt'] as const;
const MEMBERS = [...FIXED, ...CHANGING] as const;

const insert = insertRow('feed_runs', ['accountId', ...MEMBERS]);

export async function insertRun(executor: Executor, accountId: string, run: StoredRun): Promise<void> {
  await insert(executor, { accountId, ...toRow(run) });
}

const update = updateRows('feed_runs', ['accountId', 'id'], CHANGING);

export async function updateRun(executor: Executor, accountId: string, run: StoredRun): Promise<void> {
  await update(executor, accountId, run.id, toRow(run));
}

type RunKey = { accountId: string; feed: string; id: string };

const selectOne = findRow('feed_runs', ['accountId', 'feed', 'id'], MEMBERS);

export async function findRun(
  executor: Executor,
  accountId: string,
  feed: string,
  id: string,
): Promise<StoredRun | undefined> {
  const row = await selectOne(executor, accountId, feed, id);
  return row && toRun(row);
}

/** Longer errors are left out of the list of feeds, which has the last run of each of up to 100 feeds. */
const LISTED_BYTES = sql.lit(16 * 1024);

const selectLast = allRows(['accountId'], (query, parameter: Parameter<{ accountId: string }>) =>
  query
    .selectFrom('feed_runs')
    .select(columnsOf([...FIXED, ...SHORT]))
    .select(sql<string>`case when octet_length(errors) <= ${LISTED_BYTES} then errors else '[]' end`.as('errors'))
    .where('account_id', '=', parameter('accountId'))
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('feeds').select('run_id').where('account_id', '=', parameter('accountId')),
    ),
);

export async function findLastRuns(executor: Executor, accountId: string): Promise<StoredRun[]> {
  return (await selectLast(executor, accountId)).map(toRun);
}

const selectPage = statement<RunKey & { limit: number }, Row>((query, parameter) =>
  query
    .selectFrom('feed_runs')
    .select(columnsOf(MEMBERS))
    .where('account_id', '=', parameter('accountId'))
    .where('feed', '=', parameter('feed'))
    .where('id', '<', parameter('id'))
    .orderBy('id', 'desc')
    .limit(parameter('limit')),
);

/** Sorts after the id of every run. */
const AFTER_ALL = 'run~';

/** The runs of a feed before another run, newest first: up to `limit`, but fewer if their errors are long. */
export async function findRuns(
  executor: Executor,
  accountId: string,
  feed: string,
  before: string | undefined,
  { limit, bytesMax }: { limit: number; bytesMax: number },
): Promise<Run<StoredRun>> {
  const page = { accountId, feed, id: before ?? AFTER_ALL, limit };
  const { rows, isCut } = await executor.executeRun(selectPage, page, bytesMax);
  return { rows: rows.map(toRun), isCut };
}

type Ending = { accountId: string; id: string; finishedAt: number };

/** Records that a run's lease expired before the run ended. @returns whether the run was in progress */
export const interruptRun = hasRow(['accountId', 'id', 'finishedAt'], (query, parameter: Parameter<Ending>) =>
  query
    .updateTable('feed_runs')
    .set({ outcome: 'interrupted', finished_at: parameter('finishedAt') })
    .where('account_id', '=', parameter('accountId'))
    .where('id', '=', parameter('id'))
    .where('outcome', '=', 'running')
    .returning('id'),
);

/** The account's oldest runs with ids below `id`, which need not be the id of a run. */
export const findOldRuns = findSomeRows('feed_runs', ['accountId', 'id <'], ['id'], 'id');

export const findRunsOfFeed = findSomeRows('feed_runs', ['accountId', 'feed'], ['id']);

export const removeRun = removeRows('feed_runs', ['accountId', 'id']);

const selectSums = firstRow(['accountId'], (query, parameter: Parameter<{ accountId: string }>) =>
  query
    .selectFrom('feed_runs')
    .select(sql<number>`coalesce(sum(stored_bytes), 0)`.as('bytes'))
    .where('account_id', '=', parameter('accountId'))
    .where('stored_bytes', '>', sql.lit(0)),
);

/** The total size of the failed rows of an account's runs, including the errors in the runs themselves. */
export async function sumStoredBytes(executor: Executor, accountId: string): Promise<number> {
  return Number((await selectSums(executor, accountId))?.bytes);
}

export const findOldestStored = firstRow(['accountId'], (query, parameter: Parameter<{ accountId: string }>) =>
  query
    .selectFrom('feed_runs')
    .select(['id', 'stored_bytes as storedBytes'])
    .where('account_id', '=', parameter('accountId'))
    .where('stored_bytes', '>', sql.lit(0))
    .orderBy('id')
    .limit(sql.lit(1)),
);

const selectCount = firstRow(['accountId'], (query, parameter: Parameter<{ accountId: string }>) =>
  query
    .selectFrom('feed_runs')
    .select(sql<number>`count(*)`.as('runs'))
    .where('account_id', '=', parameter('accountId')),
);

export async function countRuns(executor: Executor, accountId: string): Promise<number> {
  return Number((await selectCount(executor, accountId))?.runs);
}

const setStored = updateRows('feed_runs', ['accountId', 'id'], ['storedRows', 'storedBytes', 'errors']);

export async function forgetStored(executor: Executor, accountId: string, id: string): Promise<void> {
  await setStored(executor, accountId, id, { storedRows: 0, storedBytes: 0, errors: '[]' });
}
