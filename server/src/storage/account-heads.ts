import { sql } from 'kysely';
import type { AccountHead } from '../model/accounts.ts';
import { type Executor, statement } from './database.ts';

/** What a change adds to an account. */
export interface Growth {
  /** By how many its number of listings changes. */
  listings: number;
  /** UTF-8 bytes of the listing as it becomes; 0 if it is deleted. */
  bytes: number;
}

/** The version that a change supersedes, and the UTF-8 bytes of its document, which its event keeps unless it is purged. */
export interface Superseded {
  sequence: number;
  bytes: number;
}

type Advance = Growth & { accountId: string; sequence: number };

const advance = statement<Advance>((query, parameter) =>
  query
    .updateTable('account_heads')
    .set({
      sequence: parameter('sequence'),
      listing_count: sql`listing_count + ${parameter('listings')}`,
      stored_bytes: sql`stored_bytes + ${parameter('bytes')}`,
    })
    .where('account_id', '=', parameter('accountId')),
);

type AdvanceOver = Advance & { superseded: number; lost: number };

const advanceOver = statement<AdvanceOver>((query, parameter) =>
  query
    .updateTable('account_heads')
    .set(({ exists, selectFrom }) => ({
      sequence: parameter('sequence'),
      listing_count: sql`listing_count + ${parameter('listings')}`,
      stored_bytes: sql`stored_bytes + ${parameter('bytes')} - case when ${exists(
        selectFrom('events')
          .select('sequence')
          .where('account_id', '=', parameter('accountId'))
          .where('sequence', '=', parameter('superseded')),
      )} then 0 else cast(${parameter('lost')} as bigint) end`,
    }))
    .where('account_id', '=', parameter('accountId')),
);

/**
 * Takes the account's next sequence number, and counts what the change adds and supersedes in the same statement. Nobody else changes
 * the account's listings meanwhile, so the number that was read with it is the last one: to ask for it again would cost a
 * change a statement, and a round trip on PostgreSQL.
 */
export async function advanceSequence(
  executor: Executor,
  account: AccountHead,
  growth: Growth,
  superseded?: Superseded,
): Promise<number> {
  account.sequence += 1;
  const advanced = { accountId: account.id, sequence: account.sequence, ...growth };
  if (superseded === undefined) await executor.execute(advance, advanced);
  else await executor.execute(advanceOver, { ...advanced, superseded: superseded.sequence, lost: superseded.bytes });
  return account.sequence;
}

/** As `advanceSequence`, for so many changes at once. @returns the number before the first of them */
export async function advanceSequenceBy(
  executor: Executor,
  account: AccountHead,
  { changes, ...growth }: Growth & { changes: number },
): Promise<number> {
  const before = account.sequence;
  account.sequence += changes;
  await executor.execute(advance, { accountId: account.id, sequence: account.sequence, ...growth });
  return before;
}

const shrink = statement<{ accountId: string; bytes: number }>((query, parameter) =>
  query
    .updateTable('account_heads')
    .set({ stored_bytes: sql`stored_bytes - ${parameter('bytes')}` })
    .where('account_id', '=', parameter('accountId')),
);

/** Counts documents that are gone, in UTF-8 bytes. */
export async function subtractBytes(executor: Executor, accountId: string, bytes: number): Promise<void> {
  await executor.execute(shrink, { accountId, bytes });
}

/** So many accounts in one statement: its parameters are bound one by one, used or not. */
const IDS_LENGTH = 100;
const ID_NAMES = Array.from({ length: IDS_LENGTH }, (_, index) => `id${index}`);

const selectSequences = statement<Record<string, string>, { accountId: string; sequence: number }>((query, parameter) =>
  query
    .selectFrom('account_heads')
    .select(['account_id as accountId', 'sequence'])
    .where('account_id', 'in', ID_NAMES.map(parameter))
    .where('suspended_for', 'is', null),
);

/** Where each of these accounts stands; one that does not exist, or is suspended, is left out. */
export async function findSequences(executor: Executor, accountIds: string[]): Promise<Map<string, number>> {
  const sequences = new Map<string, number>();
  for (let start = 0; start < accountIds.length; start += IDS_LENGTH) {
    const ids = Object.fromEntries(ID_NAMES.map((name, index) => [name, accountIds[start + index] ?? '']));
    const rows = await executor.execute(selectSequences, ids);
    for (const { accountId, sequence } of rows) sequences.set(accountId, sequence);
  }
  return sequences;
}

const selectCount = statement<{ accountId: string }, { listings: number }>((query, parameter) =>
  query
    .selectFrom('account_heads')
    .select('listing_count as listings')
    .where('account_id', '=', parameter('accountId')),
);

/** How many listings an account has. */
export async function findListingCount(executor: Executor, accountId: string): Promise<number> {
  const [head] = await executor.execute(selectCount, { accountId });
  return head?.listings ?? 0;
}
