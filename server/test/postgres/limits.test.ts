import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defer } from '../../../testkit/src/cleanup.ts';
import { createPostgresDatabase } from '../../../testkit/src/database.ts';
import { createTenantByCommand } from '../../../testkit/src/process.ts';
import { requestText } from '../../../testkit/src/raw-http.ts';
import { directoryFor, serveFor } from '../../../testkit/src/serving.ts';
import { createDatabaseLimiters, createMemoryLimiter } from '../../src/lib/limiter.ts';
import { generateSecret } from '../../src/model/api-keys.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { clientFor, connectionFor, databaseFor, serviceFor } from './support.ts';

test('services that share only a database count a key’s requests together', async (t) => {
  const { url, drop } = await createPostgresDatabase();
  defer(t, drop);
  const settings = { DATA_DIR: await directoryFor(t), DATABASE_URL: url, RATE_LIMIT: '6/1h' };
  const { key } = await createTenantByCommand(settings);
  const services = await Promise.all([serveFor(t, settings), serveFor(t, settings)]);
  const statuses: number[] = [];
  const left: (string | null)[] = [];
  for (let index = 0; index < 8; index += 1) {
    const service = services[index % 2];
    const response = await fetch(`${service?.url}/v1/me`, { headers: { Authorization: `Bearer ${key}` } });
    statuses.push(response.status);
    left.push(/;r=(\d+);/.exec(response.headers.get('ratelimit') ?? '')?.[1] ?? null);
    await response.text();
  }
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 200, 429, 429]);
  assert.deepEqual(left, ['5', '4', '3', '2', '1', '0', '0', '0']);
});

const rateLimit = { points: 100, seconds: 3_600 };

function leftOf({ head }: { head: string }): number {
  return Number(/^RateLimit: "default";r=(\d+);/im.exec(head)?.[1]);
}

test('requests with an invalid or expired key are not counted', async (t) => {
  const database = await databaseFor(t);
  const service = await serviceFor(t, database, { rateLimit });
  const { keyId, key } = await service.createTenant();
  const ask = await connectionFor(t, service.url);
  await database.sql('update api_keys set expires_at = 1 where id = ?', keyId);
  for (const secret of [key, generateSecret(), 'nonsense']) {
    const { status, head } = await ask(requestText('GET', '/v1/me', secret));
    assert.equal(status, 401);
    assert.doesNotMatch(head, /^ratelimit/im);
  }
  const counted = await database.sql("select key from rate_limits where key like 'requests %'");
  assert.deepEqual(counted, []);
});

test('a process with a slightly slow clock continues the count', async (t) => {
  const database = await databaseFor(t);
  const service = await serviceFor(t, database, { rateLimit });
  const { key } = await service.createTenant();
  const ask = await connectionFor(t, service.url);
  assert.equal(leftOf(await ask(requestText('GET', '/v1/me', key))), 99);
  await database.sql("update rate_limits set expire = expire + 30000 where key like 'requests %'");
  assert.equal(leftOf(await ask(requestText('GET', '/v1/me', key))), 98);
  await database.sql("update rate_limits set expire = expire + 90000 where key like 'requests %'");
  assert.equal(
    leftOf(await ask(requestText('GET', '/v1/me', key))),
    99,
    'a clock that was set far back restarts the count',
  );
});

test('more concurrent requests than connections are all counted, and none hangs', async (t) => {
  const database = await databaseFor(t);
  const service = await serviceFor(t, database, {
    rateLimit: { points: 50, seconds: 3_600 },
    databasePool: { poolSize: 1 },
  });
  const { key } = await service.createTenant();
  const asks = await Promise.all(Array.from({ length: 30 }, () => connectionFor(t, service.url)));
  const requests = ['/v1/me', '/v1/listings?limit=5', '/v1/events'].map((path) => requestText('GET', path, key));
  const ask = (index: number) => asks.map((each, place) => each(requests[(place + index) % requests.length] ?? ''));
  const replies = [...(await Promise.all(ask(0))), ...(await Promise.all(ask(1)))];
  const good = replies.filter(({ status }) => status === 200);
  assert.deepEqual(
    good.map(leftOf).sort((one, other) => one - other),
    Array.from({ length: 50 }, (_, index) => index),
  );
  assert.deepEqual([...new Set(replies.map(({ status }) => status))].sort(), [200, 429]);
});

test('a request on a dead connection is counted once', async (t) => {
  const database = await databaseFor(t);
  const service = await serviceFor(t, database, { rateLimit });
  const { key } = await service.createTenant();
  const ask = await connectionFor(t, service.url);
  const operator = await clientFor(t, database);
  for (let left = 99; left > 89; left -= 1) {
    const reply = await ask(requestText('GET', '/v1/me', key));
    assert.deepEqual([reply.status, leftOf(reply)], [200, left]);
    await operator.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`);
  }
});

test('while the database cannot count, each process counts by itself and requests succeed', async (t) => {
  const database = await databaseFor(t);
  const service = await serviceFor(t, database, { rateLimit: { points: 3, seconds: 3_600 } });
  const { key } = await service.createTenant();
  const ask = await connectionFor(t, service.url);
  assert.equal(leftOf(await ask(requestText('GET', '/v1/listings', key))), 2);
  await database.sql('alter table rate_limits rename to elsewhere');
  const replies = [];
  for (let turn = 0; turn < 4; turn += 1) replies.push(await ask(requestText('GET', '/v1/listings', key)));
  assert.deepEqual(
    replies.map((reply) => [reply.status, leftOf(reply)]),
    [
      [200, 2],
      [200, 1],
      [200, 0],
      [429, 0],
    ],
  );
  await database.sql('alter table elsewhere rename to rate_limits');
  assert.equal(leftOf(await ask(requestText('GET', '/v1/listings', key))), 1);
});

test('services share even a limit with a long name', async (t) => {
  const { url, drop } = await createPostgresDatabase();
  defer(t, drop);
  const databases = await Promise.all([openDatabase(url), openDatabase(url)]);
  defer(t, () => Promise.all(databases.map((database) => database.close())));
  const [one, other] = databases.map(({ counters }) => {
    assert.ok(counters !== undefined);
    return createDatabaseLimiters(counters, createMemoryLimiter)('invitations', { points: 5, seconds: 60 });
  });
  // As long as an account ID with an email address.
  const name = 'a'.repeat(30 + 254);
  assert.equal((await one?.penalty(name))?.consumedPoints, 1);
  assert.equal((await other?.penalty(name))?.consumedPoints, 2);
});
