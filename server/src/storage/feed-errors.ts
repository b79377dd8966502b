import { batchInsert, executeBatch } from './batches.ts';
import { type Executor, statement } from './database.ts';
import { removeSomeRows } from './rows.ts';
import type { Run } from './runs.ts';

export interface StoredFailure {
  /** The row's position in the file, starting at 1. */
  number: number;
  /** JSON text, as in responses. */
  error: string;
  /** The row's own values as JSON text; null if they are not kept. */
  values: string | null;
}

const insertSome = batchInsert('feed_errors', ['account_id', 'run_id', 'number', 'error', 'row_values']);

export async function insertFailures(
  executor: Executor,
  accountId: string,
  runId: string,
  failures: readonly StoredFailure[],
): Promise<void> {
  const rows = failures.map(({ number, error, values }) => [accountId, runId, number, error, values]);
  await executeBatch(executor, insertSome, rows);
}

type Page = { accountId: string; runId: string; after: number; limit: number };

const selectPage = statement<Page, StoredFailure>((query, parameter) =>
  query
    .selectFrom('feed_errors')
    .select(['number', 'error', 'row_values as values'])
    .where('account_id', '=', parameter('accountId'))
    .where('run_id', '=', parameter('runId'))
    .where('number', '>', parameter('after'))
    .orderBy('number')
    .limit(parameter('limit')),
);

/** The next failed rows of a run: up to `limit`, but fewer if they are large. */
export function findFailures(
  executor: Executor,
  accountId: string,
  runId: string,
  after: number,
  { limit, bytesMax }: { limit: number; bytesMax: number },
): Promise<Run<StoredFailure>> {
  return executor.executeRun(selectPage, { accountId, runId, after, limit }, bytesMax);
}

export const removeFailures = removeSomeRows('feed_errors', ['accountId', 'runId'], ['number']);
