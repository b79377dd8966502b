import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService } from '../../testkit/src/service.ts';
import { until } from '../../testkit/src/until.ts';
import { EventsExpiredError, type ListingEvent, type PropertyListings } from '../src/index.ts';
import { clientOf, connect, connectByProxy, HOME } from './support/connect.ts';
import { MemoryStore } from './support/memory-store.ts';
import { type Fate, proxyFor } from './support/proxy.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());

describe('follow', () => {
  /** Reads that many events. */
  async function take(client: PropertyListings, count: number, after = 0): Promise<number[]> {
    const sequences: number[] = [];
    for await (const { sequence } of client.events.follow({ after })) {
      sequences.push(sequence);
      if (sequences.length === count) break;
    }
    return sequences;
  }

  test('yields past events after a sequence, then new ones', async (t) => {
    const { client, proxy } = await connectByProxy(t, service);
    await client.imports.create(Array.from({ length: 5 }, () => HOME));
    const taking = take(client, 5, 2);
    await until('the client waits for more events', () => proxy.seen.some(({ url }) => url.includes('wait=25')));
    await client.listings.create(HOME);
    await client.listings.create(HOME);
    assert.deepEqual(await taking, [3, 4, 5, 6, 7]);
  });

  test('neither misses nor repeats an event, whatever the network does', async (t) => {
    const { client, proxy } = await connectByProxy(t, service);
    const fates: Fate[] = ['lose reply', 'break reply', 'shorten reply', 'garbage', 'cut', 500, 429, 503];
    let turn = 0;
    proxy.judge = ({ method }) => {
      if (method !== 'GET') return 'forward';
      turn += 1;
      return turn % 2 === 0 ? (fates.shift() ?? 'forward') : 'forward';
    };
    const taking = take(client, 20);
    for (let index = 0; index < 20; index += 1) await client.listings.create(HOME);
    assert.deepEqual(
      await taking,
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
  });

  test('ignores a cached page of another request', async (t) => {
    const { client, proxy, tenant } = await connectByProxy(t, service);
    await client.imports.create([HOME, HOME]);
    const straight = clientOf(tenant.key, service.url);
    const old = JSON.stringify(await straight.events.list());
    let stale = 2;
    const fetch = async (url: string, init: RequestInit) => {
      const isStale = url.includes('after=2') && stale > 0;
      if (isStale) stale -= 1;
      return isStale
        ? new Response(old, { headers: { 'Content-Type': 'application/json' } })
        : globalThis.fetch(url, init);
    };
    const cached = clientOf(tenant.key, proxy.url, { fetch });
    const taking = take(cached, 3);
    await client.listings.create(HOME);
    assert.deepEqual(await taking, [1, 2, 3]);
  });

  test('ignores a page of another database', async (t) => {
    const { client, tenant } = await connectByProxy(t, service);
    await client.listings.create(HOME);
    const { epoch } = await client.events.list();
    let replies = 0;
    const fetch = async (url: string, init: RequestInit) => {
      const reply = await globalThis.fetch(url, init);
      replies += 1;
      return replies > 1 ? reply : Response.json({ ...Object(await reply.json()), epoch: 'aaaaaaaa' });
    };
    const { value } = await clientOf(tenant.key, service.url, { fetch }).events.follow({ epoch }).next();
    assert.deepEqual([value?.epoch, replies], [epoch, 2]);
  });

  test('caps a long Retry-After at the longest possible timer', async (t) => {
    const { tenant } = await connectByProxy(t, service);
    const controller = new AbortController();
    const timers = t.mock.method(globalThis, 'setTimeout');
    let replies = 0;
    const fetch = async () => {
      replies += 1;
      if (replies === 1) return Response.json({ data: [], nextAfter: 0, epoch: 'aaaaaaaa' });
      return new Response(null, { status: 503, headers: { 'Retry-After': '99999999999' } });
    };
    const { events } = clientOf(tenant.key, service.url, { fetch });
    const following = events.follow({}, { signal: controller.signal }).next();
    const longest = () => Math.max(...timers.mock.calls.map(({ arguments: [, delayMs] }) => Number(delayMs ?? 0)));
    await until('it waits', () => longest() > 60_000);
    controller.abort(new Error('enough'));
    await assert.rejects(following, /enough/);
    assert.deepEqual([longest(), replies], [2 ** 31 - 1, 2]);
  });

  test('fails if the events have expired or belong to another database', async (t) => {
    const { client } = await connectByProxy(t, service);
    await client.listings.create(HOME);
    await assert.rejects(take(client, 1, 99), EventsExpiredError);
    const other = client.events.follow({ after: 0, epoch: 'aaaaaaaa' });
    await assert.rejects(other.next(), { name: 'EventsExpiredError', code: 'events_expired', status: 410 });
  });

  test('fails if it has never reached the service, and if the key is rejected', async (t) => {
    const { client, proxy, tenant } = await connectByProxy(t, service);
    proxy.judge = () => 'cut';
    await assert.rejects(take(client, 1), { name: 'ConnectionError' });
    proxy.judge = () => 'forward';
    const following = take(client, 1);
    await until('it waits', () => proxy.seen.some(({ url }) => url.includes('wait=25')));
    await service.sql('delete from api_keys where account_id = ?', tenant.accountId);
    for (const reply of proxy.open) reply.destroy();
    await assert.rejects(following, { name: 'UnauthorizedError', status: 401 });
  });

  test('rejects with the abort reason of its signal while it waits', async (t) => {
    const { client, proxy } = await connectByProxy(t, service);
    const controller = new AbortController();
    const reason = new Error('enough');
    const following = client.events.follow({}, { signal: controller.signal }).next();
    await until('it waits', () => proxy.seen.some(({ url }) => url.includes('wait=25')));
    controller.abort(reason);
    await assert.rejects(following, reason);
    await until('the connection is closed', () => proxy.open.size === 0);
  });
});

describe('sync', () => {
  test('copies the complete list once, then only changes', async () => {
    const { client } = await connect(service);
    const store = new MemoryStore();
    const [first, second] = [await client.listings.create(HOME), await client.listings.create(HOME)];
    await client.listings.sync(store, { follow: false });
    await client.listings.update(first.id, { beds: 7 });
    await client.listings.delete(second.id);
    const third = await client.listings.create(HOME);
    await client.listings.sync(store, { follow: false });
    assert.deepEqual([...store.listings.values()], [await client.listings.retrieve(first.id), third]);
    assert.deepEqual([store.replaced, store.kept?.after], [1, 5]);
  });

  test('includes changes made while the list is read', async () => {
    const { client } = await connect(service);
    const [first, second] = [await client.listings.create(HOME), await client.listings.create(HOME)];
    const store = new MemoryStore();
    const replace = store.replace.bind(store);
    store.replace = async (listings) => {
      await client.listings.update(first.id, { beds: 7 });
      await replace(listings);
      await client.listings.delete(second.id);
    };
    await client.listings.sync(store, { follow: false });
    assert.deepEqual([...store.listings.values()], [await client.listings.retrieve(first.id)]);
  });

  test('copies everything again if the events have expired or belong to another database', async () => {
    const { client } = await connect(service);
    const { id } = await client.listings.create(HOME);
    for (const kept of [{ after: 99 }, { after: 1, epoch: 'aaaaaaaa' }]) {
      const store = new MemoryStore();
      store.kept = kept;
      store.listings.set('lst_gone', { ...(await client.listings.retrieve(id)), id: 'lst_gone' });
      await client.listings.sync(store, { follow: false });
      assert.deepEqual([...store.listings.keys()], [id]);
    }
  });

  test('never keeps an incomplete list as the copy', async (t) => {
    const proxy = await proxyFor(t, service.url);
    const { client } = await connect(service, { url: proxy.url, maxRetries: 0 });
    await client.imports.create(Array.from({ length: 50 }, () => HOME));
    const store = new MemoryStore();
    proxy.judge = ({ headers }) => (headers.accept === 'application/x-ndjson' ? 'shorten reply' : 'forward');
    await assert.rejects(client.listings.sync(store, { follow: false }), { name: /ListCutError|ConnectionError/ });
    assert.deepEqual([store.kept, store.listings.size], [undefined, 0]);
    proxy.judge = () => 'forward';
    store.replace = async (listings) => {
      for await (const _ of listings) break;
    };
    await assert.rejects(client.listings.sync(store), /must read all listings/);
    assert.equal(store.kept, undefined);
  });

  test('completes the copy, wherever it was stopped', async () => {
    const { client } = await connect(service);
    const listings = await Promise.all([HOME, HOME, HOME].map((home) => client.listings.create(home)));
    const [first, second] = listings.map(({ id }) => id);
    const store = new MemoryStore();
    const { position, replace, apply } = store;
    for (let stopAt = 1; ; stopAt += 1) {
      let calls = 0;
      const stopping =
        <Given extends unknown[], T>(work: (...given: Given) => T) =>
        (...given: Given): T => {
          calls += 1;
          if (calls === stopAt) throw new Error('stopped');
          return work.apply(store, given);
        };
      Object.assign(store, { position: stopping(position), replace: stopping(replace), apply: stopping(apply) });
      const isStopped = await client.listings.sync(store, { follow: false }).then(
        () => false,
        () => true,
      );
      if (!isStopped) break;
      await client.listings.update(String(first), { beds: stopAt + 10 });
      if (stopAt === 2) await client.listings.delete(String(second));
    }
    const expected = await client.listings.list();
    assert.deepEqual(new Set(store.listings.values()), new Set(expected.data));
    assert.deepEqual(store.kept, { after: expected.sequence, epoch: expected.epoch });
  });

  test('fails with the error of its store', async () => {
    const { client } = await connect(service);
    await client.listings.create(HOME);
    const store = new MemoryStore();
    store.apply = (events: ListingEvent[]) => {
      throw new Error(`disk full at ${events.length}`);
    };
    await assert.rejects(client.listings.sync(store), /disk full at 0/);
  });
});
