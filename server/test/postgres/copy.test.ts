import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { defer } from '../../../testkit/src/cleanup.ts';
import { createPostgresDatabase } from '../../../testkit/src/database.ts';
import { proxyFor } from '../../../testkit/src/postgres-proxy.ts';
import { createTenantByCommand, runCommand, runCommandWarm, spawnService } from '../../../testkit/src/process.ts';
import { directoryFor } from '../../../testkit/src/serving.ts';
import { OPERATOR } from '../../src/domain/access/audit.ts';
import { createAccount } from '../../src/domain/accounts/accounts.ts';
import { createAdministrator } from '../../src/domain/accounts/administrators.ts';
import { invite } from '../../src/domain/accounts/invitations.ts';
import { copyDatabase } from '../../src/domain/copy.ts';
import { issueApiKey } from '../../src/domain/keys/api-keys.ts';
import { createListing, deleteListing } from '../../src/domain/listings/listings.ts';
import type { Database } from '../../src/storage/database.ts';
import { getCursorSecret } from '../../src/storage/database-info.ts';
import { openDatabase } from '../../src/storage/open.ts';

const ignoreProgress = () => {};

async function openFor(t: TestContext, url: string): Promise<Database> {
  const database = await openDatabase(url);
  defer(t, () => database.close());
  return database;
}

async function sqliteFor(t: TestContext): Promise<string> {
  return `file:${join(await directoryFor(t), 'listings.db')}`;
}

async function postgresFor(t: TestContext): Promise<string> {
  const { url, drop } = await createPostgresDatabase();
  defer(t, drop);
  return url;
}

const input = (index: number) => ({
  address: `${index} Elm Straße`,
  beds: index % 7,
  baths: 2,
  listPrice: 0.5 + index * 1000,
  description: index % 3 === 0 ? 'A garden with a pool.\n'.repeat(1 + (index % 50)) : 'ﬁne ½ 😀',
  externalId: `MLS-${index}`,
});

/** Adds rows to most tables. */
async function fill(database: Database, count: number): Promise<string> {
  const { id: accountId } = await createAccount(database, 'Hill Country Homes');
  await createAccount(database, 'Second');
  await issueApiKey(database, { accountId, name: 'Website', access: 'full', expiresAt: null, createdBy: null });
  const person = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery staple' };
  await createAdministrator(database, accountId, person, 'administrator', OPERATOR);
  await invite(database, accountId, { email: 'guest@example.com', role: 'member' }, 'operator');
  const idempotency = { key: 'once', fingerprint: 'f' };
  await createListing(database, { accountId }, input(1_000_000), { idempotency });
  const indexes = Array.from({ length: count }, (_, index) => index);
  const created = await Promise.all(indexes.map((index) => createListing(database, { accountId }, input(index))));
  for (const { outcome } of created.slice(0, 5)) await deleteListing(database, { accountId }, { id: outcome.id });
  return accountId;
}

for (const [from, to] of [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
] as const) {
  test(`everything is copied from ${from} to ${to}, and compared`, async (t) => {
    const make = { sqlite: sqliteFor, postgres: postgresFor };
    const [original, copy] = [await openFor(t, await make[from](t)), await openFor(t, await make[to](t))];
    await fill(original, 450);
    const report = await copyDatabase(original, copy, ignoreProgress);
    const rows = Object.fromEntries(Object.entries(report).map(([name, table]) => [name, table.rows]));
    assert.equal(rows.listings, 446);
    assert.equal(rows.events, 456);
    assert.deepEqual(
      [rows.accounts, rows.api_keys, rows.users, rows.memberships, rows.invitations, rows.idempotency_keys],
      [2, 1, 1, 1, 1, 1],
    );
    await assert.rejects(copyDatabase(original, copy, ignoreProgress), { code: 'conflict', message: /is not empty/ });
  });
}

test('an interrupted copy is not served, and resumes where it stopped', async (t) => {
  const [original, copy] = [await openFor(t, await sqliteFor(t)), await openFor(t, await postgresFor(t))];
  await fill(original, 900);
  const breakOff = (_step: string, table: string, rows: number) => {
    if (table === 'listings' && rows >= 400) throw new Error('the plug is pulled');
  };
  await assert.rejects(copyDatabase(original, copy, breakOff), /plug/);
  await assert.rejects(getCursorSecret(copy), { code: 'conflict', message: /unfinished copy/ });
  let copiedNow = 0;
  const report = await copyDatabase(original, copy, (step, table, rows) => {
    if (step === 'copied' && table === 'listings') copiedNow = rows;
  });
  assert.equal(report.listings?.rows, 896);
  assert.equal(copiedNow, 496, 'rows already copied are not copied again');
  assert.equal(await getCursorSecret(copy), await getCursorSecret(original));
});

test('a copy that lost its server says how to resume, and until then commands reject the database', async (t) => {
  const from = await sqliteFor(t);
  const accountId = await fill(await openFor(t, from), 900);
  const { url, sql, drop } = await createPostgresDatabase();
  defer(t, drop);
  const proxy = await proxyFor(t, url);
  let inserted = 0;
  proxy.judge = (_type, text) => {
    if (text.includes('insert into "listings"')) inserted += 1;
    return text === 'commit\0' && inserted > 300 ? 'cut' : 'forward';
  };
  const broken = await runCommandWarm(['copy', '--from', from], { COPY_TO_URL: proxy.url });
  assert.equal(broken.code, 1);
  assert.match(
    broken.stderr,
    /^error: The connection to a database was lost\. Run the same "copy" command again to resume/m,
  );
  const settings = { DATABASE_URL: url, DATA_DIR: await directoryFor(t), PORT: '0' };
  for (const args of [
    ['accounts', 'list'],
    ['keys', 'create', '--account', accountId, '--name', 'New'],
    ['migrate'],
    ['serve'],
  ]) {
    const { code, stdout, stderr } = await runCommand(args, settings);
    assert.deepEqual([code, stdout], [1, ''], args.join(' '));
    assert.match(stderr, /^error: The database is an unfinished copy; run the same "copy" command again\.$/m);
  }
  assert.match(
    (await runCommand(['serve'], { ...settings, WORKERS: '2' })).stderr,
    /unfinished copy; run the same "copy"/,
  );
  assert.equal((await sql('select id from api_keys')).length, 1);

  proxy.judge = () => 'forward';
  const { code, stderr } = await runCommandWarm(['copy', '--from', from], { COPY_TO_URL: proxy.url });
  assert.equal(code, 0, stderr);
  assert.equal((await runCommandWarm(['accounts', 'list'], settings)).code, 0);
});

