import { type Executor, statement } from './database.ts';
import { rowOf } from './functions.ts';

/** An account's limits as stored; null means no limit. */
export interface StoredLimits {
  listingsMax: number | null;
  bytesMax: number | null;
  ratePoints: number | null;
  rateSeconds: number | null;
  suspendedFor: string | null;
}

export const LIMIT_COLUMNS = [
  'listings_max as listingsMax',
  'bytes_max as bytesMax',
  'rate_points as ratePoints',
  'rate_seconds as rateSeconds',
  'suspended_for as suspendedFor',
] as const;

const select = statement<{ accountId: string }, StoredLimits>((query, parameter) =>
  query.selectFrom('account_heads').select(LIMIT_COLUMNS).where('account_id', '=', parameter('accountId')),
);

export async function findLimits(executor: Executor, accountId: string): Promise<StoredLimits | undefined> {
  const [limits] = await executor.execute(select, { accountId });
  return limits;
}

const update = statement<StoredLimits & { accountId: string }>((query, parameter) =>
  query
    .updateTable('account_heads')
    .set(rowOf(parameter, ['listingsMax', 'bytesMax', 'ratePoints', 'rateSeconds', 'suspendedFor']))
    .where('account_id', '=', parameter('accountId')),
);

export async function updateLimits(executor: Executor, accountId: string, limits: StoredLimits): Promise<void> {
  await executor.execute(update, { accountId, ...limits });
}
