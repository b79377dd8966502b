import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { Browser, createPerson, signIn } from '../../../testkit/src/browser.ts';
import { defer } from '../../../testkit/src/cleanup.ts';
import { createDatabase } from '../../../testkit/src/database.ts';
import { startSharedService, startTestService } from '../../../testkit/src/service.ts';
import { directoryFor } from '../../../testkit/src/serving.ts';
import { until } from '../../../testkit/src/until.ts';
import { deleteAccount } from '../../src/domain/accounts/accounts.ts';
import { startReceiver } from '../support/receiver.ts';
import { Webhooks } from '../support/webhooks.ts';

const service = await startSharedService();
const URL = 'https://example.com/webhooks';

const tenant = async (access?: 'full' | 'read') => new Webhooks(service, await service.createTenant('Homes', access));

test('an endpoint starts at the present, and its secret is shown once', async () => {
  const webhooks = await tenant();
  await webhooks.createListing(1);
  const { secret, ...created } = await webhooks.create(URL, {
    enabled: false,
    types: ['listing.deleted'],
    feed: 'mls',
  });
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.equal(created.position, 2);
  assert.deepEqual(await webhooks.get(created.id), created);
  const { body } = await webhooks.call('GET', '/v1/webhooks');
  assert.deepEqual(body, { data: [created], nextCursor: null });
  const { body: changed } = await webhooks.call('PATCH', `/v1/webhooks/${created.id}`, { feed: null, types: null });
  assert.deepEqual({ ...changed, updatedAt: '' }, { ...created, feed: null, types: null, updatedAt: '' });
});

test('an account can have 20 endpoints', async () => {
  const webhooks = await tenant();
  for (let count = 0; count < 20; count += 1) await webhooks.create(URL, { enabled: false });
  const { status, body } = await webhooks.call('POST', '/v1/webhooks', { url: URL });
  assert.deepEqual([status, body.error.code, body.error.limit], [507, 'quota_exceeded', 20]);
});

