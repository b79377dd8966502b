import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Fate, type PostgresProxy, proxyFor } from '../../../testkit/src/postgres-proxy.ts';
import { readError, readListing } from '../../../testkit/src/replies.ts';
import { assertAllStored, databaseFor, LISTING, serviceFor } from './support.ts';

/** A service whose database connections a test can cut. */
async function startBehindProxy(t: TestContext, poolSize = 10) {
  const database = await databaseFor(t);
  const proxy = await proxyFor(t, database.url);
  const service = await serviceFor(t, database, { url: proxy.url, databasePool: { poolSize } });
  const tenant = await service.createTenant();
  const create = (retryKey?: string) =>
    service.fetch(tenant, '/v1/listings', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(retryKey && { 'Idempotency-Key': retryKey }) },
      body: LISTING,
    });
  return { database, proxy, service, tenant, create };
}

/** Applies a fate to the matching message at `index`. @returns a function that says whether it has arrived */
function arm(proxy: PostgresProxy, fits: (text: string) => boolean, fate: Fate, index = 0): () => boolean {
  let passed = 0;
  let hasCome = false;
  proxy.judge = (_type, text) => {
    if (hasCome || !fits(text)) return 'forward';
    passed += 1;
    hasCome = passed > index;
    return hasCome ? fate : 'forward';
  };
  return () => hasCome;
}

const isCommit = (text: string) => text === 'commit\0';

test('a commit with a lost response is outcome_unknown, and a retry returns the created listing', async (t) => {
  const { database, proxy, tenant, create } = await startBehindProxy(t);
  const hasCome = arm(proxy, isCommit, 'cut answer');
  const refused = await create('once');
  assert.equal(refused.headers.get('retry-after'), null, 'the client can check the outcome at once');
  await readError(refused, 503, 'outcome_unknown');
  assert.ok(hasCome());
  const [stored] = await database.sql('select id from listings');
  const again = await create('once');
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  const { id } = await readListing(again, 201);
  assert.equal(id, stored?.id);
  await assertAllStored(database, tenant.accountId, [id]);
});

test('a commit that never arrived is outcome_unknown, and a retry creates the listing', async (t) => {
  const { database, proxy, tenant, create } = await startBehindProxy(t);
  arm(proxy, isCommit, 'cut');
  await readError(await create('once'), 503, 'outcome_unknown');
  assert.deepEqual(await database.sql('select id from listings'), []);
  const again = await create('once');
  assert.equal(again.headers.get('idempotent-replayed'), null);
  const { id } = await readListing(again, 201);
  await assertAllStored(database, tenant.accountId, [id]);
});

test('all requests of a lost group commit get outcome_unknown, and with retries each is stored once', async (t) => {
  const { database, proxy, tenant, create } = await startBehindProxy(t);
  const hasCome = arm(proxy, isCommit, 'cut answer');
  const keys = Array.from({ length: 20 }, (_, index) => `together-${index}`);
  const first = await Promise.all(keys.map((key) => create(key)));
  assert.ok(hasCome());
  assert.ok(first.some(({ status }) => status === 503));
  for (const response of first) {
    if (response.status === 201) await readListing(response, 201);
    else await readError(response, 503, 'outcome_unknown');
  }
  const again = await Promise.all(keys.map(async (key) => readListing(await create(key), 201)));
  const ids = again.map(({ id }) => id);
  assert.equal(new Set(ids).size, keys.length);
  assert.equal((await database.sql('select id from listings')).length, keys.length);
  await assertAllStored(database, tenant.accountId, ids);
});

test('the service retries a create once, wherever its connection breaks before the commit', async (t) => {
  const { database, proxy, tenant, create } = await startBehindProxy(t);
  const ids: string[] = [];
  let unknown = 0;
  let isCut = true;
  for (let index = 0; isCut; index += 1) {
    const hasCome = arm(proxy, () => true, 'cut', index);
    const response = await create(`cut-${index}`);
    isCut = hasCome();
    if (response.status === 201) {
      ids.push((await readListing(response, 201)).id);
    } else {
      // A message sent together with the commit looks like the commit.
      await readError(response, 503, 'outcome_unknown');
      unknown += 1;
      ids.push((await readListing(await create(`cut-${index}`), 201)).id);
    }
  }
  assert.ok(ids.length > 20 && unknown < ids.length, `${unknown} of ${ids.length} outcomes are unknown`);
  assert.equal(new Set(ids).size, ids.length);
  await assertAllStored(database, tenant.accountId, ids);
});

test('the service retries a read wherever its connection breaks', async (t) => {
  const { proxy, service, tenant, create } = await startBehindProxy(t);
  await readListing(await create(), 201);
  const searches = ['/v1/listings?beds=3', '/v1/listings?q=elm&count=true', '/v1/listings?sort=beds&limit=5'];
  for (const path of ['/v1/listings', '/v1/listings?limit=1', ...searches, '/v1/events', '/readyz']) {
    let isCut = true;
    for (let index = 0; isCut; index += 1) {
      const hasCome = arm(proxy, () => true, 'cut', index);
      const response = await service.fetch(tenant, path);
      const body = await response.text();
      assert.equal(response.status, 200, `${path}, message ${index}: ${body}`);
      isCut = hasCome();
    }
  }
});

test('silently dead connections are replaced, and no request fails', async (t) => {
  const { database, proxy, service, tenant, create } = await startBehindProxy(t);
  const responses = await Promise.all(Array.from({ length: 40 }, () => create()));
  for (const response of responses) await readListing(response, 201);
  await Promise.all(Array.from({ length: 40 }, () => service.fetch(tenant, '/v1/me').then((reply) => reply.text())));
  // Like a firewall that lost its state: each old connection is reset on its next use.
  let isForgetting = true;
  proxy.judge = (type) => {
    if (type === '') isForgetting = false;
    return isForgetting ? 'cut' : 'forward';
  };
  const { status } = await service.fetch(tenant, '/v1/me');
  assert.equal(status, 200);
  assert.equal((await create()).status, 201);
  assert.equal((await database.sql('select id from listings')).length, 41);
});
