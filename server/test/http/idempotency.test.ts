import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINIMAL, post, send } from '../../../testkit/src/listings.ts';
import { openRaw, sendRaw } from '../../../testkit/src/raw.ts';
import { readError, readList, readListing } from '../../../testkit/src/replies.ts';
import { startSharedService, type Tenant } from '../../../testkit/src/service.ts';
import { purge } from '../../src/domain/events/event-purge.ts';
import { purgeIdempotencyRecords } from '../../src/domain/writing/idempotency.ts';
import { findOldestEvents } from '../../src/storage/events.ts';

const service = await startSharedService();

const KEY = { 'Idempotency-Key': 'retry-1' };
const list = async (tenant: Tenant) => readList(await service.fetch(tenant, '/v1/listings'));

/** The response without headers that always differ. */
async function seen(response: Response) {
  const names = ['content-type', 'location', 'etag'];
  const headers = names.map((name) => response.headers.get(name));
  return { status: response.status, headers, body: await response.text() };
}

/** Purges the account's oldest events, as after 30 days. */
function purgeOldest({ accountId }: Tenant, limit: number) {
  return service.database.write(
    async (session) => purge(session, accountId, await findOldestEvents(session, accountId, limit)),
    accountId,
  );
}

/** The total length of the account's records, in characters. */
async function recordedLength(tenant: Tenant): Promise<number> {
  const rows = await service.sql('select outcome from idempotency_keys where account_id = ?', tenant.accountId);
  return rows.reduce((sum, { outcome }) => sum + String(outcome).length, 0);
}

/** One request of each kind that changes data. */
const CHANGES: [name: string, method: string, path: string, body?: unknown, headers?: Record<string, string>][] = [
  ['create', 'POST', '/listings', MINIMAL],
  ['update', 'PATCH', '/listings/{id}', { beds: 9 }, { 'If-Match': '"1"' }],
  ['a patch that changes nothing', 'PATCH', '/listings/{id}', { beds: 3 }],
  ['replace', 'PUT', '/listings/external/there', { ...MINIMAL, beds: 9 }],
  ['create by external id', 'PUT', '/listings/external/new', MINIMAL, { 'If-None-Match': '*' }],
  ['delete', 'DELETE', '/listings/{id}'],
  ['delete by external id', 'DELETE', '/listings/external/there', undefined, { 'If-Match': '*' }],
];

describe('a retry with the same Idempotency-Key gets the first response and changes nothing', () => {
  for (const [name, method, path, body, headers] of CHANGES) {
    test(name, async () => {
      const tenant = await service.createTenant();
      const { id } = await readListing(await post(service, tenant, { ...MINIMAL, externalId: 'there' }), 201);
      const again = () => send(service, tenant, method, path.replace('{id}', id), body, { ...KEY, ...headers });
      const first = await again();
      assert.ok(first.ok);
      assert.equal(first.headers.get('idempotent-replayed'), null);
      const state = await list(tenant);
      const second = await again();
      assert.equal(second.headers.get('idempotent-replayed'), 'true');
      assert.deepEqual(await seen(second), await seen(first));
      assert.deepEqual(await list(tenant), state);
    });
  }
});

test('the stored response is sent even if the listing has changed since', async () => {
  const tenant = await service.createTenant();
  const first = await post(service, tenant, MINIMAL, KEY);
  const { id } = await readListing(first.clone(), 201);
  assert.equal((await send(service, tenant, 'DELETE', `/listings/${id}`)).status, 204);
  assert.deepEqual(await seen(await post(service, tenant, MINIMAL, KEY)), await seen(first));
  assert.deepEqual((await list(tenant)).data, []);
});

const LARGE = { ...MINIMAL, description: 'x'.repeat(4000) };
const CHANGED = { beds: 9, description: 'y'.repeat(4000) };

describe('a patch that changed nothing is replayed with the version it found', () => {
  const later: [name: string, method: string, body?: unknown][] = [
    ['after the listing has changed', 'PATCH', CHANGED],
    ['after it was deleted', 'DELETE'],
  ];
  for (const [name, method, body] of later) {
    for (const isOld of [false, true]) {
      test(isOld ? `${name}, if its event was purged` : name, async () => {
        const tenant = await service.createTenant();
        const { id } = await readListing(await post(service, tenant, LARGE), 201);
        const again = () => send(service, tenant, 'PATCH', `/listings/${id}`, { beds: 3 }, KEY);
        const first = await seen(await again());
        assert.equal(first.status, 200);
        if (isOld) await purgeOldest(tenant, 1);
        assert.ok((await send(service, tenant, method, `/listings/${id}`, body)).ok);
        assert.deepEqual(await seen(await again()), first);
      });
    }
  }
});

