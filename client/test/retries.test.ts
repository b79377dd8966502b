import assert from 'node:assert/strict';
import { after, describe, type TestContext, test } from 'node:test';
import { startTestService } from '../../testkit/src/service.ts';
import { ConnectionError, type PropertyListings, RateLimitedError, TimeoutError } from '../src/index.ts';
import { connect, connectByProxy, HOME, sequenceOf } from './support/connect.ts';
import { type Fate, firstMeet } from './support/proxy.ts';

/** Failures of a first attempt; the next one succeeds. */
const FATES: Fate[] = [
  'cut',
  'lose reply',
  'break reply',
  'shorten reply',
  'garbage',
  'garbage as JSON',
  'lose reply for 500',
  429,
  500,
  502,
  503,
];

type Write = (client: PropertyListings, id: string) => Promise<unknown>;

/** Every write, in an account with one listing. */
const WRITES: Record<string, Write> = {
  create: (client) => client.listings.create(HOME),
  update: (client, id) => client.listings.update(id, { beds: 4 }, { ifMatch: 1 }),
  delete: (client, id) => client.listings.delete(id),
  upsert: (client) => client.listings.upsert('MLS-1', HOME, { ifNoneMatch: '*' }),
  updateByExternalId: (client) => client.listings.updateByExternalId('MLS-0', { beds: 4 }),
  deleteByExternalId: (client) => client.listings.deleteByExternalId('MLS-0'),
  'atomic import': (client) => client.imports.create(rows(), { atomic: true }),
};

/** Import rows that can be read only once. */
function* rows() {
  yield HOME;
}

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());

describe('a write happens once', () => {
  for (const [name, write] of Object.entries(WRITES)) {
    test(`${name}, whatever the network does`, async (t) => {
      await Promise.all(FATES.map((fate) => writeOnce(t, write, fate)));
    });
  }

  async function writeOnce(t: TestContext, write: Write, fate: Fate): Promise<void> {
    const { client, tenant, proxy, id } = await prepare(t);
    proxy.judge = firstMeet(fate);
    await write(client, id);
    // The response to a delete has no body to cut.
    const isRetried = proxy.seen.length > 1;
    assert.ok(isRetried || fate === 'shorten reply' || fate === 'break reply', `${fate}: there was no retry`);
    assert.equal(await sequenceOf(service, tenant), 2, `${fate}: ${proxy.seen.length} requests`);
    assert.equal(new Set(proxy.seen.map(({ headers }) => headers['idempotency-key'])).size, 1);
  }

  async function prepare(t: TestContext, options = {}) {
    const connected = await connectByProxy(t, service, options);
    const { id } = await connected.client.listings.create({ ...HOME, externalId: 'MLS-0' });
    connected.proxy.seen.length = 0;
    return { ...connected, id };
  }

  test('even if the response times out', async (t) => {
    const { client, tenant, proxy } = await prepare(t);
    proxy.judge = firstMeet('hold reply');
    await client.listings.create(HOME, { timeoutMs: 1_000 });
    assert.deepEqual([proxy.seen.length, await sequenceOf(service, tenant)], [2, 2]);
  });

  test('with an Idempotency-Key, even without retries', async (t) => {
    const { client, tenant, proxy } = await prepare(t, { maxRetries: 0 });
    proxy.judge = firstMeet('lose reply');
    await assert.rejects(client.listings.create(HOME, { idempotencyKey: 'order-17' }), ConnectionError);
    await client.listings.create(HOME, { idempotencyKey: 'order-17' });
    await client.listings.create(HOME);
    const keys = proxy.seen.map(({ headers }) => String(headers['idempotency-key']));
    assert.deepEqual(keys.slice(0, 2), ['order-17', 'order-17']);
    assert.match(keys[2] ?? '', /^[0-9a-f]{32}$/);
    assert.equal(await sequenceOf(service, tenant), 3);
  });

  test('an import that is not atomic is not retried once it may have saved rows', async (t) => {
    for (const fate of ['lose reply', 'lose reply for 500', 'garbage', 'cut', 500, 503] as const) {
      const { client, tenant, proxy } = await prepare(t);
      proxy.judge = firstMeet(fate);
      await assert.rejects(client.imports.create([HOME]));
      assert.equal(proxy.seen.length, 1, `${fate}: the import was retried`);
      assert.equal(proxy.seen[0]?.headers['idempotency-key'], undefined);
      assert.ok((await sequenceOf(service, tenant)) <= 2);
    }
  });

  test('a dry run is retried, without an Idempotency-Key', async (t) => {
    const { client, tenant, proxy } = await prepare(t);
    proxy.judge = firstMeet('lose reply');
    const { created } = await client.imports.create([HOME], { dryRun: true });
    assert.deepEqual([created, proxy.seen.length, await sequenceOf(service, tenant)], [1, 2, 1]);
    assert.equal(proxy.seen[0]?.headers['idempotency-key'], undefined);
  });
});

