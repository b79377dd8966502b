import assert from 'node:assert/strict';
import { after, describe, type TestContext, test } from 'node:test';
import { generateSecret } from '../../server/src/model/api-keys.ts';
import { plant } from '../../testkit/src/listings.ts';
import { startTestService } from '../../testkit/src/service.ts';
import { until } from '../../testkit/src/until.ts';
import { ConnectionError, ListCutError } from '../src/index.ts';
import { clientOf, connect, HOME } from './support/connect.ts';
import { type Fate, firstMeet, proxyFor } from './support/proxy.ts';

/** Enough listings for more than one chunk of a stream. */
const COUNT = 1_234;

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());

const tenant = await service.createTenant();
await plant(service, tenant, COUNT, 200);

describe('a list', () => {
  async function proxied(t: TestContext) {
    const proxy = await proxyFor(t, service.url);
    return { proxy, client: clientOf(tenant.key, proxy.url) };
  }

  test('returns its first page when awaited, and sends nothing before', async (t) => {
    const { client, proxy } = await proxied(t);
    const list = client.listings.list({ limit: 7 });
    assert.equal(proxy.seen.length, 0);
    const page = await list;
    assert.equal(page.data.length, 7);
    assert.deepEqual(await list, page);
    const { response } = await list.withResponse();
    assert.match(response.headers.get('Link') ?? '', /rel="next"/);
    assert.equal(proxy.seen.length, 1);
    assert.equal((await client.listings.list()).data.length, 100);
  });

  test('iterates over all pages', async (t) => {
    const { client, proxy } = await proxied(t);
    const ids: string[] = [];
    for await (const { data } of client.listings.list({ limit: 500 }).pages()) ids.push(...data.map(({ id }) => id));
    assert.deepEqual([ids.length, new Set(ids).size, proxy.seen.length], [COUNT, COUNT, 3]);
  });

  test('streams every listing in one request, whatever the page size', async (t) => {
    const { client, proxy } = await proxied(t);
    const listings = await Array.fromAsync(client.listings.list({ limit: 10 }));
    assert.equal(listings.length, COUNT);
    assert.deepEqual(listings.slice(0, 10), (await client.listings.list({ limit: 10 })).data);
    assert.equal(proxy.seen.filter(({ headers }) => headers.accept === 'application/x-ndjson').length, 1);
  });

  test('yields listings before the last one arrives, and closes the connection on return', async (t) => {
    const { client, proxy } = await proxied(t);
    proxy.judge = () => 'stall';
    const listings = client.listings.list()[Symbol.asyncIterator]();
    assert.equal((await listings.next()).value?.beds, COUNT);
    assert.equal(proxy.open.size, 1);
    await listings.return();
    await until('the connection is closed', () => proxy.open.size === 0);
  });

  test('is requested again when its stream stalls', async (t) => {
    const { client, proxy } = await proxied(t);
    proxy.judge = firstMeet('stall');
    assert.equal((await Array.fromAsync(client.listings.list({}, { timeoutMs: 1_000 }))).length, COUNT);
    assert.equal(proxy.seen.length, 2);
  });

  for (const fate of ['break reply', 'shorten reply'] as const) {
    test(`is complete and without repeats even if its stream meets "${fate}"`, async (t) => {
      const { client, proxy } = await proxied(t);
      proxy.judge = firstMeet(fate, 2);
      const beds = await Array.fromAsync(client.listings.list(), (listing) => listing.beds);
      assert.deepEqual(
        beds,
        Array.from({ length: COUNT }, (_, index) => COUNT - index),
      );
      assert.equal(proxy.seen.length, 3);
    });
  }

  for (const fate of ['stall', 'shorten reply'] as const) {
    for (const query of [{ sort: 'beds' }, { fields: ['beds'] }] as const) {
      test(`that cannot be resumed fails on "${fate}": ${JSON.stringify(query)}`, async (t) => {
        const { client, proxy } = await proxied(t);
        proxy.judge = firstMeet(fate);
        let count = 0;
        const reading = (async () => {
          for await (const _ of client.listings.list<'beds'>(query)) {
            count += 1;
            for (const reply of proxy.open) if (fate === 'stall') reply.destroy();
          }
        })();
        await assert.rejects(reading, (error) => {
          assert.ok(error instanceof ListCutError && error.cause instanceof ConnectionError);
          assert.match(error.message, new RegExp(`cut off after ${count} listings`));
          return true;
        });
        assert.ok(count > 0 && count < COUNT);
      });
    }
  }

  test('fails if its stream always ends at the same place', async (t) => {
    const { client, proxy } = await proxied(t);
    proxy.judge = () => 'shorten reply';
    let count = 0;
    const reading = (async () => {
      for await (const _ of client.listings.list({}, { maxRetries: 1 })) count += 1;
    })();
    await assert.rejects(reading, { name: 'ListCutError' });
    assert.ok(count > 0 && count < COUNT);
    assert.equal(proxy.seen.length, 2);
  });

  test('is retried if it fails before its first listing, even if sorted', async (t) => {
    const fates: Fate[] = ['cut', 'lose reply', 'garbage', 'garbage as JSON', 429, 500];
    await Promise.all(
      fates.map(async (fate) => {
        const { client, proxy } = await proxied(t);
        proxy.judge = firstMeet(fate);
        const listings = await Array.fromAsync(client.listings.list({ sort: '-beds' }));
        assert.deepEqual([listings.length, proxy.seen.length], [COUNT, 2], String(fate));
      }),
    );
  });

  test('gives the reason if it is rejected', async (t) => {
    const { client } = await proxied(t);
    const list = client.listings.list({ q: '!' });
    await assert.rejects(async () => list, { name: 'InvalidQueryError', status: 400 });
    await assert.rejects(Array.fromAsync(list), { name: 'InvalidQueryError', status: 400 });
    await assert.rejects(Array.fromAsync(list.pages()), { name: 'InvalidQueryError' });
  });

  test('rejects with the abort reason of its signal', async (t) => {
    const { client } = await proxied(t);
    const controller = new AbortController();
    const reason = new Error('enough');
    const reading = (async () => {
      for await (const { beds } of client.listings.list({}, { signal: controller.signal })) {
        if (beds === COUNT - 5) controller.abort(reason);
      }
    })();
    await assert.rejects(reading, reason);
  });

  test('of an empty account is empty', async () => {
    const { client } = await connect(service);
    assert.deepEqual(await Array.fromAsync(client.listings.list()), []);
    assert.deepEqual((await client.listings.list()).data, []);
    await client.listings.create({ ...HOME, description: 'a\u2028b\u2029c' });
    assert.equal((await Array.fromAsync(client.listings.list())).length, 1);
  });
});

test('a list cut at any byte fails, and a complete one arrives in chunks of any size', async () => {
  const rows = ['c', 'b', 'a'].map((letter) => ({ id: `lst_${letter}`, address: `東京 😀 ${letter}` }));
  const text = [...rows, { end: true, count: rows.length }].map((row) => `${JSON.stringify(row)}\n`).join('');
  const bytes = Buffer.from(text);
  for (const pieceLength of [1, 7, bytes.length]) {
    for (let length = 0; length <= bytes.length; length += 1) {
      const pieces = Array.from({ length: Math.ceil(length / pieceLength) }, (_, index) =>
        bytes.subarray(index * pieceLength, Math.min(length, (index + 1) * pieceLength)),
      );
      const headers = { 'Content-Type': 'application/x-ndjson' };
      const fetch = async () => new Response(ReadableStream.from(pieces), { headers });
      const client = clientOf(generateSecret(), 'http://127.0.0.1:9', { fetch, maxRetries: 0 });
      const reading = Array.fromAsync(client.listings.list());
      // The last line needs no line feed.
      if (length >= bytes.length - 1) assert.deepEqual(await reading, rows);
      else await assert.rejects(reading, ConnectionError, `${length} bytes in pieces of ${pieceLength}`);
    }
  }
});
