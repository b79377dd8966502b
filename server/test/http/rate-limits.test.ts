import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { defer } from '../../../testkit/src/cleanup.ts';
import { only } from '../../../testkit/src/database.ts';
import { fill, MINIMAL, openList, post, readAll } from '../../../testkit/src/listings.ts';
import { openRaw } from '../../../testkit/src/raw.ts';
import { KEY_REJECTED, readError, readList } from '../../../testkit/src/replies.ts';
import { startTestService, type Tenant, type TestService } from '../../../testkit/src/service.ts';
import { until } from '../../../testkit/src/until.ts';
import { deleteApiKey } from '../../src/domain/keys/api-keys.ts';
import { RateLimit } from '../../src/http/gate/rate-limit.ts';
import { createMemoryLimiter } from '../../src/lib/limiter.ts';
import { generateSecret } from '../../src/model/api-keys.ts';

/** Long enough that the window ends only when the test moves the clock. */
const SECONDS = 3600;
const POLICY = '"default";q=5;w=3600';

/** A service with five requests an hour per key, and a mocked clock. */
async function startLimited(context: { after(end: () => void): void }) {
  mock.timers.enable({ apis: ['Date'], now: Date.now() });
  defer(context, () => mock.timers.reset());
  return await startTestService({ rateLimit: { points: 5, seconds: SECONDS } });
}

function fieldsOf({ headers }: { headers: Headers }): (string | null)[] {
  return [headers.get('ratelimit-policy'), headers.get('ratelimit')];
}

async function exhaust(service: TestService, tenant: Tenant): Promise<void> {
  for (let left = 4; left >= 0; left -= 1) {
    const response = await service.fetch(tenant, '/v1/me');
    assert.equal(response.status, 200);
    assert.deepEqual(fieldsOf(response), [POLICY, `"default";r=${left};t=3600`]);
  }
}

test('the remaining requests and seconds decrease, and are reset after the window', async (t) => {
  await using service = await startLimited(t);
  const tenant = await service.createTenant();
  const ask = async () => (await service.fetch(tenant, '/v1/me')).headers.get('ratelimit');
  assert.equal(await ask(), '"default";r=4;t=3600');
  assert.equal(await ask(), '"default";r=3;t=3600');
  mock.timers.tick(1_800_001);
  assert.equal(await ask(), '"default";r=2;t=1800');
  mock.timers.tick(1_799_998);
  assert.equal(await ask(), '"default";r=1;t=1');
  mock.timers.tick(1);
  assert.equal(await ask(), '"default";r=4;t=3600');
});

test('above its limit a key gets 429 with Retry-After, changes nothing, and works again after the window', async (t) => {
  await using service = await startLimited(t);
  const tenant = await service.createTenant();
  await exhaust(service, tenant);
  mock.timers.tick(10_000);
  const requests: [path: string, init: RequestInit][] = [
    ['/v1/me', {}],
    ['/v1/nothing', {}],
    ['/v1/listings?limit=0', { method: 'PUT' }],
    ['/v1/listings', { headers: { 'If-None-Match': '*' } }],
    ['/v1/listings', { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: '{' }],
  ];
  for (const [path, init] of requests) {
    const response = await service.fetch(tenant, path, init);
    assert.deepEqual(fieldsOf(response), [POLICY, '"default";r=0;t=3590']);
    assert.equal(response.headers.get('retry-after'), '3590');
    await readError(response, 429, 'rate_limited');
  }
  await readError(await post(service, tenant, MINIMAL), 429, 'rate_limited');
  mock.timers.tick(3_589_999);
  assert.equal((await service.fetch(tenant, '/v1/me')).headers.get('retry-after'), '1');
  mock.timers.tick(1);
  const list = await readList(await service.fetch(tenant, '/v1/listings'));
  assert.deepEqual([list.data, list.sequence], [[], 0]);
});

test('each key has its own limit, even within an account', async (t) => {
  await using service = await startLimited(t);
  const tenant = await service.createTenant();
  const other = await service.createTenant();
  await exhaust(service, tenant);
  await exhaust(service, other);
  await exhaust(service, await service.createKey(tenant.accountId));
  await readError(await service.fetch(tenant, '/v1/me'), 429, 'rate_limited');
});

test('every response to a valid key has the remaining requests: errors, pages, streams, and empty ones', async (t) => {
  await using service = await startTestService({ rateLimit: { points: 600, seconds: 10 } });
  const tenant = await service.createTenant();
  const [id = ''] = await fill(service, tenant, 1_000);
  const requests: [path: string, init: RequestInit, status: number][] = [
    ['/v1/me', {}, 200],
    ['/v1/me', { method: 'HEAD' }, 200],
    ['/v1/listings?limit=1', {}, 200],
    ['/v1/listings?limit=0', {}, 400],
    ['/v1/nothing', {}, 404],
    ['/v1', {}, 404],
    ['/v1/me', { method: 'OPTIONS' }, 405],
    ['/v1/openapi.json', { method: 'DELETE' }, 405],
    ['/v1/me', { headers: { Accept: 'image/png' } }, 406],
    ['/v1/listings', { method: 'POST', body: '{}' }, 415],
    [`/v1/listings/${id}`, { headers: { 'If-None-Match': '"1"' } }, 304],
  ];
  for (const [path, init, status] of requests) {
    await t.test(`${init.method ?? 'GET'} ${path.replace(id, '{id}')}: ${status}`, async () => {
      const response = await service.fetch(tenant, path, init);
      assert.equal(response.status, status);
      assert.equal(response.headers.get('ratelimit-policy'), '"default";q=600;w=10');
      assert.match(response.headers.get('ratelimit') ?? '', /^"default";r=\d{3};t=\d{1,2}$/);
    });
  }
  await t.test('the complete list', async () => {
    const response = await openList(service, tenant);
    assert.equal(response.headers['ratelimit-policy'], '"default";q=600;w=10');
    assert.match(String(response.headers.ratelimit), /^"default";r=\d{3};t=\d{1,2}$/);
    assert.ok((await readAll(response)).isComplete);
  });
});

