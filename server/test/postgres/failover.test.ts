import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import pg from 'pg';
import { defer } from '../../../testkit/src/cleanup.ts';
import { createPostgresServer } from '../../../testkit/src/postgres.ts';
import { requestText } from '../../../testkit/src/raw-http.ts';
import { until } from '../../../testkit/src/until.ts';
import {
  assertAllStored,
  assertUnavailable,
  clientFor,
  connectionFor,
  databaseFor,
  LISTING,
  serviceFor,
} from './support.ts';

const CONNECTIONS_MAX = 30;

const server = await createPostgresServer([
  'fsync=off',
  'full_page_writes=off',
  `max_connections=${CONNECTIONS_MAX}`,
  'superuser_reserved_connections=0',
  'unix_socket_directories=',
]);
after(() => server.stop());

async function start(t: TestContext) {
  const database = await databaseFor(t, server.url);
  const service = await serviceFor(t, database, { databasePool: { poolSize: 4 } });
  const tenant = await service.createTenant();
  const ask = await connectionFor(t, service.url);
  const write = requestText('POST', '/v1/listings', tenant.key, LISTING);
  const read = requestText('GET', '/v1/listings?limit=5', tenant.key);
  /** Resolves with a new listing's ID once writes succeed, within two seconds. */
  const writeAgain = async (): Promise<string> => {
    const startTimeMs = performance.now();
    const created = await until('writes succeed again', async () => {
      const reply = await ask(write);
      return reply.status === 201 && reply;
    });
    const backMs = performance.now() - startTimeMs;
    assert.ok(backMs < 2_000, `writes succeed only after ${backMs} ms`);
    return JSON.parse(created.body).id;
  };
  return { database, service, tenant, ask, write, read, writeAgain };
}

test('when the server becomes read-only, writes get 503 within 5 s and reads continue; its successor accepts writes', async (t) => {
  const { database, tenant, ask, write, read, writeAgain } = await start(t);
  const created = [await writeAgain()];
  const operator = await clientFor(t, database);
  const connections = async () => {
    const { rows } = await operator.query('select pid from pg_stat_activity where datname = current_database()');
    return rows.map(({ pid }) => pid);
  };
  const before = new Set(await connections());
  const setReadOnly = async (value: 'on' | 'off') => {
    await operator.query(`alter system set default_transaction_read_only = ${value}`);
    await operator.query('select pg_reload_conf()');
  };
  await operator.query('set default_transaction_read_only = off');

  await setReadOnly('on');
  await until('the server is read-only', async () => (await ask(write)).status === 503);
  for (let round = 0; round < 3; round += 1) {
    assertUnavailable(await ask(write));
    assert.equal((await ask(read)).status, 200);
  }
  const [own] = (await operator.query('select pg_backend_pid() as pid')).rows;
  const kept = (await connections()).filter((pid) => before.has(pid) && pid !== own?.pid);
  assert.deepEqual(kept, [], 'connections to the previous server are closed');

  await setReadOnly('off');
  created.push(await writeAgain());
  await assertAllStored(database, tenant.accountId, created);
});

test('while other programs hold all of the server’s connections, requests get 503 within 5 s; then requests succeed again', async (t) => {
  const { database, service, tenant, ask, write, read, writeAgain } = await start(t);
  const created = [await writeAgain()];
  const operator = await clientFor(t, database);
  const others: pg.Client[] = [];
  const holdOne = async (): Promise<boolean> => {
    const other = new pg.Client(database.url);
    other.on('error', () => {});
    const isConnected = await other.connect().then(
      () => true,
      () => false,
    );
    if (isConnected) others.push(other);
    return isConnected;
  };
  while (await holdOne());
  assert.ok(others.length > 0);
  assert.equal((await ask(read)).status, 200, 'the service still has its own connections');
  await until('other programs hold all connections', async () => {
    await operator.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'property-listings'`);
    // The service may reconnect first; its connections are then terminated again.
    while (await holdOne());
    return (await ask(read)).status === 503;
  });
  for (const request of [write, read, requestText('GET', '/readyz', '')]) assertUnavailable(await ask(request));
  assert.equal((await ask(requestText('GET', '/livez', ''))).status, 200);

  await Promise.all(others.map((other) => other.end()));
  created.push(await writeAgain());
  assert.equal((await service.fetch(tenant, '/readyz')).status, 200);
  await assertAllStored(database, tenant.accountId, created);
});

test('with fewer connections than the pool size, no request fails', async (t) => {
  const role = `few_${process.pid}`;
  const operator = await clientFor(t, server);
  await operator.query(`create role ${role} login password 'few' connection limit 2`);
  defer(t, () => operator.query(`drop role ${role}`));
  const database = await databaseFor(t, server.url);
  await operator.query(`alter database ${new URL(database.url).pathname.slice(1)} owner to ${role}`);
  const url = Object.assign(new URL(database.url), { username: role, password: 'few' }).href;
  const service = await serviceFor(t, database, { url, databasePool: { poolSize: 8 } });
  const { accountId, key } = await service.createTenant();
  const asks = await Promise.all(Array.from({ length: 12 }, () => connectionFor(t, service.url)));
  const created: string[] = [];
  for (let round = 0; round < 10; round += 1) {
    const replies = await Promise.all(
      asks.map((ask, index) =>
        ask(index % 3 === 0 ? requestText('POST', '/v1/listings', key, LISTING) : requestText('GET', '/v1/me', key)),
      ),
    );
    for (const { status, body } of replies) {
      assert.ok(status === 200 || status === 201, body);
      if (status === 201) created.push(JSON.parse(body).id);
    }
  }
  await assertAllStored(database, accountId, created);
});
