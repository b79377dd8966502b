import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { defer } from '../../../testkit/src/cleanup.ts';
import { createDatabase, ENGINE } from '../../../testkit/src/database.ts';
import { findFreePort } from '../../../testkit/src/ports.ts';
import { environment, PROGRAM } from '../../../testkit/src/process.ts';
import { directoryFor, spawnFor } from '../../../testkit/src/serving.ts';
import { until } from '../../../testkit/src/until.ts';
import { updateListing } from '../../src/domain/listings/listings.ts';
import { countBytes, VERSION_BYTES } from '../../src/model/history.ts';
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
const GONE = listing('lst_2', 1, '7 Oak Lane').replace('"address"', '"externalId":"MLS-2","address"');

/** The rows of a database of the first edition. */
const ROWS = `
  insert into database_info (id, epoch, cursor_secret, created_at) values (1, 'aaaaaaaa', 'secret', 1);
  insert into accounts (id, name, currency, area_units, created_at) values ('acc_1', 'Ada', 'USD', 'sqft', 1), ('acc_2', 'Bob', 'USD', 'sqft', 1);
  insert into account_heads (account_id, sequence, listing_count) values ('acc_1', 4, 1), ('acc_2', 0, 0);
  insert into listings (account_id, id, version, sequence, doc) values ('acc_1', 'lst_1', 2, 2, '${NEW}');
  insert into listing_facets (account_id, id, status, beds, baths, created_at, updated_at, search_row)
    values ('acc_1', 'lst_1', 'active', 3, 2, '${TIMES.createdAt}', '${TIMES.updatedAt}', 1);
  insert into events (account_id, sequence, type, listing_id, changed, created_at, doc) values
    ('acc_1', 1, 'listing.created', 'lst_1', null, 1, '${OLD}'), ('acc_1', 2, 'listing.updated', 'lst_1', '["address"]', 2, null),
    ('acc_1', 3, 'listing.created', 'lst_2', null, 3, '${GONE}'), ('acc_1', 4, 'listing.deleted', 'lst_2', null, 4, null);
  insert into api_keys (hash, id, account_id, name, access, start, created_at) values ('hash', 'key_1', 'acc_1', 'Website', 'full', 'plk_1234', 1);
`;

/** The URL of a database of the first edition. */
async function firstEditionFor(t: TestContext, rows = ROWS): Promise<string> {
  const { url, script, drop } = await createDatabase(await directoryFor(t));
  defer(t, drop);
  for (const migration of MIGRATIONS.slice(0, FIRST_EDITION)) await script(migration[ENGINE]);
  await script(rows);
  const version = `create table schema_version (version integer not null); insert into schema_version values (${FIRST_EDITION})`;
  await script(ENGINE === 'sqlite' ? `pragma user_version = ${FIRST_EDITION}` : version);
  return url;
}

test("a database of the first edition keeps its data, and each account's storage is counted", async (t) => {
  const database = await openDatabase(await firstEditionFor(t));
  defer(t, () => database.close());
  assert.equal((await findListing(database, 'acc_1', 'lst_1'))?.doc, NEW);
  assert.deepEqual(
    (await findEvents(database, 'acc_1', 0, { limit: 10, bytesMax: 1e6 })).rows.map(({ doc }) => doc),
    [OLD, NEW, GONE, null],
  );
  const principal = await findKeyPrincipal(database, 'hash');
  assert.deepEqual([principal?.keyId, principal?.sequence, principal?.suspendedFor], ['key_1', 4, null]);
  const ada = await findAccountHead(database, 'acc_1');
  assert.deepEqual([ada?.listingsMax, ada?.bytesMax], [null, null]);
  const changes = '{"address":{"changed":true}}';
  const [oldBytes, newBytes] = [countBytes(OLD, null), countBytes(NEW, changes)];
  const deletedBytes = countBytes(GONE, null) + VERSION_BYTES;
  assert.equal(ada?.storedBytes, oldBytes + newBytes + deletedBytes);
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
  await updateListing(database, actor, { id: 'lst_1' }, (current) => ({ ...current, beds: 4 }));
  assert.equal((await findListing(database, 'acc_1', 'lst_1'))?.version, 3);
});

/** Enough that the migration takes at least a second. */
const MANY = ENGINE === 'sqlite' ? 90_000 : 20_000;
const MANY_ROWS = `
  insert into listings (account_id, id, version, sequence, doc)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${MANY})
    select 'acc_2', 'lst_' || (100000 + n), 1, 0, replace('${NEW}', '"id":"lst_1"', '"id":"lst_' || (100000 + n) || '"')
    from numbers;
`;

for (const WORKERS of ['', '2']) {
  test(`WORKERS=${WORKERS}: SIGTERM stops a service that migrates its database, and no data is lost`, async (t) => {
    const DATABASE_URL = await firstEditionFor(t, ROWS + MANY_ROWS);
    const settings = environment({ DATABASE_URL, PORT: '0', WORKERS });
    const { child, output, closed } = spawnFor(t, process.execPath, [PROGRAM, 'serve'], settings);
    await until('it migrates', () => output.stdout.includes('migrating the database'));
    child.kill('SIGTERM');
    assert.equal(await closed, 0);
    assert.ok(!output.stdout.includes('"msg":"listening"'), output.stdout);
    const database = await openDatabase(DATABASE_URL);
    defer(t, () => database.close());
    assert.equal((await findListing(database, 'acc_1', 'lst_1'))?.doc, NEW);
  });
}

test('while a large database is migrated, the service is live but not ready, and reports its progress', async (t) => {
  const databaseUrl = await firstEditionFor(t, ROWS + MANY_ROWS);
  const port = String(await findFreePort());
  const url = `http://127.0.0.1:${port}`;
  const { output } = spawnFor(
    t,
    process.execPath,
    [PROGRAM, 'serve'],
    environment({ DATABASE_URL: databaseUrl, PORT: port }),
  );
  const ask = async (path: string) => {
    const response = await fetch(url + path).catch(() => undefined);
    return response && { status: response.status, text: await response.text() };
  };
  await until('the service answers', async () => (await ask('/readyz')) !== undefined);
  const migrating = /The service is migrating the database: [\d,]+ of \d0,00\d listings(, about \d+ s left)?; send/;
  assert.match((await ask('/readyz'))?.text ?? '', migrating);
  assert.deepEqual([(await ask('/readyz'))?.status, (await ask('/livez'))?.status], [503, 200]);
  await until('the service is ready', async () => (await ask('/readyz'))?.status === 200, 120_000);
  assert.match(output.stdout, /"msg":"migrating the database: [\d,]+ of \d0,00\d listings/);
});
