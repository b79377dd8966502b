import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { Browser, createPerson, PASSWORD } from '../../../testkit/src/browser.ts';
import { createPostgresDatabase } from '../../../testkit/src/database.ts';
import { spawnService } from '../../../testkit/src/process.ts';
import { readError, readListing } from '../../../testkit/src/replies.ts';
import { createDirectory } from '../../../testkit/src/service.ts';
import { isRunning } from '../../../testkit/src/serving.ts';
import { createAccount } from '../../src/domain/accounts/accounts.ts';
import { issueApiKey } from '../../src/domain/keys/api-keys.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { assertAllStored, LISTING } from './support.ts';

const stored = await createPostgresDatabase();
const database = await openDatabase(stored.url);
const settings = { DATABASE_URL: stored.url, DATA_DIR: await createDirectory(), RATE_LIMIT: 'off' };
const [one, other] = await Promise.all([spawnService(settings), spawnService(settings)]);
after(async () => {
  assert.deepEqual(await Promise.all([one.end(), other.end()]), [0, 0]);
  await database.close();
  await stored.drop();
});

async function createTenant() {
  const { id: accountId } = await createAccount(database, 'Hill Country Homes');
  const asked = { accountId, name: 'Website', access: 'full', expiresAt: null, createdBy: null } as const;
  const { key, secret } = await issueApiKey(database, asked);
  return { accountId, keyId: key.id, key: secret };
}

function send(
  { url }: { url: string },
  { key }: { key: string },
  method: string,
  path: string,
  body?: string,
  given: Record<string, string> = {},
): Promise<Response> {
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const headers = { Authorization: `Bearer ${key}`, ...type, ...given };
  return fetch(`${url}/v1${path}`, { method, headers, body: body ?? null });
}

/** Calls `ask` several times at once for both processes. */
function fromBoth(ask: (service: { url: string }, index: number) => Promise<Response>): Promise<Response[]> {
  return Promise.all(Array.from({ length: 12 }, (_, index) => ask(index % 2 === 0 ? one : other, index)));
}

const withExternalId = (beds: number) => JSON.stringify({ ...JSON.parse(LISTING), beds, externalId: 'MLS-1' });

test('after one process deletes a key, the other rejects its next request', async () => {
  const person = await createPerson({ database });
  const browser = new Browser(one);
  await browser.ask('POST', '/admin/auth/sign-in/email', { email: person.email, password: PASSWORD });
  for (let round = 0; round < 10; round += 1) {
    const { id, key } = await browser.ask('POST', '/admin/api-keys', { name: 'Website' }, 201);
    assert.equal((await send(other, { key }, 'GET', '/me')).status, 200);
    await browser.ask('DELETE', `/admin/api-keys/${id}`, undefined, 204);
    assert.equal((await send(other, { key }, 'GET', '/me')).status, 401);
    assert.equal((await send(other, { key }, 'POST', '/listings', LISTING)).status, 401);
  }
});

test('events of one process wake a long poll in the other within a second', async () => {
  const tenant = await createTenant();
  const durationsMs: number[] = [];
  for (let after = 0; after < 5; after += 1) {
    const held = send(other, tenant, 'GET', `/events?after=${after}&wait=60`);
    const { id } = await readListing(await send(one, tenant, 'POST', '/listings', LISTING), 201);
    const startTimeMs = performance.now();
    const events = Object(await (await held).json());
    durationsMs.push(performance.now() - startTimeMs);
    assert.deepEqual([events.data.length, events.data[0].listingId, events.nextAfter], [1, id, after + 1]);
  }
  assert.ok(Math.min(...durationsMs) < 1_000, `after ${durationsMs} ms`);
});

test('of concurrent creates with one externalId in two processes, one succeeds, and the others’ errors name its ID', async () => {
  const tenant = await createTenant();
  const replies = await fromBoth((service) => send(service, tenant, 'POST', '/listings', withExternalId(3)));
  const winners = replies.filter(({ status }) => status === 201);
  assert.equal(winners.length, 1);
  const [winner] = await Promise.all(winners.map((reply) => readListing(reply, 201)));
  for (const reply of replies.filter(({ status }) => status !== 201)) {
    assert.equal((await readError(reply, 409, 'external_id_taken')).listingId, winner?.id);
  }
  await assertAllStored(stored, tenant.accountId, [String(winner?.id)]);
});

test('of concurrent upserts in two processes, one creates and the others replace, each with its own sequence', async () => {
  const tenant = await createTenant();
  const put = (service: { url: string }, index: number) =>
    send(service, tenant, 'PUT', '/listings/external/MLS-1', withExternalId(index));
  const replies = await fromBoth(put);
  const statuses = replies.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [...Array(11).fill(200), 201]);
  const listings = await Promise.all(replies.map((reply) => readListing(reply, reply.status)));
  assert.equal(new Set(listings.map(({ id }) => id)).size, 1);
  const versions = listings.map(({ version }) => version).sort((first, second) => first - second);
  assert.deepEqual(
    versions,
    Array.from({ length: 12 }, (_, index) => index + 1),
  );
  const events = await stored.sql('select sequence from events where account_id = ? order by 1', tenant.accountId);
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    versions,
  );
});

test('of concurrent changes to one version in two processes, exactly one succeeds', async () => {
  const tenant = await createTenant();
  const { id } = await readListing(await send(one, tenant, 'POST', '/listings', LISTING), 201);
  const replies = await fromBoth((service, index) =>
    send(service, tenant, 'PATCH', `/listings/${id}`, JSON.stringify({ beds: 10 + index }), { 'If-Match': '"1"' }),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, ...Array(11).fill(412)]);
});

test('two processes execute a request with one Idempotency-Key once', async () => {
  const tenant = await createTenant();
  const retry = { 'Idempotency-Key': 'once' };
  const replies = await fromBoth((service) => send(service, tenant, 'POST', '/listings', LISTING, retry));
  const listings = await Promise.all(replies.map((reply) => readListing(reply, 201)));
  assert.equal(new Set(listings.map(({ id }) => id)).size, 1);
  const replayed = replies.filter(({ headers }) => headers.get('idempotent-replayed') === 'true');
  assert.equal(replayed.length, replies.length - 1);
  await assertAllStored(
    stored,
    tenant.accountId,
    listings.map(({ id }) => id),
  );
});

test('concurrent creates in two processes leave a sequence without gaps or duplicates', async () => {
  const tenant = await createTenant();
  const created: string[] = [];
  for (let round = 0; round < 10; round += 1) {
    const replies = await fromBoth((service) => send(service, tenant, 'POST', '/listings', LISTING));
    for (const reply of replies) created.push((await readListing(reply, 201)).id);
  }
  assert.equal(new Set(created).size, created.length);
  await assertAllStored(stored, tenant.accountId, created);
});

test('neither process has exited', (t: TestContext) => {
  for (const { child, stderr } of [one, other]) assert.ok(isRunning(Number(child.pid)), stderr());
  t.diagnostic('both run');
});
