import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Cleanup, defer } from '../../../testkit/src/cleanup.ts';
import { createDatabase } from '../../../testkit/src/database.ts';
import { createDirectory } from '../../../testkit/src/service.ts';
import { createAccount } from '../../src/domain/accounts/accounts.ts';
import { createListing } from '../../src/domain/listings/listings.ts';
import type { ListingInput } from '../../src/model/listings.ts';
import { type Database, type Statement, statement } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';

/** Waits for turns of the event loop after the caller's own, in which a timer might still fire. */
export async function otherTurns(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

type Nothing = Record<never, never>;

/** A statement with this SQL text. */
export function words<R = never>(text: string): Statement<Nothing, R> {
  return statement<Nothing, R>((query) => ({ compile: () => sql<R>`${sql.raw(text)}`.compile(query) }));
}

/** A new database with one account, removed after the test (or the file, with `{ after }`). */
export async function databaseFor(t: Cleanup) {
  const directory = await createDirectory();
  const { url, sql: ask, script, accountKey, drop } = await createDatabase(directory);
  const database = await openDatabase(url);
  defer(t, async () => {
    await database.close();
    await drop();
    await rm(directory, { recursive: true, force: true });
  });
  const account = await createAccount(database, 'Hill Country Homes');
  return { database, url, sql: ask, script, accountKey, path: join(directory, 'listings.db'), accountId: account.id };
}

/** Creates a listing without HTTP. */
export async function create(database: Database, accountId: string, fields: Partial<ListingInput> = {}) {
  const input = { address: '12 Elm Street', beds: 3, baths: 2, ...fields };
  const { outcome } = await createListing(database, { accountId }, input);
  return outcome;
}

/** The IDs of all accounts' listings. */
export async function storedIds(database: Database): Promise<string[]> {
  const rows = await database.execute(words<{ id: string }>('select id from listings order by id'), {});
  return rows.map(({ id }) => id);
}

const sequenceOf = statement<{ accountId: string }, { sequence: number }>((query, parameter) =>
  query.selectFrom('account_heads').select('sequence').where('account_id', '=', parameter('accountId')),
);

/** The account's sequence. */
export async function storedSequence(database: Database, accountId: string): Promise<number | undefined> {
  const [head] = await database.execute(sequenceOf, { accountId });
  return head?.sequence;
}
