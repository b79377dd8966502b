import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPerson, signIn } from '../../../testkit/src/browser.ts';
import { openRaw } from '../../../testkit/src/raw.ts';
import { requestText } from '../../../testkit/src/raw-http.ts';
import { until } from '../../../testkit/src/until.ts';
import { UnreadConnections } from '../../src/http/protocol/unread-connections.ts';
import { clientFor, connectionFor, databaseFor, LISTING, serviceFor } from './support.ts';

/** More than may wait for two connections to the database. */
const CONNECTIONS = 1_000;
/** More changes of one account than may wait, even after some have started. */
const WAITING = 2_000;
const KEY_REJECTED = '{"error":{"code":"unauthorized","message":"Invalid or missing API key"}}';

test('when all connections are in use, a limited number of requests wait and the others get 503 at once', async (t) => {
  const database = await databaseFor(t);
  const service = await serviceFor(t, database, { databasePool: { poolSize: 2 } });
  const { key } = await service.createTenant();
  const holder = await clientFor(t, database);
  await holder.query('begin');
  await holder.query('lock table api_keys in access exclusive mode');

  const replies = await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      using connection = await openRaw(service.url);
      connection.send(requestText('GET', '/v1/listings?limit=1', key));
      return await connection.readReply();
    }),
  );
  for (const { status, headers } of replies) {
    assert.equal(status, 503);
    assert.match(headers['retry-after'] ?? '', /^[1-5]$/);
  }
  const refused = replies.filter(({ body }) => body.includes('Too many requests are waiting, and nothing was done'));
  assert.ok(refused.length > CONNECTIONS / 4, `only ${refused.length} requests got 503 at once`);

  await holder.query('commit');
  const headers = { Authorization: `Bearer ${key}` };
  assert.equal((await fetch(`${service.url}/v1/listings?limit=1`, { headers })).status, 200);
  const malformed = await fetch(`${service.url}/v1/listings`, { headers: { Authorization: `Bearer ${key}x` } });
  assert.deepEqual([malformed.status, await malformed.text()], [401, KEY_REJECTED]);
});

test("while an account's reads wait, its writes run before them, and rejected connections are not read", async (t) => {
  const database = await databaseFor(t);
  const service = await serviceFor(t, database, { databasePool: { poolSize: 2 } });
  const { accountId, key } = await service.createTenant();
  const unread = t.mock.method(UnreadConnections.prototype, 'add');
  const holder = await clientFor(t, database);
  await holder.query('begin');
  await holder.query('lock table listings in access exclusive mode');
  const order: unknown[] = [];
  const read = async () => {
    using connection = await openRaw(service.url);
    connection.send(requestText('GET', '/v1/listings?limit=1', key));
    const reply = await connection.readReply();
    order.push(reply.status);
    return reply;
  };
  const reads = Array.from({ length: CONNECTIONS }, read);
  await until('reads wait, and others are rejected', () => order.includes(503));
  const written = service.database.write(async () => order.push('write'), accountId);
  await holder.query('commit');
  await written;
  const rejected = (await Promise.all(reads)).filter(({ status }) => status === 503);
  assert.ok(rejected.length < CONNECTIONS - 20, 'reads waited');
  const before = order.slice(0, order.indexOf('write')).filter((status) => status === 200);
  assert.ok(before.length <= 2, `${before.length} reads ran before the write`);
  const atOnce = rejected.filter(({ body }) => body.includes('Too many requests are waiting, and nothing was done'));
  assert.ok(atOnce.length > 0, 'no request was rejected at once');
  assert.equal(unread.mock.callCount(), atOnce.length);
});

test('while too many changes of an account wait, new ones get 503, and its key can still be deleted', async (t) => {
  const database = await databaseFor(t);
  const service = await serviceFor(t, database);
  const { accountId, key, keyId } = await service.createTenant();
  const person = await signIn(service, await createPerson(service, { accountId }));
  const holder = await clientFor(t, database);
  await holder.query('begin');
  await holder.query('select from account_heads where account_id = $1 for update', [accountId]);
  const waiting = Array.from({ length: WAITING }, () => service.database.write(async () => {}, accountId));

  const ask = await connectionFor(t, service.url);
  const refused = await ask(requestText('POST', '/v1/listings', key, LISTING));
  assert.equal(refused.status, 503);
  assert.match(refused.body, /Too many of this account's changes are waiting/);
  const deleted = person.fetch(`/admin/api-keys/${keyId}`, { method: 'DELETE' });
  const { key: other } = await service.createTenant();
  assert.equal((await ask(requestText('POST', '/v1/listings', other, LISTING))).status, 201);

  await holder.query('commit');
  assert.equal((await deleted).status, 204);
  await Promise.all(waiting);
});
