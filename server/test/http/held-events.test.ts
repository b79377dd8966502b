import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { fill, MINIMAL, post, send } from '../../../testkit/src/listings.ts';
import { openRaw, type RawReply } from '../../../testkit/src/raw.ts';
import { requestText } from '../../../testkit/src/raw-http.ts';
import { KEY_REJECTED, readEvents, readListing } from '../../../testkit/src/replies.ts';
import { startSharedService, type Tenant } from '../../../testkit/src/service.ts';
import { until } from '../../../testkit/src/until.ts';
import { deleteApiKey } from '../../src/domain/keys/api-keys.ts';
import { countReads, hold, holdOn, isAnyHeld } from '../support/held.ts';

const service = await startSharedService();

/** Starts a long poll. Returns a function: awaiting `holdOne` must not await the response. */
async function holdOne(tenant: Tenant, query: string): Promise<() => Promise<RawReply>> {
  const [reply] = await hold(service, [tenant], query);
  assert.ok(reply && isAnyHeld());
  return () => reply;
}

async function readHeld({ status, body }: RawReply) {
  return readEvents(new Response(body, { status }));
}

describe('with wait, the response is sent as soon as an event occurs', () => {
  test('a creation, a change, and a deletion each end the wait', async () => {
    const tenant = await service.createTenant();
    const creation = await holdOne(tenant, 'wait=60');
    const { id } = await readListing(await post(service, tenant, MINIMAL), 201);
    const { data } = await readHeld(await creation());
    assert.deepEqual([data.length, data[0]?.listing?.id], [1, id]);

    const change = await holdOne(tenant, 'after=1&wait=60');
    await send(service, tenant, 'PATCH', `/listings/${id}`, { beds: 4 });
    assert.deepEqual((await readHeld(await change())).data[0]?.changed, ['beds']);

    const deletion = await holdOne(tenant, 'after=2&wait=60');
    await send(service, tenant, 'DELETE', `/listings/${id}`);
    const { data: last, nextAfter } = await readHeld(await deletion());
    assert.deepEqual([last[0]?.type, nextAfter], ['listing.deleted', 3]);
    assert.ok(!isAnyHeld());
  });

  test('existing events are returned at once', async () => {
    const tenant = await service.createTenant();
    await fill(service, tenant, 2);
    const { data } = await readEvents(await service.fetch(tenant, '/v1/events?wait=60&after=1'));
    assert.equal(data.length, 1);
  });

  test("unchanged listings and other accounts' events do not end the wait", async () => {
    const [tenant, other] = [await service.createTenant(), await service.createTenant()];
    const { id } = await readListing(await post(service, tenant, MINIMAL), 201);
    const reply = await holdOne(tenant, 'after=1&wait=60');
    await send(service, tenant, 'PATCH', `/listings/${id}`, { beds: MINIMAL.beds });
    await fill(service, other, 3);
    const reads = countReads(service);
    await until('the database was polled', () => reads.others >= 2);
    assert.ok(isAnyHeld());
    await send(service, tenant, 'PATCH', `/listings/${id}`, { beds: 9 });
    assert.equal((await readHeld(await reply())).nextAfter, 2);
  });

  test('after the wait without events, the response is empty and nextAfter is unchanged', async () => {
    const tenant = await service.createTenant();
    await fill(service, tenant, 1);
    const reply = await holdOne(tenant, 'after=1&wait=1');
    const { data, nextAfter } = await readHeld(await reply());
    assert.deepEqual([data, nextAfter], [[], 1]);
    assert.ok(!isAnyHeld());
  });

  test('HEAD and wait=0 respond at once', async () => {
    const tenant = await service.createTenant();
    assert.deepEqual((await readEvents(await service.fetch(tenant, '/v1/events?wait=0'))).data, []);
    const head = await service.fetch(tenant, '/v1/events?wait=60', { method: 'HEAD' });
    assert.deepEqual([head.status, await head.text(), isAnyHeld()], [200, '', false]);
  });
});

describe('a waiting request gets 401 once its key is invalid', () => {
  const assertRejected = ({ status, body }: RawReply) => assert.deepEqual([status, body], [401, KEY_REJECTED]);

  test('a deleted key gets 401 at the next event, without the event', async () => {
    const tenant = await service.createTenant();
    const deleted = await service.createKey(tenant.accountId);
    const reply = await holdOne(deleted, 'wait=60');
    await deleteApiKey(service.database, deleted.keyId);
    await fill(service, tenant, 1);
    assertRejected(await reply());
  });

  test('a deleted key gets 401 at the end of the wait', async () => {
    const tenant = await service.createTenant();
    const reply = await holdOne(tenant, 'wait=1');
    await deleteApiKey(service.database, tenant.keyId);
    assertRejected(await reply());
  });

  test('an expired key gets 401 at the end of the wait', async () => {
    const { accountId } = await service.createTenant();
    const tenant = await service.createKey(accountId, 'full', Date.now() + 700);
    const [reply] = await hold(service, [tenant], 'wait=1');
    assert.ok(reply);
    assertRejected(await reply);
  });
});

describe('a client that disconnects ends its wait', () => {
  const ways: [name: string, leave: (socket: Socket) => void][] = [
    ['by closing its connection', (socket) => socket.destroy()],
    ['even if it closes only its sending side', (socket) => socket.end()],
  ];
  for (const [name, leave] of ways) {
    test(name, async () => {
      const tenant = await service.createTenant();
      using connection = await openRaw(service.url);
      await holdOn(connection, tenant);
      leave(connection.socket);
      await until('no request waits', () => !isAnyHeld());
    });
  }

  test('and its pipelined requests never start', async () => {
    const tenant = await service.createTenant();
    const reads = countReads(service);
    using connection = await openRaw(service.url);
    connection.send(requestText('GET', '/v1/events?wait=60', tenant.key) + requestText('GET', '/v1/me', tenant.key));
    await until('a request waits', () => isAnyHeld());
    connection.socket.destroy();
    await until('no request waits', () => !isAnyHeld());
    assert.equal(reads.keys, 1);
  });
});