test('rows that change during a copy are reported, and the copy is not served', async (t) => {
  const [original, copy] = [await openFor(t, await sqliteFor(t)), await openFor(t, await postgresFor(t))];
  const accountId = await fill(original, 30);
  let isChanged = false;
  const change = (step: string, table: string) => {
    if (step !== 'copied' || table !== 'listings' || isChanged) return;
    isChanged = true;
    void createListing(original, { accountId }, input(77_777));
  };
  await assert.rejects(copyDatabase(original, copy, change), {
    code: 'conflict',
    message: /differs.*Stop the service/,
  });
  await assert.rejects(getCursorSecret(copy), { code: 'conflict' });
});

test('a service continues on the copy, with the same keys, list, events, cursors, and words', async (t) => {
  const directory = await directoryFor(t);
  const { key } = await createTenantByCommand({ DATA_DIR: directory });
  const url = await postgresFor(t);
  const ask = async (base: string, path: string, init: RequestInit = {}) => {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    const response = await fetch(base + path, { ...init, headers });
    return { status: response.status, body: await response.text(), etag: response.headers.get('etag') };
  };
  const before = await spawnService({ DATA_DIR: directory });
  defer(t, () => before.child.kill('SIGKILL'));
  for (let index = 0; index < 12; index += 1) {
    const body = JSON.stringify(input(index));
    const created = await ask(before.url, '/v1/listings', { method: 'POST', body });
    assert.equal(created.status, 201, created.body);
  }
  const { nextCursor } = JSON.parse((await ask(before.url, '/v1/listings?limit=5')).body);
  const paths = [
    '/v1/listings',
    `/v1/listings?limit=5&cursor=${nextCursor}`,
    '/v1/events',
    '/v1/listings?q=strasse+po',
  ];
  const replies = await Promise.all(paths.map((path) => ask(before.url, path)));
  assert.equal(await before.end(), 0);

  const from = `file:${join(directory, 'listings.db')}`;
  const { code, stdout, stderr } = await runCommandWarm(['copy', '--from', from, '--json'], { COPY_TO_URL: url });
  assert.equal(code, 0, stderr);
  assert.equal(JSON.parse(stdout).tables.listings.rows, 12);
  assert.doesNotMatch(stderr, /:password@/);
  const after = await spawnService({ DATA_DIR: directory, DATABASE_URL: url });
  defer(t, () => after.child.kill('SIGKILL'));
  assert.deepEqual(await Promise.all(paths.map((path) => ask(after.url, path))), replies);
  assert.equal((await ask(after.url, '/v1/listings', { method: 'POST', body: JSON.stringify(input(0)) })).status, 409);
});

test('a URL with a password is accepted from the environment, but never from the command line', async (t) => {
  const there = `file:${join(await directoryFor(t), 'there.db')}`;
  await (await openDatabase(there)).close();
  for (const url of ['postgres://listings:secret@127.0.0.1:1/x', 'postgres://127.0.0.1:1/x?password=secret']) {
    for (const [args, variable] of [
      [['--from', there, '--to', url], 'COPY_TO_URL'],
      [['--to', there, '--from', url], 'COPY_FROM_URL'],
    ] as const) {
      const { code, stdout, stderr } = await runCommandWarm(['copy', ...args], {});
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, new RegExp(`^error: [^\\n]*password[^\\n]*${variable}[^\\n]*\\n$`));
      assert.doesNotMatch(stderr, /secret/);
    }
  }
  const settings = { COPY_FROM_URL: there, COPY_TO_URL: 'postgres://listings:secret@127.0.0.1:1/x' };
  const twice = await runCommandWarm(['copy', '--from', there], settings);
  assert.match(twice.stderr, /^error: Give --from or COPY_FROM_URL, not both\.$/m);
  const none = await runCommandWarm(['copy', '--from', there], {});
  assert.match(none.stderr, /^error: Give --to file:PATH, or .* in the environment variable COPY_TO_URL\.$/m);
  assert.match((await runCommandWarm(['copy'], settings)).stderr, /127\.0\.0\.1:1/);
});

test('an impossible copy is rejected with an explanation', async (t) => {
  const directory = await directoryFor(t);
  const there = `file:${join(directory, 'there.db')}`;
  await (await openDatabase(there)).close();
  for (const [from, to, words] of [
    [`file:${join(directory, 'missing.db')}`, there, /--from does not name a database/],
    [there, there, /the same database/],
    [there, 'mysql://localhost/x', /--to must be/],
    [there, 'postgres:/ada:secret@127.0.0.1:1/x', /--to must be/],
    ['nonsense', there, /--from must be/],
  ] as const) {
    const { code, stdout, stderr } = await runCommandWarm(['copy', '--from', from, '--to', to, '--json'], {});
    assert.equal(code, 1, from);
    assert.equal(stdout, '');
    assert.match(stderr, words);
    assert.doesNotMatch(stderr, /secret/);
  }
});
