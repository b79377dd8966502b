import { sql } from 'kysely';
import type { AccountHead } from '../model/accounts.ts';
import { type Session, statement } from './database.ts';

type Advance = { accountId: string; sequence: number; listings: number };

const advance = statement<Advance>((query, parameter) =>
  query
    .updateTable('account_heads')
    .set({
      sequence: parameter('sequence'),
      listing_count: sql`listing_count + ${parameter('listings')}`,
    })
    .where('account_id', '=', parameter('accountId')),
);

/**
 * Takes the account's next sequence number; `listings` is by how many its number of listings changes. Nobody else changes
 * the account's listings meanwhile, so the number that was read with it is the last one: to ask for it again would cost a
 * change a statement, and a round trip on PostgreSQL.
 */
export async function advanceSequence(session: Session, account: AccountHead, listings: number): Promise<number> {
  account.sequence += 1;
  await session.execute(advance, { accountId: account.id, sequence: account.sequence, listings });
  return account.sequence;
}

/** As `advanceSequence`, for so many changes at once. @returns the number before the first of them */
export async function advanceSequenceBy(
  session: Session,
  account: AccountHead,
  { changes, listings }: { changes: number; listings: number },
): Promise<number> {
  const before = account.sequence;
  account.sequence += changes;
  await session.execute(advance, { accountId: account.id, sequence: account.sequence, listings });
  return before;
}

/** So many accounts in one statement: its parameters are bound one by one, used or not. */
const IDS_LENGTH = 100;
const ID_NAMES = Array.from({ length: IDS_LENGTH }, (_, index) => `id${index}`);

const selectSequences = statement<Record<string, string>, { accountId: string; sequence: number }>((query, parameter) =>
  query
    .selectFrom('account_heads')
    .select(['account_id as accountId', 'sequence'])
    .where('account_id', 'in', ID_NAMES.map(parameter)),
);

/** Where each of these accounts stands; one that does not exist is left out. */
export async function findSequences(session: Session, accountIds: string[]): Promise<Map<string, number>> {
  const sequences = new Map<string, number>();
  for (let start = 0; start < accountIds.length; start += IDS_LENGTH) {
    const ids = Object.fromEntries(ID_NAMES.map((name, index) => [name, accountIds[start + index] ?? '']));
    const rows = await session.execute(selectSequences, ids);
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
export async function findListingCount(session: Session, accountId: string): Promise<number> {
  const [head] = await session.execute(selectCount, { accountId });
  return head?.listings ?? 0;
}
