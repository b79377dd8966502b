import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { defer } from '../../../testkit/src/cleanup.ts';
import { createPostgresDatabase } from '../../../testkit/src/database.ts';
import { post, send } from '../../../testkit/src/listings.ts';
import { createPostgresServer } from '../../../testkit/src/postgres.ts';
import { requestText } from '../../../testkit/src/raw-http.ts';
import { readError, readListing } from '../../../testkit/src/replies.ts';
import { until } from '../../../testkit/src/until.ts';
import { assertAllStored, clientFor, connectionFor, databaseFor, LISTING, serviceFor } from './support.ts';

const server = await createPostgresServer(['fsync=off', 'max_connections=30', 'unix_socket_directories=']);
after(() => server.stop());

/** The number of connections. The service writes to at most half as many accounts at a time. */
const POOL_SIZE = 6;
/** More than the server's connections. */
const ACCOUNTS = 36;

test('while a synchronous standby is down, all writes get 503 within 5 s and reads continue; then writes succeed again', async (t) => {
  const database = await databaseFor(t, server.url);
  const service = await serviceFor(t, database, { databasePool: { poolSize: POOL_SIZE } });
  const tenants = await Promise.all(Array.from({ length: ACCOUNTS }, () => service.createTenant()));
  const clients = await Promise.all(
    tenants.map(async ({ accountId, key }) => ({ accountId, key, ask: await connectionFor(t, service.url) })),
  );
  const create = () =>
    Promise.all(clients.map(({ key, ask }) => ask(requestText('POST', '/v1/listings', key, LISTING))));
  const operator = await clientFor(t, database);
  const setStandby = async (name: string) => {
    await operator.query(`alter system set synchronous_standby_names = '${name}'`);
    await operator.query('select pg_reload_conf()');
    await until('the setting applies', async () => {
      const [row] = await database.sql('show synchronous_standby_names');
      return row?.synchronous_standby_names === name;
    });
  };

  await setStandby('two');
  const codes: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    for (const { status, body, durationMs } of await create()) {
      assert.equal(status, 503);
      assert.ok(durationMs < 5_000, `after ${durationMs} ms`);
      codes.push(JSON.parse(body).error.code);
    }
    for (const { key, ask } of clients) {
      assert.equal((await ask(requestText('GET', '/v1/listings?limit=1', key))).status, 200);
    }
  }
  const unknown = codes.filter((code) => code === 'outcome_unknown').length;
  assert.ok(unknown > 0 && unknown <= POOL_SIZE / 2, `${unknown} commits got no response`);
  assert.equal(codes.filter((code) => code === 'unavailable').length, codes.length - unknown);

  await setStandby('');
  for (const { status, body } of await create()) assert.equal(status, 201, body);
  const stored = await database.sql('select account_id, id from listings');
  assert.equal(stored.length, ACCOUNTS + unknown);
  for (const { accountId } of clients) {
    const ids = stored.filter((row) => row.account_id === accountId).map(({ id }) => String(id));
    await assertAllStored(database, accountId, ids);
  }
});

test('a change is not acknowledged before the standby has it, even after a restart', async (t) => {
  const own = await createPostgresServer(['max_connections=30', 'unix_socket_directories=']);
  const database = await createPostgresDatabase(own.url);
  const service = await serviceFor(t, database);
  defer(t, () => own.stop());
  const [tenant, other] = [await service.createTenant(), await service.createTenant()];
  const create = () => post(service, tenant, LISTING, { 'Idempotency-Key': 'once' });
  const { id } = await readListing(await post(service, tenant, LISTING), 201);
  const patch = () => send(service, tenant, 'PATCH', `/listings/${id}`, { beds: 4 });

  const client = await clientFor(t, own);
  await client.query("alter system set synchronous_standby_names = 'two'");
  await client.query('select pg_reload_conf()');
  // The server applies the setting a moment later. After that, the first create must not be acknowledged.
  await until('commits wait', async () => (await codeOf(await post(service, other, LISTING))) === 'outcome_unknown');
  // While one commit waits for the standby, the service sends no others.
  await client.query("select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'");
  for (const change of [create, patch]) {
    await until('a commit waits', async () => (await codeOf(await change())) === 'outcome_unknown');
    await own.halt('immediate');
    await own.start();
    await until('the server is back', async () => (await service.fetch(tenant, '/v1/me')).status === 200);
  }
  // The create and the patch are committed and visible, but the standby has neither.
  assert.equal((await readListing(await service.fetch(tenant, `/v1/listings/${id}`), 200)).beds, 4);
  for (const change of [create, patch]) await readError(await change(), 503, 'unavailable');

  const operator = await clientFor(t, own);
  await operator.query('alter system reset synchronous_standby_names');
  await operator.query('select pg_reload_conf()');
  const created = await until('the create is acknowledged', () => succeed(create));
  assert.equal(created.headers.get('idempotent-replayed'), 'true');
  const { version } = await readListing(await until('the patch is acknowledged', () => succeed(patch)), 200);
  assert.equal(version, 2);
});

async function codeOf(response: Response): Promise<string> {
  return Object(await response.json()).error?.code;
}

async function succeed(ask: () => Promise<Response>): Promise<Response | undefined> {
  const response = await ask();
  return response.ok ? response : undefined;
}
