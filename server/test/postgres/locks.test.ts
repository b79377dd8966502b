import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestText } from '../../../testkit/src/raw-http.ts';
import { until } from '../../../testkit/src/until.ts';
import { send } from '../../src/storage/postgres/connection.ts';
import { Pool } from '../../src/storage/postgres/pool.ts';
import {
  assertAllStored,
  assertUnavailable,
  clientFor,
  connectionFor,
  databaseFor,
  LISTING,
  serviceFor,
} from './support.ts';

const idOf = ({ body }: { body: string }): string => JSON.parse(body).id;

test('if another program holds an account’s lock, its writes get 503 within 5 s; reads and other accounts continue', async (t) => {
  const database = await databaseFor(t);
  const service = await serviceFor(t, database);
  const [locked, other] = [await service.createTenant(), await service.createTenant()];
  const holder = await clientFor(t, database);
  await holder.query('begin');
  await holder.query('select sequence from account_heads where account_id = $1 for update', [locked.accountId]);

  let isTold = false;
  const otherIds: string[] = [];
  const asks = await Promise.all(Array.from({ length: 3 }, () => connectionFor(t, service.url)));
  const waiting = Promise.all(
    asks.map(async (ask, index) => {
      // Some writes arrive while others already wait.
      await until('other accounts have written', () => otherIds.length >= index * 3);
      return await ask(requestText('POST', '/v1/listings', locked.key, LISTING));
    }),
  ).finally(() => {
    isTold = true;
  });
  const ask = await connectionFor(t, service.url);
  while (!isTold) {
    const created = await ask(requestText('POST', '/v1/listings', other.key, LISTING));
    assert.equal(created.status, 201);
    otherIds.push(idOf(created));
    assert.equal((await ask(requestText('GET', '/v1/listings?limit=1', locked.key))).status, 200);
  }
  (await waiting).forEach(assertUnavailable);
  await assertAllStored(database, other.accountId, otherIds);

  const next = ask(requestText('POST', '/v1/listings', locked.key, LISTING));
  await holder.query('commit');
  const created = await next;
  assert.equal(created.status, 201, 'a write waits for a lock that is released in time');
  await assertAllStored(database, locked.accountId, [idOf(created)]);
});

test('statements and locks time out equally behind a pooler that drops settings', async (t) => {
  const database = await databaseFor(t);
  const service = await serviceFor(t, database, { databasePool: { preparesStatements: false } });
  const { accountId, key } = await service.createTenant();
  const ask = await connectionFor(t, service.url);
  const first = await ask(requestText('POST', '/v1/listings', key, LISTING));
  const holder = await clientFor(t, database);
  await holder.query('begin');
  await holder.query('select sequence from account_heads where account_id = $1 for update', [accountId]);
  const waiting = ask(requestText('POST', '/v1/listings', key, LISTING));
  const lockWaits = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
  await until('the write waits for the lock', async () => (await database.sql(lockWaits)).length === 1);
  assertUnavailable(await waiting);
  const isCanceled = async () => (await database.sql(lockWaits)).length === 0;
  await until('the server has canceled the statement', isCanceled);

  await holder.query('rollback');
  await holder.query('begin');
  await holder.query('lock table api_keys');
  assertUnavailable(await ask(requestText('GET', '/v1/me', key)));
  await until('the server has canceled the statements', isCanceled);
  await holder.query('rollback');
  assert.equal((await ask(requestText('GET', '/v1/listings?limit=1', key))).status, 200);
  await assertAllStored(database, accountId, [idOf(first)]);
});

test('while another program locks a table, all writes get 503 within 5 s, however many wait', async (t) => {
  const database = await databaseFor(t);
  const service = await serviceFor(t, database);
  const holder = await clientFor(t, database);
  const clients = await Promise.all(
    Array.from({ length: 36 }, async (_, index) => ({ index, ask: await connectionFor(t, service.url) })),
  );
  // More accounts than the service writes to at a time, each with several writes.
  const tenants = await Promise.all(Array.from({ length: 12 }, () => service.createTenant()));
  const create = () =>
    Promise.all(
      clients.map(({ index, ask }) =>
        ask(requestText('POST', '/v1/listings', tenants[index % 12]?.key ?? '', LISTING)),
      ),
    );
  await holder.query('begin');
  // The lock that `create index` acquires.
  await holder.query('lock table listings in share mode');
  for (const reply of await create()) assertUnavailable(reply);
  await holder.query('commit');
  assert.deepEqual(await database.sql('select id from listings'), []);
  const created = await create();
  for (const { accountId } of tenants) {
    const ids = created.filter((_, index) => tenants[index % 12]?.accountId === accountId).map(idOf);
    await assertAllStored(database, accountId, ids);
  }
});

test('the lock timeout is slightly below any statement timeout', async (t) => {
  const { url } = await databaseFor(t);
  for (const [statementTimeoutMs, lock] of [
    [100, '90ms'],
    [2_500, '2250ms'],
    [30_000, '27s'],
  ] as const) {
    const pool = new Pool(url, { poolSize: 1, statementTimeoutMs, preparesStatements: true });
    const { rows } = await pool.use((client) => send(client, { text: 'show lock_timeout' }));
    await pool.close();
    assert.deepEqual(rows, [[lock]]);
  }
});