test('an Idempotency-Key stores no copy of a listing for a request that changed nothing', async () => {
  const tenant = await service.createTenant();
  const { id } = await readListing(await post(service, tenant, LARGE, KEY), 201);
  for (const isOld of [false, true]) {
    if (isOld) await purgeOldest(tenant, 1);
    const before = await recordedLength(tenant);
    for (let index = 0; index < 20; index += 1) {
      const key = { 'Idempotency-Key': `${isOld}-${index}` };
      assert.equal((await send(service, tenant, 'PATCH', `/listings/${id}`, { beds: 3 }, key)).status, 200);
    }
    const stored = (await recordedLength(tenant)) - before;
    assert.ok(stored < 20 * 200, `${stored} characters`);
  }
});

test('a record in the old format, which contains the document, is replayed', async () => {
  const tenant = await service.createTenant();
  const first = await post(service, tenant, MINIMAL, KEY);
  const { id, version } = await readListing(first.clone(), 201);
  const outcome = JSON.stringify({ type: 'created', id, version, doc: await first.clone().text() });
  await service.sql('update idempotency_keys set outcome = ? where account_id = ?', outcome, tenant.accountId);
  assert.ok((await send(service, tenant, 'DELETE', `/listings/${id}`)).ok);
  assert.deepEqual(await seen(await post(service, tenant, MINIMAL, KEY)), await seen(first));
});

test('if the version is no longer stored, a retry gets the current listing and changes nothing', async () => {
  const tenant = await service.createTenant();
  const { id } = await readListing(await post(service, tenant, MINIMAL, KEY), 201);
  const changed = await readListing(await send(service, tenant, 'PATCH', `/listings/${id}`, CHANGED), 200);
  await purgeOldest(tenant, 2);
  assert.deepEqual(await readListing(await post(service, tenant, MINIMAL, KEY), 201), changed);
  assert.ok((await send(service, tenant, 'DELETE', `/listings/${id}`)).ok);
  await purgeOldest(tenant, 1);
  await readError(await post(service, tenant, MINIMAL, KEY), 404, 'not_found');
  assert.deepEqual((await list(tenant)).data, []);
});

test('64 concurrent identical creates make one listing and one event, and all get that listing', async () => {
  const tenant = await service.createTenant();
  const replies = await Promise.all(Array.from({ length: 64 }, () => post(service, tenant, MINIMAL, KEY)));
  const created = await Promise.all(replies.map((reply) => readListing(reply, 201)));
  assert.equal(new Set(created.map(({ id }) => id)).size, 1);
  assert.equal(replies.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1);
  const { data, sequence } = await list(tenant);
  assert.deepEqual([data.length, sequence], [1, 1]);
});

describe('reusing the key for another request gets 422 idempotency_key_reused and changes nothing', () => {
  const rows: [name: string, method: string, path: string, body: unknown, headers?: Record<string, string>][] = [
    ['another body', 'POST', '/listings', { ...MINIMAL, beds: 4 }],
    ['the same JSON with other white space', 'POST', '/listings', ` ${JSON.stringify(MINIMAL)}`],
    ['an invalid listing', 'POST', '/listings', {}],
    ['another type', 'POST', '/listings', MINIMAL, { 'Content-Type': 'application/json; charset=utf-8' }],
    ['another method and path', 'PUT', '/listings/external/a', MINIMAL],
    ['a condition', 'POST', '/listings', MINIMAL, { 'If-Match': '"1"' }],
    ['an unknown listing', 'PATCH', '/listings/lst_0', {}],
  ];
  for (const [name, method, path, body, headers] of rows) {
    test(name, async () => {
      const tenant = await service.createTenant();
      await readListing(await post(service, tenant, MINIMAL, KEY), 201);
      const state = await list(tenant);
      const response = await send(service, tenant, method, path, body, { ...KEY, ...headers });
      await readError(response, 422, 'idempotency_key_reused');
      assert.deepEqual(await list(tenant), state);
    });
  }
});

