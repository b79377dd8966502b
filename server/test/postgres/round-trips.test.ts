import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proxyFor } from '../../../testkit/src/postgres-proxy.ts';
import { requestText } from '../../../testkit/src/raw-http.ts';
import { connectionFor, databaseFor, LISTING, serviceFor } from './support.ts';

/** Repetitions: background work can add round trips to some of them, but not to all. */
const TURNS = 8;

for (const preparesStatements of [true, false]) {
  const how = preparesStatements ? '' : ', even behind a pooler that drops prepared statements';
  test(`a request that looks up a key, counts, and reads a page takes two round trips${how}`, async (t) => {
    const database = await databaseFor(t);
    const proxy = await proxyFor(t, database.url);
    const rateLimit = { points: 1_000, seconds: 3_600 };
    const service = await serviceFor(t, database, { url: proxy.url, rateLimit, databasePool: { preparesStatements } });
    const tenant = await service.createTenant();
    const ask = await connectionFor(t, service.url);
    const { id } = JSON.parse((await ask(requestText('POST', '/v1/listings', tenant.key, LISTING))).body);
    let left = 999;
    for (const [path, most] of [
      ['/v1/me', 2],
      ['/v1/listings?limit=20', 2],
      ['/v1/listings', 2],
      // The check of the key shares the round trip of the search.
      ['/v1/listings?sort=listPrice&limit=1', 2],
      [`/v1/listings/${id}`, 2],
      ['/v1/events?after=1', 1],
      // A third round trip ends the cursor's transaction, but the response does not wait for it.
      ['/v1/events', 2],
    ] as const) {
      const trips: number[] = [];
      for (let turn = 0; turn < TURNS; turn += 1) {
        const before = proxy.trips;
        // The empty parameters keep lists out of the cache.
        const separator = path.includes('?') ? '' : '?';
        const reply = await ask(requestText('GET', path + separator + '&'.repeat(turn), tenant.key));
        trips.push(proxy.trips - before);
        left -= 1;
        assert.equal(reply.status, 200);
        assert.match(reply.head, new RegExp(`^RateLimit: "default";r=${left};`, 'im'));
      }
      assert.equal(Math.min(...trips), most, `${path}: ${trips}`);
    }
  });
}

test('a request that looks up a key and repeats a list takes one round trip', async (t) => {
  const database = await databaseFor(t);
  const proxy = await proxyFor(t, database.url);
  const service = await serviceFor(t, database, { url: proxy.url });
  const tenant = await service.createTenant();
  const ask = await connectionFor(t, service.url);
  const trips: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const before = proxy.trips;
    assert.equal((await ask(requestText('GET', '/v1/listings?limit=20', tenant.key))).status, 200);
    trips.push(proxy.trips - before);
  }
  assert.equal(Math.min(...trips), 1, `${trips}`);
});

test('a request that looks up a key and creates a listing takes three round trips', async (t) => {
  const database = await databaseFor(t);
  const proxy = await proxyFor(t, database.url);
  const service = await serviceFor(t, database, { url: proxy.url });
  const tenant = await service.createTenant();
  const ask = await connectionFor(t, service.url);
  const trips: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const before = proxy.trips;
    const reply = await ask(requestText('POST', '/v1/listings', tenant.key, LISTING));
    trips.push(proxy.trips - before);
    assert.equal(reply.status, 201);
  }
  assert.equal(Math.min(...trips), 3, `${trips}`);
});
