import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPerson, signIn } from '../../../testkit/src/browser.ts';
import { MINIMAL, post } from '../../../testkit/src/listings.ts';
import { until } from '../../../testkit/src/until.ts';
import { deleteAccount } from '../../src/domain/accounts/accounts.ts';
import { clientFor, databaseFor, serviceFor } from './support.ts';

const requestLog = { days: 7, bytes: 1_000_000_000 };
/** More than the requests that the pool's connections can serve at once. */
const REQUESTS = 30;

test('requests get responses while the log’s table is locked, and an account can be deleted', async (t) => {
  const database = await databaseFor(t);
  const service = await serviceFor(t, database, { requestLog, databasePool: { poolSize: 2 } });
  const tenant = await service.createTenant();
  const browser = await signIn(service, await createPerson(service, { accountId: tenant.accountId }));
  const gone = await service.createTenant();
  const holder = await clientFor(t, database);
  await holder.query('begin');
  await holder.query('lock table request_blocks in access exclusive mode');
  const replies = await Promise.all(Array.from({ length: REQUESTS }, () => post(service, tenant, MINIMAL)));
  assert.ok(replies.every(({ status }) => status === 201));
  assert.equal((await browser.ask('GET', '/admin/requests', undefined, 503)).error.code, 'unavailable');
  await deleteAccount(service.database, gone.accountId);
  assert.equal((await service.fetch(gone, '/v1/me')).status, 401);
  await until('the loss is reported', () => service.logLines.some((line) => line.includes('missing from the request')));
  await holder.query('rollback');
  assert.equal((await service.fetch(tenant, '/v1/me')).status, 200);
  await until('requests are logged again', async () => {
    const { data } = await browser.ask('GET', '/admin/requests');
    return data[0]?.path === '/v1/me';
  });
});

test('the log starts over if its table is emptied, as after a crash of the server', async (t) => {
  const database = await databaseFor(t);
  const service = await serviceFor(t, database, { requestLog });
  const tenant = await service.createTenant();
  const browser = await signIn(service, await createPerson(service, { accountId: tenant.accountId }));
  assert.equal((await service.fetch(tenant, '/v1/me')).status, 200);
  await until('it is stored', async () => (await browser.ask('GET', '/admin/requests')).data.length === 1);
  await database.sql('truncate request_blocks');
  assert.deepEqual((await browser.ask('GET', '/admin/requests')).data, []);
  const [row] = await database.sql("select relpersistence from pg_class where relname = 'request_blocks'");
  assert.equal(row?.relpersistence, 'u');
});
