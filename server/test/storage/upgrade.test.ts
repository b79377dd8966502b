import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createDatabase, ENGINE } from '../../../testkit/src/database.ts';
import { directoryFor } from '../../../testkit/src/serving.ts';
import { updateListing } from '../../src/domain/listings.ts';
import { NEWEST_FIRST } from '../../src/model/search.ts';
import { findAccountHead } from '../../src/storage/accounts.ts';
import { findKeyPrincipal } from '../../src/storage/api-keys.ts';
import { findEvents } from '../../src/storage/events.ts';
import { findListing } from '../../src/storage/listings.ts';
import { MIGRATIONS } from '../../src/storage/migrations.ts';
import { openDatabase } from '../../src/storage/open.ts';

const FIRST_EDITION = 5;
const TIMES = { createdAt: '2026-01-31T09:00:00.000Z', updatedAt: '2026-01-31T09:00:00.000Z' };
const listing = (id: string, version: number, address: string) =>
  JSON.stringify({ id, address, beds: 3, baths: 2, status: 'active', version, ...TIMES });
const [OLD, NEW] = [listing('lst_1', 1, '12 Elm Street'), listing('lst_1', 2, 'Straße der Jugend 1')];

/** The rows of a database of the first edition. */
const ROWS = `
  insert into database_info (id, epoch, cursor_secret, created_at) values (1, 'aaaaaaaa', 'secret', 1);
  insert into accounts (id, name, currency, area_units, created_at) values ('acc_1', 'Ada', 'USD', 'sqft', 1), ('acc_2', 'Bob', 'USD', 'sqft', 1);
  insert into account_heads (account_id, sequence, listing_count) values ('acc_1', 2, 1), ('acc_2', 0, 0);
  insert into listings (account_id, id, version, sequence, doc) values ('acc_1', 'lst_1', 2, 2, '${NEW}');
  insert into listing_facets (account_id, id, status, beds, baths, created_at, updated_at, search_row)
    values ('acc_1', 'lst_1', 'active', 3, 2, '${TIMES.createdAt}', '${TIMES.updatedAt}', 1);
  insert into events (account_id, sequence, type, listing_id, changed, created_at, doc) values
    ('acc_1', 1, 'listing.created', 'lst_1', null, 1, '${OLD}'), ('acc_1', 2, 'listing.updated', 'lst_1', '["address"]', 2, null);
  insert into api_keys (hash, id, account_id, name, access, start, created_at) values ('hash', 'key_1', 'acc_1', 'Website', 'full', 'plk_1234', 1);
`;

async function firstEditionFor(t: TestContext) {
  const { url, script, drop } = await createDatabase(await directoryFor(t));
  t.after(drop);
  for (const migration of MIGRATIONS.slice(0, FIRST_EDITION)) await script(migration[ENGINE]);
  await script(ROWS);
  const version = `create table schema_version (version integer not null); insert into schema_version values (${FIRST_EDITION})`;
  await script(ENGINE === 'sqlite' ? `pragma user_version = ${FIRST_EDITION}` : version);
  return openDatabase(url);
}

test("a database of the first edition keeps its data, and each account's storage is counted", async (t) => {
  await using database = await firstEditionFor(t).then((opened) => ({
    ...opened,
    [Symbol.asyncDispose]: () => opened.close(),
  }));
  assert.equal((await findListing(database, 'acc_1', 'lst_1'))?.doc, NEW);
  assert.deepEqual(
    (await findEvents(database, 'acc_1', 0, { limit: 10, bytesMax: 1e6 })).rows.map(({ doc }) => doc),
    [OLD, NEW],
  );
  const principal = await findKeyPrincipal(database, 'hash');
  assert.deepEqual([principal?.keyId, principal?.sequence, principal?.suspendedFor], ['key_1', 2, null]);
  const ada = await findAccountHead(database, 'acc_1');
  assert.deepEqual([ada?.listingsMax, ada?.bytesMax], [null, null]);
  assert.equal(ada?.storedBytes, Buffer.byteLength(OLD) + Buffer.byteLength(NEW));
  assert.equal((await findAccountHead(database, 'acc_2'))?.storedBytes, 0);
  assert.deepEqual([ada?.newestId, (await findAccountHead(database, 'acc_2'))?.newestId], ['lst_1', '']);

  const find = async (accountId: string, word: string) => {
    const search = { conditions: [], box: undefined, circle: undefined, words: [word], order: NEWEST_FIRST };
    const { packs } = await database.search.findPositions(accountId, search, { after: undefined, limit: 10 }, {});
    return packs.flatMap((open) => open()).map(({ id }) => id);
  };
  assert.deepEqual(await find('acc_1', 'jugend'), ['lst_1']);
  assert.deepEqual([await find('acc_1', 'elm'), await find('acc_2', 'jugend')], [[], []]);
  const actor = { accountId: 'acc_1', keyId: 'key_1' };
  await updateListing(database, actor, 'lst_1', (current) => ({ ...current, beds: 4 }));
  assert.equal((await findListing(database, 'acc_1', 'lst_1'))?.version, 3);
});