describe('a read', () => {
  test('succeeds, whatever the network does', async (t) => {
    const read = async (fate: Fate) => {
      const { client, proxy } = await connectByProxy(t, service);
      proxy.judge = firstMeet(fate, 2);
      assert.equal((await client.me()).account.name, 'Hill Country Homes', String(fate));
      assert.equal(proxy.seen.length, 3, String(fate));
    };
    await Promise.all(FATES.map(read));
  });

  test('fails with the last error after the last retry', async (t) => {
    const { client, proxy } = await connectByProxy(t, service);
    proxy.judge = () => 502;
    await assert.rejects(client.me({ maxRetries: 1 }), { name: 'ApiError', status: 502, code: 'unexpected_reply' });
    assert.equal(proxy.seen.length, 2);
    proxy.judge = () => 'garbage';
    await assert.rejects(client.me({ maxRetries: 0 }), ConnectionError);
    proxy.judge = () => 'hold reply';
    await assert.rejects(client.me({ maxRetries: 0, timeoutMs: 100 }), TimeoutError);
  });

  test('that the service rejects is not retried', async (t) => {
    const { client, proxy } = await connectByProxy(t, service);
    await assert.rejects(client.listings.retrieve('lst_0'), { name: 'NotFoundError', status: 404 });
    assert.equal(proxy.seen.length, 1);
  });

  test('follows no redirect, so that the key is never sent to another host', async () => {
    const calls: string[] = [];
    const fetch = async (url: string, init: RequestInit) => {
      calls.push(`${init.redirect} ${url}`);
      return new Response(null, { status: 308, headers: { Location: 'https://elsewhere.example/v1/me' } });
    };
    const { client } = await connect(service, { fetch });
    await assert.rejects(client.me(), { status: 308, code: 'unexpected_reply' });
    assert.deepEqual(calls, [`manual ${service.url}/v1/me`]);
  });

  test('waits as long as the service asks', async () => {
    await using strict = await startTestService({ rateLimit: { points: 1, seconds: 1 } });
    const { client } = await connect(strict);
    const calls = await Promise.all([client.me(), client.me()]);
    assert.equal(calls.length, 2);
  });

  test('fails instead of waiting for an hour, and the error says how long', async () => {
    await using strict = await startTestService({ rateLimit: { points: 1, seconds: 3_600 } });
    const { client } = await connect(strict);
    await client.me();
    await assert.rejects(client.me(), (error) => {
      assert.ok(error instanceof RateLimitedError);
      assert.ok(Number(error.retryAfterMs) > 3_000_000);
      return true;
    });
  });

  test('rejects with the abort reason of its signal, even between attempts', async (t) => {
    const { client, proxy } = await connectByProxy(t, service);
    const reason = new Error('enough');
    await assert.rejects(client.me({ signal: AbortSignal.abort(reason) }), reason);
    assert.equal(proxy.seen.length, 0);
    for (const fate of ['hold reply', 500] as const) {
      const controller = new AbortController();
      proxy.judge = () => {
        setImmediate(() => controller.abort(reason));
        return fate;
      };
      await assert.rejects(client.me({ signal: controller.signal, maxRetries: Infinity }), reason);
    }
  });
});
