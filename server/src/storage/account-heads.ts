import { sql } from 'kysely';
import type { AccountHead } from '../model/accounts.ts';
import { type Executor, type Parameter, statement } from './database.ts';
import { command } from './functions.ts';
import { findRow } from './rows.ts';

export interface Growth {
  listings: number;
  /** The change in the account's stored bytes (`countBytes` in model/history.ts). */
  bytes: number;
}

type Advance = Growth & { accountId: string; sequence: number; newestId: string };

const advance = statement<Advance>((query, parameter) =>
  query
    .updateTable('account_heads')
    .set({
      sequence: parameter('sequence'),
      newest_id: parameter('newestId'),
      listing_count: sql`listing_count + ${parameter('listings')}`,
      stored_bytes: sql`stored_bytes + ${parameter('bytes')}`,
    })
    .where('account_id', '=', parameter('accountId')),
);

/**
 * Returns the new sequence. The account is locked, so the sequence that was read with the account is still current:
 * reading it again would cost another statement and, on PostgreSQL, another round trip.
 */
export async function advanceSequence(executor: Executor, account: AccountHead, growth: Growth): Promise<number> {
  account.sequence += 1;
  const { id: accountId, sequence, newestId } = account;
  await executor.execute(advance, { accountId, sequence, newestId, ...growth });
  return account.sequence;
}

/** Like `advanceSequence`, but for several changes. @returns the sequence before the first of them */
export async function advanceSequenceBy(
  executor: Executor,
  account: AccountHead,
  { changes, ...growth }: Growth & { changes: number },
): Promise<number> {
  const before = account.sequence;
  account.sequence += changes;
  const { id: accountId, sequence, newestId } = account;
  await executor.execute(advance, { accountId, sequence, newestId, ...growth });
  return before;
}

export const subtractBytes = command(
  ['accountId', 'bytes'],
  (query, parameter: Parameter<{ accountId: string; bytes: number }>) =>
    query
      .updateTable('account_heads')
      .set({ stored_bytes: sql`stored_bytes - ${parameter('bytes')}` })
      .where('account_id', '=', parameter('accountId')),
);

/** Accounts per statement. The statement has this many parameters; unused ones are bound to empty ids. */
const IDS_LENGTH = 100;
const ID_NAMES = Array.from({ length: IDS_LENGTH }, (_, index) => `id${index}`);

const selectSequences = statement<Record<string, string>, { accountId: string; sequence: number }>((query, parameter) =>
  query
    .selectFrom('account_heads')
    .select(['account_id as accountId', 'sequence'])
    .where('account_id', 'in', ID_NAMES.map(parameter))
    .where('suspended_for', 'is', null),
);

/** The sequences of these accounts, except accounts that do not exist or are suspended. */
export async function findSequences(executor: Executor, accountIds: string[]): Promise<Map<string, number>> {
  const sequences = new Map<string, number>();
  for (let start = 0; start < accountIds.length; start += IDS_LENGTH) {
    const ids = Object.fromEntries(ID_NAMES.map((name, index) => [name, accountIds[start + index] ?? '']));
    const rows = await executor.execute(selectSequences, ids);
    for (const { accountId, sequence } of rows) sequences.set(accountId, sequence);
  }
  return sequences;
}

const selectCount = findRow('account_heads', ['accountId'], ['listingCount']);

export async function findListingCount(executor: Executor, accountId: string): Promise<number> {
  return (await selectCount(executor, accountId))?.listingCount ?? 0;
}
