import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Browser, PASSWORD } from '../../../testkit/src/browser.ts';
import { defer } from '../../../testkit/src/cleanup.ts';
import { runCommand } from '../../../testkit/src/process.ts';
import { directoryFor, serveFor } from '../../../testkit/src/serving.ts';
import { until } from '../../../testkit/src/until.ts';
import { createAccount, deleteAccount } from '../../src/domain/accounts/accounts.ts';
import { renewSetupLink } from '../../src/domain/accounts/setup.ts';
import { createListing } from '../../src/domain/listings/listings.ts';
import { AppError } from '../../src/model/errors.ts';
import type { Database } from '../../src/storage/database.ts';
import { insertIdempotencyRecord, removeExpiredRecords } from '../../src/storage/idempotency-records.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { startCreating } from '../support/load.ts';
import { clientFor, databaseFor, LISTING, serviceFor } from './support.ts';

const ACCOUNT_TABLES = [
  'account_heads',
  'api_keys',
  'events',
  'idempotency_keys',
  'listing_facets',
  'listing_history',
  'listings',
];

async function openFor(t: TestContext, url: string): Promise<Database> {
  const database = await openDatabase(url);
  defer(t, () => database.close());
  return database;
}

test('five processes that migrate an empty database at once create one schema with one epoch', async (t) => {
  const { url, sql } = await databaseFor(t);
  const settings = { DATABASE_URL: url, DATA_DIR: await directoryFor(t) };
  const ends = await Promise.all(Array.from({ length: 5 }, () => runCommand(['migrate'], settings)));
  for (const { code, stderr } of ends) {
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^database: .*\n$/);
  }
  assert.equal((await sql('select epoch from database_info')).length, 1);
  assert.equal((await sql('select version from schema_version')).length, 1);
});

test('tables of a newer release are rejected with an explanation and stay unchanged', async (t) => {
  const { url, sql } = await databaseFor(t);
  await (await openDatabase(url)).close();
  await sql('update schema_version set version = 1000');
  const { code, stderr } = await runCommand(['serve'], { DATABASE_URL: url, DATA_DIR: await directoryFor(t) });
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^error: The database postgres:.* has schema version 1000, .* newer release that migrated it, .*\..*\n$/,
  );
  assert.deepEqual(await sql('select version from schema_version'), [{ version: 1000 }]);
});

test('of several users of the setup link in two processes at once, exactly one becomes administrator', async (t) => {
  const database = await databaseFor(t);
  const [one, other] = await Promise.all([
    serveFor(t, { DATABASE_URL: database.url, DATA_DIR: await directoryFor(t) }),
    serveFor(t, { DATABASE_URL: database.url, DATA_DIR: await directoryFor(t) }),
  ]);
  // Each start creates a new link; this is the last one.
  const token = await renewSetupLink(await openFor(t, database.url));
  const replies = await Promise.all(
    Array.from({ length: 6 }, (_, index) => {
      const service = index % 2 === 0 ? one : other;
      const person = { name: 'Ada', email: `ada-${index}@example.com`, password: PASSWORD };
      return new Browser(service).send('POST', '/admin/setup', { token, ...person, accountName: 'Homes' });
    }),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 409, 409, 409, 409, 409]);
  assert.equal((await database.sql('select id from users')).length, 1);
  assert.equal((await database.sql('select id from accounts')).length, 1);
  assert.deepEqual(await database.sql('select hash from setup_links'), []);
  for (const { end } of [one, other]) assert.equal(await end(), 0);
});

test('an account deleted during writes leaves no rows', async (t) => {
  const database = await databaseFor(t);
  const services = [await serviceFor(t, database), await serviceFor(t, database)];
  const [first] = services;
  assert.ok(first !== undefined);
  const tenant = await first.createTenant();
  const loads = services.map(({ url }) => startCreating(url, tenant.key, 3));
  await until('listings are created', () => loads.every(({ created }) => created.length > 20));
  const operator = await openFor(t, database.url);
  await deleteAccount(operator, tenant.accountId);
  for (const load of loads) load.finish();
  await Promise.all(loads.map(({ ended }) => ended));
  assert.deepEqual([...new Set(loads.flatMap(({ refused }) => refused.map(({ status }) => status)))], [401]);
  for (const table of ACCOUNT_TABLES) {
    assert.deepEqual(await database.sql(`select 1 from ${table} where account_id = ?`, tenant.accountId), [], table);
  }
});

test('an account deleted during users’ writes leaves no rows, and later writes get 401', async (t) => {
  const { url, sql } = await databaseFor(t);
  const [operator, ...others] = [await openFor(t, url), await openFor(t, url), await openFor(t, url)];
  for (let round = 0; round < 5; round += 1) {
    const { id: accountId } = await createAccount(operator, 'Hill Country Homes');
    let created = 0;
    const writers = others.map(async (database): Promise<unknown> => {
      try {
        for (;;) {
          await createListing(database, { accountId }, JSON.parse(LISTING));
          created += 1;
        }
      } catch (error) {
        return error;
      }
    });
    await until('listings are created', () => created > 10);
    await deleteAccount(operator, accountId);
    for (const error of await Promise.all(writers)) {
      assert.ok(error instanceof AppError && error.code === 'unauthorized', String(error));
    }
    for (const table of ACCOUNT_TABLES) {
      assert.deepEqual(await sql(`select 1 from ${table} where account_id = ?`, accountId), [], table);
    }
  }
});

test('the purge keeps an expired outcome that is stored again while the purge waits for its row', async (t) => {
  const database = await databaseFor(t);
  const operator = await openFor(t, database.url);
  const { id: accountId } = await createAccount(operator, 'Hill Country Homes');
  const now = Date.now();
  for (const key of ['gone', 'repeated']) {
    const record = { key, fingerprint: key, outcome: '{}', expiresAt: now - 1 };
    await operator.write((transaction) => insertIdempotencyRecord(transaction, accountId, record), accountId);
  }
  const holder = await clientFor(t, database);
  await holder.query('begin');
  await holder.query("update idempotency_keys set expires_at = $1 where key = 'repeated'", [now + 1]);
  const purged = operator.write((transaction) => removeExpiredRecords(transaction, now, 20));
  const lockWaits = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
  await until('the purge waits for the row', async () => (await database.sql(lockWaits)).length === 1);
  await holder.query('commit');
  assert.equal(await purged, 1);
  assert.deepEqual(await database.sql('select key from idempotency_keys'), [{ key: 'repeated' }]);
});