describe('a body of a DELETE', () => {
  for (const path of ['/listings/{id}', '/listings/external/there']) {
    test(`${path} is part of the fingerprint`, async () => {
      const tenant = await service.createTenant();
      const { id } = await readListing(await post(service, tenant, { ...MINIMAL, externalId: 'there' }), 201);
      // In bytes or a stream, `fetch` does not add a `Content-Type`, which would also be part of the fingerprint.
      const remove = (body: Uint8Array<ArrayBuffer> | ReadableStream | null) => {
        const init = { method: 'DELETE', headers: KEY, body, duplex: 'half' } as const;
        return service.fetch(tenant, `/v1${path.replace('{id}', id)}`, init);
      };
      for (const body of [Buffer.alloc(16 * 1024 + 1), ReadableStream.from([Buffer.alloc(1024 * 1024)])]) {
        await readError(await remove(body), 413, 'payload_too_large');
      }
      assert.equal((await remove(Buffer.from('{"a":1}'))).status, 204);
      const state = await list(tenant);
      for (const body of [Buffer.from('{"a":2}'), null]) {
        await readError(await remove(body), 422, 'idempotency_key_reused');
      }
      const again = await remove(ReadableStream.from([Buffer.from('{"a"'), Buffer.from(':1}')]));
      assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [204, 'true']);
      assert.deepEqual(await list(tenant), state);
    });
  }

  test('is read over HTTP/1.0, after 100 Continue, and before a pipelined request', async () => {
    const tenant = await service.createTenant();
    const { id } = await readListing(await post(service, tenant, MINIMAL), 201);
    const head = (version: string) =>
      `DELETE /v1/listings/${id} HTTP/${version}\r\nHost: a\r\nAuthorization: Bearer ${tenant.key}\r\n` +
      'Idempotency-Key: a-1\r\nContent-Length: 3\r\n';
    const closing = await sendRaw(service.url, `${head('1.0')}\r\nabc`);
    assert.equal(closing.status, 204);
    using connection = await openRaw(service.url);
    connection.send(`${head('1.1')}Expect: 100-continue\r\n\r\n`);
    assert.equal((await connection.readReply()).status, 100);
    connection.send(`abc${head('1.1')}\r\nabd`);
    const replayed = await connection.readReply();
    assert.deepEqual([replayed.status, replayed.headers['idempotent-replayed']], [204, 'true']);
    assert.equal((await connection.readReply()).status, 422);
  });

  test('is not read without a valid key', async () => {
    const head = 'DELETE /v1/listings/lst_0 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\n';
    const { status } = await sendRaw(service.url, `${head}Content-Length: 3\r\nExpect: 100-continue\r\n\r\n`);
    assert.equal(status, 401);
  });
});

test('a rejected request does not use up the key', async () => {
  const tenant = await service.createTenant();
  await readError(await post(service, tenant, {}, KEY), 422, 'validation_failed');
  await readError(await send(service, tenant, 'PATCH', '/listings/lst_0', {}, KEY), 404, 'not_found');
  await readListing(await post(service, tenant, MINIMAL, KEY), 201);
});

test('a quoted key equals the bare one', async () => {
  const tenant = await service.createTenant();
  const { id } = await readListing(await post(service, tenant, MINIMAL, { 'Idempotency-Key': '"a-1"' }), 201);
  const again = await readListing(await post(service, tenant, MINIMAL, { 'Idempotency-Key': 'a-1' }), 201);
  assert.equal(again.id, id);
});

test('two accounts can use the same key', async () => {
  const [ada, bob] = [await service.createTenant(), await service.createTenant()];
  const { id } = await readListing(await post(service, ada, MINIMAL, KEY), 201);
  const theirs = await post(service, bob, MINIMAL, KEY);
  assert.equal(theirs.headers.get('idempotent-replayed'), null);
  assert.notEqual((await readListing(theirs, 201)).id, id);
});

test('a retry can use another API key of the account', async () => {
  const tenant = await service.createTenant();
  const { id } = await readListing(await post(service, tenant, MINIMAL, KEY), 201);
  const rotated = await service.createKey(tenant.accountId);
  assert.equal((await readListing(await post(service, rotated, MINIMAL, KEY), 201)).id, id);
  const reader = await service.createKey(tenant.accountId, 'read');
  await readError(await post(service, reader, MINIMAL, KEY), 403, 'insufficient_scope');
});

test('an expired record is not replayed, and the worker removes only expired records', async () => {
  const [ada, bob] = [await service.createTenant(), await service.createTenant()];
  const { id } = await readListing(await post(service, ada, MINIMAL, KEY), 201);
  await readListing(await post(service, bob, MINIMAL, KEY), 201);
  const expire = () =>
    service.sql(`update idempotency_keys set expires_at = ${Date.now() - 1} where account_id = ?`, ada.accountId);
  await expire();
  assert.notEqual((await readListing(await post(service, ada, MINIMAL, KEY), 201)).id, id);
  await expire();
  const count = async () => (await service.sql('select account_id from idempotency_keys')).length;
  const before = await count();
  await purgeIdempotencyRecords(service.database, Date.now(), new AbortController().signal);
  assert.equal(await count(), before - 1);
  const replayed = await post(service, bob, MINIMAL, KEY);
  assert.equal(replayed.headers.get('idempotent-replayed'), 'true');
});
