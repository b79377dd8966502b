import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { importFile, NDJSON } from '../../../testkit/src/imports.ts';
import { fill, MINIMAL, post, send } from '../../../testkit/src/listings.ts';
import { type EventsReply, linesOf, readError, readEvents, readListing } from '../../../testkit/src/replies.ts';
import { startSharedService, type Tenant } from '../../../testkit/src/service.ts';
import { until } from '../../../testkit/src/until.ts';
import { hold, isAnyHeld } from '../support/held.ts';

const service = await startSharedService();

const get = (tenant: Tenant, query: string) => service.fetch(tenant, `/v1/events?${query}`);
const events = async (tenant: Tenant, query: string) => readEvents(await get(tenant, query));
const create = async (tenant: Tenant, fields: object = {}) =>
  readListing(await post(service, tenant, { ...MINIMAL, ...fields }), 201);
const patch = async (tenant: Tenant, id: string, body: object) =>
  readListing(await send(service, tenant, 'PATCH', `/listings/${id}`, body));

/** Follows a filter to the end, in pages of `limit`. */
async function follow(tenant: Tenant, filter: string, limit: number) {
  const found: EventsReply['data'] = [];
  let after = 0;
  for (;;) {
    const { data, nextAfter } = await events(tenant, `after=${after}&limit=${limit}&${filter}`);
    assert.ok(data.length <= limit && data.every(({ sequence }) => sequence > after && sequence <= nextAfter));
    found.push(...data);
    if (nextAfter === after) return { found, after };
    after = nextAfter;
  }
}

/** Stores events about listings of a feed without making the listings. */
async function storeEvents({ accountId }: Tenant, count: number, feedOf: (sequence: number) => string | null) {
  for (let start = 1; start <= count; start += 500) {
    const rows = Array.from({ length: Math.min(500, count - start + 1) }, (_, index) => {
      const feed = feedOf(start + index);
      const name = feed === null ? 'null' : `'${feed}'`;
      return `('${accountId}', ${start + index}, 'listing.deleted', 'lst_x', null, ${Date.now()}, ${name}, null)`;
    });
    await service.script(
      `insert into events (account_id, sequence, type, listing_id, changed, created_at, feed, external_id)
      values ${rows.join(', ')}`,
    );
  }
  await service.script(`update account_heads set sequence = ${count} where account_id = '${accountId}'`);
}