test('a 304 is free', async (t) => {
  await using service = await startLimited(t);
  const tenant = await service.createTenant();
  const [id = ''] = await fill(service, tenant, 1);
  const poll = (path: string, etag: string) =>
    service.fetch(tenant, path, { headers: { 'If-None-Match': etag }, method: 'GET' });
  const list = await service.fetch(tenant, '/v1/listings');
  assert.deepEqual(fieldsOf(list), [POLICY, '"default";r=4;t=3600']);
  const listTag = list.headers.get('etag') ?? '';
  for (let turn = 0; turn < 10; turn += 1) {
    for (const reply of [await poll('/v1/listings', listTag), await poll(`/v1/listings/${id}`, '"1"')]) {
      assert.equal(reply.status, 304);
      assert.deepEqual(fieldsOf(reply), [POLICY, '"default";r=4;t=3600']);
    }
  }
  const changed = await poll(`/v1/listings/${id}`, '"2"');
  assert.deepEqual([changed.status, changed.headers.get('ratelimit')], [200, '"default";r=3;t=3600']);
});

const isConcurrent = only('postgres', 'on SQLite, a 304 is sent before the next request starts');

test('concurrent 304s are free, even if other requests among them are rejected', isConcurrent, async (t) => {
  await using service = await startLimited(t);
  const tenant = await service.createTenant();
  const [id = ''] = await fill(service, tenant, 1);
  const head = `GET /v1/listings/${id} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${tenant.key}\r\n`;
  const connections = await Promise.all(Array.from({ length: 50 }, () => openRaw(service.url)));
  defer(t, () => {
    for (const { socket } of connections) socket.destroy();
  });
  const statuses = new Set<number>();
  // On a busy machine, all requests of a round may start one after the other.
  await until('some requests are rejected', async () => {
    const replies = connections.map((connection) => {
      connection.send(`${head}If-None-Match: "1"\r\n\r\n`);
      return connection.readReply();
    });
    for (const { status } of await Promise.all(replies)) statuses.add(status);
    return statuses.has(429);
  });
  assert.deepEqual(statuses, new Set([304, 429]));
  await exhaust(service, tenant);
});

test('a 304 after its window has ended adds nothing to the next window', async (t) => {
  mock.timers.enable({ apis: ['Date'] });
  defer(t, () => mock.timers.reset());
  const rateLimit = new RateLimit({ points: 5, seconds: 10 }, createMemoryLimiter);
  const spend = async () => (await rateLimit.spend('key_1')).RateLimit;
  assert.equal(await spend(), '"default";r=4;t=10');
  mock.timers.tick(10_000);
  assert.equal((await rateLimit.giveBack('key_1')).RateLimit, '"default";r=5;t=10');
  assert.equal(await spend(), '"default";r=4;t=10');
});

test('a key deleted during the request gets no rate limit headers', async (t) => {
  await using service = await startLimited(t);
  const tenant = await service.createTenant();
  using connection = await openRaw(service.url);
  const head = `POST /v1/listings HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${tenant.key}\r\n`;
  connection.send(`${head}Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n`);
  assert.equal((await connection.readReply()).status, 100);
  await deleteApiKey(service.database, tenant.keyId);
  connection.send('{}');
  const { status, headers } = await connection.readReply();
  assert.deepEqual([status, headers.ratelimit, headers['ratelimit-policy']], [401, undefined, undefined]);
});

test('a deleted or unknown key gets the usual 401, even above its limit', async (t) => {
  await using service = await startLimited(t);
  const tenant = await service.createTenant();
  await exhaust(service, tenant);
  await readError(await service.fetch(tenant, '/v1/me'), 429, 'rate_limited');
  await deleteApiKey(service.database, tenant.keyId);
  for (const key of [tenant.key, generateSecret(), 'nonsense']) {
    const response = await service.fetch({ ...tenant, key }, '/v1/me');
    assert.deepEqual(fieldsOf(response), [null, null]);
    assert.equal(response.headers.get('retry-after'), null);
    assert.equal(response.status, 401);
    assert.equal(await response.text(), KEY_REJECTED);
  }
});

test('a request above the limit gets 429 instead of 100 Continue', async (t) => {
  await using service = await startLimited(t);
  const tenant = await service.createTenant();
  await exhaust(service, tenant);
  using connection = await openRaw(service.url);
  const head = `POST /v1/listings HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${tenant.key}\r\n`;
  connection.send(`${head}Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 50\r\n\r\n`);
  assert.equal((await connection.readReply()).status, 429);
});

test('endpoints without a key have no limit', async (t) => {
  await using service = await startLimited(t);
  const tenant = await service.createTenant();
  await exhaust(service, tenant);
  for (const path of ['/v1/openapi.json', '/readyz', '/docs']) {
    const response = await service.fetch(tenant, path);
    assert.deepEqual([response.status, ...fieldsOf(response)], [200, null, null]);
  }
});

test('without a limit, responses have no rate limit headers', async () => {
  await using service = await startTestService();
  const tenant = await service.createTenant();
  for (let turn = 0; turn < 20; turn += 1) {
    const response = await service.fetch(tenant, '/v1/me');
    assert.deepEqual([response.status, ...fieldsOf(response)], [200, null, null]);
  }
});
