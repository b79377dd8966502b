import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startMixedLoad } from '../../../testkit/src/mixed-load.ts';
import { createPostgresServer } from '../../../testkit/src/postgres.ts';
import { proxyFor } from '../../../testkit/src/postgres-proxy.ts';
import { commitWith, createStandby, promote } from '../../../testkit/src/postgres-standby.ts';
import { until } from '../../../testkit/src/until.ts';
import { assertOrdered, startReceiver } from '../support/receiver.ts';
import { Webhooks } from '../support/webhooks.ts';
import { databaseFor, serviceFor } from './support.ts';

const SETTINGS = ['fsync=off', 'max_connections=40', 'unix_socket_directories='];
const LANES = 4;
const PATIENCE_MS = 60_000;

const primary = await createPostgresServer(SETTINGS);
after(() => primary.stop());
const standby = await createStandby(primary, 'standby', SETTINGS);
after(() => standby.stop());

test('after a failover to a synchronous standby, every event has arrived, in order for each listing', async (t) => {
  const proxy = await proxyFor(t, primary.url);
  const database = await databaseFor(t, proxy.url);
  const services = [];
  for (let count = 0; count < 2; count += 1) {
    services.push(await serviceFor(t, database));
  }
  const [service] = services;
  assert.ok(service);
  const tenant = await service.createTenant();
  const webhooks = new Webhooks(service, tenant);
  const receiver = await startReceiver(t);
  receiver.respond = (_, response) => void setTimeout(() => response.writeHead(204).end(), 20);
  const { id } = await webhooks.create(receiver.url);
  await commitWith(primary, 'standby');

  const load = startMixedLoad(
    services.map(({ url }) => url),
    tenant.key,
    LANES,
  );
  const work = async () => {
    const [written, arrived] = [load.told('acknowledged'), receiver.requests.length];
    const isEnough = () => load.told('acknowledged') > written + 40 && receiver.requests.length > arrived;
    assert.ok(await load.reaches(isEnough, PATIENCE_MS), 'writes succeed, and events arrive');
  };
  await work();
  await primary.halt('SIGKILL');
  await promote(standby);
  proxy.redirect(standby.url);
  await work();
  await load.finish();

  const [head] = await database.sql('select sequence from account_heads where account_id = ?', tenant.accountId);
  const sequence = Number(head?.sequence);
  await until('every event arrives', () => new Set(receiver.sequences).size === sequence, PATIENCE_MS);
  assertOrdered(receiver);
  await webhooks.untilSettled(id, sequence);
});
