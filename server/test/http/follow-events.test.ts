import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { fill, fillWithLarge, MINIMAL, openList, readAll, send } from '../../../testkit/src/listings.ts';
import { type ListReply, readEvents, readList } from '../../../testkit/src/replies.ts';
import { startTestService, type Tenant } from '../../../testkit/src/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());

const RUNS = 12;

/** Concurrent requests on a few external ids, so that they change the same listings. */
const step = fc.oneof(
  fc.record({ type: fc.constant('put' as const), slot: fc.nat(4), beds: fc.nat(3) }),
  fc.record({ type: fc.constant('delete' as const), slot: fc.nat(4) }),
  fc.record({ type: fc.constant('list' as const), limit: fc.integer({ min: 1, max: 4 }) }),
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A list read at some moment, and the page size for reading the events after it. */
interface Copy {
  list: ListReply;
  limit: number;
}

/** Sends one request. Returns the list if the request reads one. */
async function take(tenant: Tenant, action: Step): Promise<Copy | undefined> {
  if (action.type === 'list') {
    const list = await readList(await service.fetch(tenant, '/v1/listings'));
    return { list, limit: action.limit };
  }
  const path = `/listings/external/slot-${action.slot}`;
  const response =
    action.type === 'put'
      ? await send(service, tenant, 'PUT', path, { ...MINIMAL, beds: action.beds })
      : await send(service, tenant, 'DELETE', path);
  assert.ok([200, 201, 204, 404].includes(response.status));
  await response.arrayBuffer();
  return undefined;
}

/** Reads all events after a list and applies them; newest first, like a list. */
async function follow(tenant: Tenant, { list, limit }: Copy) {
  const listings = new Map(list.data.map((listing) => [listing.id, listing]));
  let { sequence } = list;
  for (;;) {
    const query = `?after=${sequence}&limit=${limit}&epoch=${list.epoch}`;
    const { data, nextAfter } = await readEvents(await service.fetch(tenant, `/v1/events${query}`));
    for (const event of data) {
      sequence += 1;
      assert.equal(event.sequence, sequence, 'events have consecutive sequences');
      if (event.listing === undefined) listings.delete(event.listingId);
      else listings.set(event.listingId, event.listing);
    }
    assert.equal(nextAfter, sequence);
    if (data.length === 0) break;
  }
  const data = [...listings.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
  return { data, sequence };
}

test('any list plus the events after its sequence gives the current list', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { maxLength: 8 }), { maxLength: 8 }), async (rounds) => {
      const tenant = await service.createTenant();
      const copies: Copy[] = [];
      for (const round of rounds) {
        const taken = await Promise.all(round.map((action) => take(tenant, action)));
        copies.push(...taken.filter((copy) => copy !== undefined));
      }
      const { data, sequence } = await readList(await service.fetch(tenant, '/v1/listings'));
      for (const copy of copies) assert.deepEqual(await follow(tenant, copy), { data, sequence });
    }),
    { numRuns: RUNS },
  );
});

test('a list sent during changes plus the events after its sequence gives the current list', async () => {
  const tenant = await service.createTenant();
  const [oldest] = await fill(service, tenant, 2);
  await fill(service, tenant, 300);
  // The list must exceed the buffers between two sockets.
  await fillWithLarge(service, tenant, 20);
  const response = await openList(service, tenant);
  const newest = await fill(service, tenant, 3);
  for (const id of [oldest, newest[0]]) await send(service, tenant, 'DELETE', `/listings/${id}`);
  await send(service, tenant, 'PATCH', `/listings/${newest[1]}`, { beds: 9 });
  const { data } = await readList(await service.fetch(tenant, '/v1/listings?limit=1000'));
  for (const { id } of data.slice(-3)) await send(service, tenant, 'PATCH', `/listings/${id}`, { city: 'Austin' });

  const { text, isComplete } = await readAll(response);
  assert.ok(isComplete);
  const now = await readList(await service.fetch(tenant, '/v1/listings'));
  assert.deepEqual(await follow(tenant, { list: JSON.parse(text), limit: 3 }), {
    data: now.data,
    sequence: now.sequence,
  });
});
