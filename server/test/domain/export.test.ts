import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addFeed,
  addInvitation,
  addKey,
  addMember,
  addWebhook,
  createWorld,
  logRequest,
  SESSION_GATE,
  sendJson,
  useKey,
  type World,
} from '../../../testkit/src/calls.ts';
import { ENGINE } from '../../../testkit/src/database.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { exportAccount, exportPerson } from '../../src/domain/export.ts';
import { COPIED_TABLES } from '../../src/storage/copy.ts';
import type { ExportedRow } from '../../src/storage/export.ts';

const service = await startSharedService({ requestLog: { days: 7, bytes: 1e9 } });
const { database, sql } = service;

/** Tables that are not exported: those whose data exported tables have in another form, and people's sessions. */
const DERIVED = [
  'account_numbers',
  'listing_counts',
  'listing_facets',
  'listing_words',
  'sessions',
  'unindexed_listings',
];
const SECRET_COLUMNS = {
  api_keys: ['hash'],
  invitations: ['hash', 'mailed_hash'],
  sessions: ['token'],
  credentials: ['password'],
  webhooks: ['secret'],
};

/** An account with a row in most tables. */
async function createFullWorld(): Promise<World> {
  const world = await createWorld(service, SESSION_GATE, { address: '12 Elm Street', beds: 3, baths: 2 });
  const path = `/listings/${world.ids.id}`;
  assert.equal((await sendJson(world, 'PATCH', path, { beds: 4 }, { 'Idempotency-Key': 'first' })).status, 200);
  const userId = world.ids.memberId;
  for (const add of [addKey, addMember, addInvitation, addFeed, addWebhook, useKey, logRequest]) await add(world);
  return { ...world, ids: { ...world.ids, userId: userId ?? '' } };
}

async function collect(rows: AsyncIterable<ExportedRow>) {
  const all = await Array.fromAsync(rows);
  return { all, of: (table: string) => all.filter((row) => row.table === table).map(({ data }) => data) };
}

async function assertNoSecrets(rows: ExportedRow[]): Promise<void> {
  const text = JSON.stringify(rows);
  for (const [table, columns] of Object.entries(SECRET_COLUMNS)) {
    for (const row of await sql(`select * from ${table}`))
      for (const column of columns) assert.ok(!text.includes(String(row[column])), `${table}.${column}`);
  }
}

test('an export has everything of the account, nothing of others, and no secrets', async () => {
  const world = await createFullWorld();
  const other = await createFullWorld();
  await sql("update feeds set last_columns = '[{}]' where account_id = ?", world.accountId);
  const { all, of } = await collect(exportAccount(database, world.accountId));

  const unparsed = all.flatMap(({ table, data }) =>
    Object.entries(data).flatMap(([name, value]) =>
      typeof value === 'string' && /^[[{]/.test(value) ? [`${table}.${name}`] : [],
    ),
  );
  assert.deepEqual(unparsed, ['requests.errorBody']);
  assert.deepEqual(
    of('accounts').map(({ id, name, currency }) => [id, name, currency]),
    [[world.accountId, 'Hill Country Homes', 'USD']],
  );
  const listing = of('listings').find(({ id }) => id === world.ids.id);
  assert.equal(Object(listing?.doc).beds, 4);
  assert.equal(Object(listing?.actor).id, world.ids.userId);
  const former = of('listing_history').find(({ listingId }) => listingId === world.ids.id);
  assert.equal(Object(former?.doc).beds, 3);
  const events = of('events').map(({ sequence }) => sequence);
  assert.deepEqual(
    events,
    [...events.keys()].map((index) => index + 1),
  );
  assert.equal(of('users').length, 2);
  assert.equal(of('memberships').length, 2);
  assert.match(String(of('memberships')[0]?.createdAt), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.deepEqual(
    of('invitations').map(({ email }) => email),
    ['grace@example.com'],
  );
  assert.equal(of('webhooks')[0]?.url, 'https://example.com/webhooks');
  assert.ok(of('requests').some(({ path, query, code }) => path === '/v1/listings' && query === 'limit=0' && code));

  const text = JSON.stringify(all);
  for (const id of [other.accountId, other.ids.id ?? '', other.ids.userId ?? '']) assert.ok(!text.includes(id));
  await assertNoSecrets(all);
  await assert.rejects(collect(exportAccount(database, 'acc_none')), { code: 'not_found' });
});

test('every table with data of accounts is exported, or derived from those that are', async () => {
  const query =
    ENGINE === 'sqlite'
      ? `select m.name from sqlite_master m join pragma_table_info(m.name) c where m.type = 'table' and c.name = 'account_id'`
      : `select table_name as name from information_schema.columns where column_name = 'account_id' and table_schema = 'public'`;
  const stored = (await sql(query)).map(({ name }) => String(name));
  const exported = COPIED_TABLES.filter(({ key }) => key.includes('account_id')).map(({ name }) => String(name));
  const known = [...exported, 'api_keys', 'request_blocks', ...DERIVED];
  assert.ok(stored.length > 10);
  assert.deepEqual(
    stored.filter((name) => !known.includes(name)),
    [],
  );
});

test('an export of a person has their data in all accounts, and the changes that they made', async () => {
  const world = await createFullWorld();
  const other = await createFullWorld();
  const { userId = '' } = world.ids;
  assert.equal((await sendJson(world, 'POST', '/views', { name: 'Cheap', search: 'sort=listPrice' })).status, 200);
  const [user] = await sql('select email from users where id = ?', userId);
  const { all, of } = await collect(exportPerson(database, String(user?.email).toUpperCase()));
  assert.deepEqual(
    of('users').map(({ id }) => id),
    [userId],
  );
  assert.equal(of('sessions').length, 1);
  assert.deepEqual(
    of('memberships').map(({ accountId }) => accountId),
    [world.accountId],
  );
  assert.deepEqual(
    of('invitations').map(({ inviterId }) => inviterId),
    [userId],
  );
  assert.deepEqual(
    of('saved_views').map(({ name, search }) => [name, search]),
    [['Cheap', 'sort=listPrice']],
  );
  assert.deepEqual(
    of('api_keys').map(({ id }) => id),
    [world.ids.keyId],
  );
  assert.ok(of('audit_log').length > 3);
  const changed = [...of('listings').map(({ id }) => id), ...of('listing_history').map(({ listingId }) => listingId)];
  assert.deepEqual(changed, [world.ids.id, world.ids.id]);
  assert.ok(!JSON.stringify(all).includes(other.ids.userId ?? ''));
  await assertNoSecrets(all);

  const invited = await collect(exportPerson(database, 'grace@example.com'));
  assert.ok(invited.of('invitations').length >= 2);
  await assert.rejects(collect(exportPerson(database, 'nobody@example.com')), { code: 'not_found' });
});