test('invalid settings are rejected with all their issues', async () => {
  const webhooks = await tenant();
  const codesOf = async (body: object) => {
    const { status, body: error } = await webhooks.call('POST', '/v1/webhooks', body);
    assert.equal(status, 422);
    return error.error.details.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`);
  };
  assert.deepEqual(await codesOf({}), ['url required']);
  assert.deepEqual(await codesOf({ url: 5, types: [], feed: 'A B', description: ' ', enabled: 'yes', secret: 'x' }), [
    'url invalid_type',
    'types out_of_range',
    'feed invalid_format',
    'description blank',
    'enabled invalid_type',
    'secret unknown_field',
  ]);
  assert.deepEqual(await codesOf({ url: URL, types: ['listing.created', 'listing.created'] }), ['types duplicate']);
  assert.deepEqual(await codesOf({ url: URL, types: ['listing'] }), ['types[0] invalid_choice']);
  assert.deepEqual(await codesOf({ url: 'https://10.0.0.1/' }), ['url invalid_format']);
});

test('a read-only key cannot even see endpoints', async () => {
  const webhooks = await tenant('read');
  const calls: [string, string, object?][] = [
    ['GET', ''],
    ['POST', '', { url: URL }],
    ['GET', '/x'],
    ['PATCH', '/x', {}],
    ['DELETE', '/x'],
    ['POST', '/x/roll-secret'],
    ['POST', '/x/test'],
    ['POST', '/x/replay', { after: 0 }],
    ['GET', '/x/deliveries'],
    ['POST', '/x/deliveries/y/redeliver'],
  ];
  for (const [method, path, body] of calls) {
    const reply = await webhooks.call(method, `/v1/webhooks${path}`, body);
    assert.deepEqual([reply.status, reply.body.error.code], [403, 'insufficient_scope'], `${method} ${path}`);
  }
});

test("another account's endpoint and deliveries do not exist", async (t) => {
  const receiver = await startReceiver(t);
  const ada = await tenant();
  const bob = await tenant();
  const { id } = await ada.create(receiver.url);
  const { id: own } = await bob.create(receiver.url, { enabled: false });
  await ada.createListing();
  await ada.untilSettled(id, 1);
  const [delivery] = await ada.deliveries(id);
  const paths: [string, string, object?][] = [
    ['GET', `/${id}`],
    ['PATCH', `/${id}`, { enabled: false }],
    ['DELETE', `/${id}`],
    ['POST', `/${id}/roll-secret`],
    ['POST', `/${id}/test`],
    ['POST', `/${id}/replay`, { after: 0 }],
    ['GET', `/${id}/deliveries`],
    ['POST', `/${id}/deliveries/${delivery?.id}/redeliver`],
    ['POST', `/${own}/deliveries/${delivery?.id}/redeliver`],
  ];
  const before = await ada.get(id);
  for (const [method, path, body] of paths) {
    const reply = await bob.call(method, `/v1/webhooks${path}`, body);
    assert.deepEqual([reply.status, reply.body.error.code], [404, 'not_found'], `${method} ${path}`);
  }
  assert.deepEqual(await ada.get(id), before);
  assert.equal(receiver.requests.length, 1);
});

test('an administrator manages endpoints like a key, and the audit log names who changed what', async () => {
  const webhooks = await tenant();
  const { accountId, keyId } = webhooks.tenant;
  const { id } = await webhooks.create(URL, { enabled: false });
  const ada = await signIn(service, await createPerson(service, { accountId }));
  const send = (method: string, path: string, body: object) =>
    ada.fetch(`/admin/webhooks/${id}${path}`, {
      method,
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json' },
    });
  assert.equal((await send('PATCH', '', { description: 'Website' })).status, 200);
  assert.equal((await send('POST', '/roll-secret', {})).status, 200);
  assert.equal((await send('POST', '/replay', { after: 0 })).status, 200);
  assert.equal((await send('DELETE', '', {})).status, 204);
  const { data } = Object(await (await ada.fetch('/admin/activity')).json());
  const entries = data
    .filter(({ target }: { target: { id: string } | null }) => target?.id === id)
    .map(({ action, actor, target }: Record<string, { type: string; id: string; name: string }>) => [
      String(action),
      actor?.type,
      target?.name,
    ]);
  assert.deepEqual(entries.toReversed(), [
    ['webhook.created', 'api_key', 'https://example.com'],
    ['webhook.updated', 'administrator', 'https://example.com'],
    ['webhook.secret_rolled', 'administrator', 'https://example.com'],
    ['webhook.replayed', 'administrator', 'https://example.com'],
    ['webhook.deleted', 'administrator', 'https://example.com'],
  ]);
  assert.ok(JSON.stringify(data).includes(keyId));
  assert.ok(ada instanceof Browser);
});

test('a change with an Idempotency-Key happens once, and its replay shows the same secret', async () => {
  const webhooks = await tenant();
  const create = () =>
    webhooks.call('POST', '/v1/webhooks', { url: URL, enabled: false }, { 'Idempotency-Key': 'one' });
  const [first, again] = [await create(), await create()];
  assert.deepEqual(again.body, first.body);
  assert.equal(again.response.headers.get('idempotent-replayed'), 'true');
  const roll = () =>
    webhooks.call('POST', `/v1/webhooks/${first.body.id}/roll-secret`, { a: 1 }, { 'Idempotency-Key': 'two' });
  const [rolled, repeated] = [await roll(), await roll()];
  assert.equal(repeated.body.secret, rolled.body.secret);
  const remove = () =>
    webhooks.call('DELETE', `/v1/webhooks/${first.body.id}`, { a: 1 }, { 'Idempotency-Key': 'three' });
  assert.deepEqual([(await remove()).status, (await remove()).status], [204, 204]);
  for (const [method, path, key] of [
    ['POST', '/roll-secret', 'two'],
    ['DELETE', '', 'three'],
  ] as const) {
    const url = `/v1/webhooks/${first.body.id}${path}`;
    const other = await webhooks.call(method, url, { a: 2 }, { 'Idempotency-Key': key });
    assert.deepEqual([other.status, other.body.error.code], [422, 'idempotency_key_reused']);
  }
  const replayed = await create();
  assert.deepEqual(
    [replayed.status, replayed.body.error.code, replayed.body.error.message],
    [404, 'not_found', 'The endpoint that this request created has been deleted.'],
  );
  assert.deepEqual((await webhooks.call('GET', '/v1/webhooks')).body.data, []);
});

test('a test sends a signed sample and shows the response', async (t) => {
  const receiver = await startReceiver(t);
  const webhooks = await tenant();
  const { id, secret } = await webhooks.create(receiver.url, { enabled: false });
  receiver.respond = (_, response) => void response.writeHead(418).end('<b>tea</b>');
  const { status, body } = await webhooks.call('POST', `/v1/webhooks/${id}/test`);
  assert.equal(status, 200);
  assert.deepEqual([body.delivered, body.status, body.response, body.error], [false, 418, '<b>tea</b>', null]);
  const [sample] = receiver.requests;
  assert.ok(sample);
  new Webhook(secret).verify(sample.body, sample.headers);
  assert.deepEqual([sample.event.type, sample.headers['webhook-id']], ['webhook.test', body.id]);
  assert.deepEqual(await webhooks.deliveries(id), []);
});

test('deliveries are listed in pages and by state', async (t) => {
  const receiver = await startReceiver(t);
  const webhooks = await tenant();
  const { id } = await webhooks.create(receiver.url);
  receiver.respond = ({ event }, response) => void response.writeHead(event.data.sequence === 2 ? 500 : 200).end();
  for (let count = 0; count < 5; count += 1) await webhooks.createListing();
  await until('all are stored', async () => (await webhooks.deliveries(id)).length === 5);
  const sequences: number[] = [];
  let cursor = '';
  for (;;) {
    const { body } = await webhooks.call('GET', `/v1/webhooks/${id}/deliveries?limit=2${cursor}`);
    sequences.push(...body.data.map(({ sequence }: { sequence: number }) => sequence));
    if (body.nextCursor === null) break;
    cursor = `&cursor=${body.nextCursor}`;
  }
  assert.deepEqual(sequences, [5, 4, 3, 2, 1]);
  assert.deepEqual(
    (await webhooks.deliveries(id, '?state=pending')).map(({ sequence }) => sequence),
    [2],
  );
  assert.equal((await webhooks.deliveries(id, '?state=delivered,failed')).length, 4);
  const wrong = await webhooks.call('GET', `/v1/webhooks/${id}/deliveries?limit=2&state=failed${cursor}`);
  assert.deepEqual([wrong.status, wrong.body.error.code], [400, 'invalid_cursor']);
});

test('with SECRETS_KEY, the database has no plain secret; deleting an account leaves no rows', async (t) => {
  const receiver = await startReceiver(t);
  await using own = await startTestService({ secretsKey: randomBytes(32) });
  const webhooks = new Webhooks(own, await own.createTenant());
  const { id, secret } = await webhooks.create(receiver.url);
  await webhooks.call('POST', `/v1/webhooks/${id}/roll-secret`);
  const [row] = await own.sql('select * from webhooks');
  assert.match(String(row?.secret), /^encrypted:/);
  assert.ok(!JSON.stringify(row).includes(secret.slice(6)));
  await webhooks.createListing();
  await webhooks.untilSettled(id, 1);
  new Webhook(secret).verify(receiver.requests[0]?.body ?? '', receiver.requests[0]?.headers ?? {});
  await deleteAccount(own.database, webhooks.tenant.accountId);
  for (const table of ['webhooks', 'webhook_deliveries']) assert.deepEqual(await own.sql(`select * from ${table}`), []);
});

test('after the loss of SECRETS_KEY, rolling an endpoint’s secret makes its deliveries continue', async (t) => {
  const receiver = await startReceiver(t);
  const directory = await directoryFor(t);
  const database = await createDatabase(directory);
  defer(t, () => database.drop());
  const start = () =>
    startTestService({ secretsKey: randomBytes(32), database: { ...database, drop: async () => {} } });
  const before = await start();
  const tenant = await before.createTenant();
  const { id } = await new Webhooks(before, tenant).create(receiver.url);
  await before[Symbol.asyncDispose]();
  await using own = await start();
  const webhooks = new Webhooks(own, tenant);
  await webhooks.createListing();
  const { body } = await webhooks.call('POST', `/v1/webhooks/${id}/roll-secret`);
  await webhooks.untilSettled(id, 1);
  const [received] = receiver.requests;
  new Webhook(body.secret).verify(received?.body ?? '', received?.headers ?? {});
});

test('a delete that is rejected leaves the endpoint as it was', async (t) => {
  const receiver = await startReceiver(t);
  const webhooks = await tenant();
  const once = { 'Idempotency-Key': 'once' };
  const { id } = await webhooks.create(receiver.url);
  receiver.respond = (_, response) => void response.writeHead(500).end();
  const used = await webhooks.call('PATCH', `/v1/webhooks/${id}`, { description: 'Website' }, once);
  assert.equal(used.status, 200);
  await webhooks.createListing();
  await until('a retry is stored', async () => (await webhooks.get(id)).pending === 1);
  const rejected = await webhooks.call('DELETE', `/v1/webhooks/${id}`, undefined, once);
  assert.deepEqual([rejected.status, rejected.body.error.code], [422, 'idempotency_key_reused']);
  const { enabled, pending } = await webhooks.get(id);
  assert.deepEqual([enabled, pending], [true, 1]);
  assert.equal((await webhooks.deliveries(id, '?state=pending')).length, 1);
  assert.equal((await webhooks.call('DELETE', `/v1/webhooks/${id}`)).status, 204);
  assert.deepEqual(await service.sql('select * from webhook_deliveries where webhook_id = ?', id), []);
});

test('an endpoint that does not exist is reported before invalid settings', async () => {
  const webhooks = await tenant();
  const { status, body } = await webhooks.call('PATCH', '/v1/webhooks/whk_x', { url: 1 });
  assert.deepEqual([status, body.error.code], [404, 'not_found']);
});

test('an account has two samples in flight at a time', async (t) => {
  const receiver = await startReceiver(t);
  const webhooks = await tenant();
  const { id } = await webhooks.create(receiver.url);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  receiver.respond = (_, response) => void released.then(() => response.writeHead(204).end());
  const tests = Array.from({ length: 6 }, () => webhooks.call('POST', `/v1/webhooks/${id}/test`));
  await until('two samples arrive', () => receiver.requests.length === 2);
  await webhooks.get(id);
  assert.equal(receiver.requests.length, 2);
  release();
  for (const { body } of await Promise.all(tests)) assert.equal(body.delivered, true);
});