describe('filtered events', () => {
  test('are those of the types, the listing, or both, as without the filter', async () => {
    const tenant = await service.createTenant();
    const { id } = await create(tenant);
    const { id: other } = await create(tenant, { externalId: 'MLS-2' });
    await patch(tenant, id, { beds: 4 });
    await patch(tenant, other, { beds: 4 });
    await send(service, tenant, 'DELETE', `/listings/${other}`);
    await patch(tenant, id, { beds: 5 });
    const all = (await events(tenant, '')).data;
    for (const [filter, ...sequences] of [
      ['type=listing.created', 1, 2],
      ['type=listing.deleted,listing.created', 1, 2, 5],
      [`listingId=${id}`, 1, 3, 6],
      [`listingId=${other}&type=listing.updated,listing.deleted`, 4, 5],
      ['feed=mls'],
      ['listingId=lst_00000000000000000000000000'],
    ] as const) {
      const expected = all.filter(({ sequence }) => sequences.some((each) => each === sequence));
      for (const limit of [1, 2, 100]) {
        assert.deepEqual(await follow(tenant, filter, limit), { found: expected, after: 6 }, `${filter} ${limit}`);
      }
    }
  });

  test("with feed, are those of the feed's listings after the change, or before the deletion", async () => {
    const tenant = await service.createTenant();
    await storeEvents(tenant, 5, (sequence) => [null, 'mls', 'other', 'mls', null][sequence - 1] ?? null);
    const { data, nextAfter } = await events(tenant, 'feed=mls');
    assert.deepEqual(linesOf(data, 'sequence', 'type'), ['2 listing.deleted', '4 listing.deleted']);
    assert.equal(nextAfter, 5);
  });

  test('are found by examining at most 10,000 events per request', async () => {
    const tenant = await service.createTenant();
    await storeEvents(tenant, 12_345, (sequence) => (sequence % 3_000 === 0 ? 'mls' : null));
    const first = await events(tenant, 'feed=mls&wait=60');
    assert.deepEqual(linesOf(first.data, 'sequence'), ['3000', '6000', '9000']);
    assert.equal(first.nextAfter, 10_000);
    const second = await events(tenant, 'feed=mls&after=10000');
    assert.deepEqual([linesOf(second.data, 'sequence'), second.nextAfter], [['12000'], 12_345]);
    const full = await events(tenant, 'feed=mls&limit=2');
    assert.deepEqual([linesOf(full.data, 'sequence'), full.nextAfter], [['3000', '6000'], 6_000]);
    // Even with a wait, a request that has examined enough returns at once.
    assert.deepEqual((await events(tenant, 'feed=none&wait=60')).nextAfter, 10_000);
  });

  test('that have expired get 410', async () => {
    const tenant = await service.createTenant();
    await fill(service, tenant, 5);
    await service.sql('delete from events where account_id = ? and sequence <= 2', tenant.accountId);
    for (const after of [0, 1, 6]) {
      await readError(await get(tenant, `after=${after}&type=listing.deleted`), 410, 'events_expired');
    }
    assert.deepEqual((await events(tenant, 'after=2&type=listing.deleted')).nextAfter, 5);
  });

  test('are waited for while other events happen', async () => {
    const tenant = await service.createTenant();
    const { id } = await create(tenant);
    const [held] = await hold(service, [tenant], 'after=1&wait=60&type=listing.deleted');
    await fill(service, tenant, 3);
    await patch(tenant, id, { beds: 9 });
    await until('the request waits again', async () => isAnyHeld());
    await send(service, tenant, 'DELETE', `/listings/${id}`);
    const reply = await held;
    assert.ok(reply);
    const { data, nextAfter } = JSON.parse(reply.body);
    assert.deepEqual([linesOf(data, 'sequence', 'type'), nextAfter], [['6 listing.deleted'], 6]);
  });

  test('include every match, if a client follows them while others write', async () => {
    const tenant = await service.createTenant();
    const filter = 'type=listing.updated,listing.deleted';
    let isWriting = true;
    const write = async (slot: number) => {
      for (let beds = 1; beds <= 12; beds += 1) {
        const path = `/listings/external/slot-${slot}`;
        const isLast = beds % 4 === 0;
        const response = await (isLast
          ? send(service, tenant, 'DELETE', path)
          : send(service, tenant, 'PUT', path, { ...MINIMAL, beds }));
        assert.ok(response.ok);
        await response.arrayBuffer();
        const rows = [0, 1].map((row) => JSON.stringify({ ...MINIMAL, externalId: `row-${slot}-${row}`, beds }));
        await importFile(service, tenant, { type: NDJSON, body: rows.join('\n'), query: isLast ? '?atomic=true' : '' });
      }
    };
    const writing = Promise.all([1, 2, 3].map(write)).finally(() => {
      isWriting = false;
    });
    const found: EventsReply['data'] = [];
    let after = 0;
    for (;;) {
      const isLast = !isWriting;
      const { data, nextAfter } = await events(tenant, `after=${after}&limit=3&wait=${isLast ? 0 : 1}&${filter}`);
      found.push(...data);
      if (isLast && nextAfter === after) break;
      after = nextAfter;
    }
    await writing;
    const all = (await events(tenant, 'limit=1000')).data;
    assert.equal(after, all.length);
    assert.deepEqual(
      found,
      all.filter(({ type }) => type !== 'listing.created'),
    );
  });
});
