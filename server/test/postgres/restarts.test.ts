import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { startCreating } from '../support/load.ts';
import { createPostgresServer } from '../support/postgres.ts';
import { createTenantByCommand } from '../support/process.ts';
import { requestText } from '../support/raw-http.ts';
import { directoryFor, hasEnded, serveFor } from '../support/serving.ts';
import { until } from '../support/until.ts';
import { assertAllStored, assertUnavailable, connectionFor, databaseFor, LISTING } from './support.ts';

const server = await createPostgresServer();
after(() => server.stop());

const { password } = new URL(server.url);
/** More of each by the environment, for `npm run test:restarts`. */
const { RESTART_PROCESSES = '2', RESTART_ROUNDS = '3', RESTART_CREATED = '30' } = process.env;
const SIGNALS = ['SIGKILL', 'SIGQUIT'] as const;

/** Some processes on a database of the server, and a tenant. */
async function serveBy(t: TestContext, count: number) {
  const database = await databaseFor(t, server.url);
  const settings = { DATABASE_URL: database.url, DATA_DIR: await directoryFor(t), RATE_LIMIT: 'off' };
  const tenant = await createTenantByCommand(settings);
  const services = await Promise.all(Array.from({ length: count }, () => serveFor(t, settings)));
  return { database, tenant, services };
}

test('while the server is gone every request is 503 on a connection that stays open, and it ends with its return', async (t) => {
  const { database, tenant, services } = await serveBy(t, 2);
  const url = services[0]?.url ?? '';
  const ask = await connectionFor(t, url);
  const requests = [
    requestText('GET', '/v1/listings', tenant.key),
    requestText('GET', '/v1/me', tenant.key),
    requestText('POST', '/v1/listings', tenant.key, LISTING),
    requestText('GET', '/v1/events?wait=60', tenant.key),
    requestText('GET', '/readyz', ''),
  ];
  const created = JSON.parse((await ask(requestText('POST', '/v1/listings', tenant.key, LISTING))).body);
  const held = await connectionFor(t, url);
  const heldReply = held(requestText('GET', '/v1/events?after=1&wait=60', tenant.key));

  await server.halt('SIGQUIT');
  for (const request of requests) assertUnavailable(await ask(request));
  assert.equal((await heldReply).status, 503, 'whoever waits for events is told, too');
  assert.equal((await ask(requestText('GET', '/livez', ''))).status, 200);
  await server.start();
  const startTimeMs = performance.now();
  await until('the service is ready', async () => (await ask(requestText('GET', '/readyz', ''))).status === 200);
  const backMs = performance.now() - startTimeMs;
  assert.ok(backMs < 2_000, `back after ${backMs} ms`);
  const next = JSON.parse((await ask(requestText('POST', '/v1/listings', tenant.key, LISTING))).body);
  await assertAllStored(database, tenant.accountId, [created.id, next.id]);

  for (const { child, log, stderr, end } of services) {
    assert.ok(!hasEnded(child));
    assert.ok(!`${JSON.stringify(log)}${stderr()}`.includes(`:${password}@`));
    assert.equal(await end(), 0);
  }
});

test('killed again and again under load of several processes, the server has every acknowledged listing, in a sequence without gap', async (t) => {
  const { database, tenant, services } = await serveBy(t, Number(RESTART_PROCESSES));
  const loads = services.map(({ url }) => startCreating(url, tenant.key, 4));
  for (let round = 0; round < Number(RESTART_ROUNDS); round += 1) {
    const seen = loads.map(({ created }) => created.length);
    await until('all have created listings', () =>
      loads.every(({ created }, index) => created.length >= (seen[index] ?? 0) + Number(RESTART_CREATED)),
    );
    await server.halt(SIGNALS[round % SIGNALS.length] ?? 'SIGKILL');
    await server.start();
  }
  const seen = loads.map(({ created }) => created.length);
  await until('all go on', () => loads.every(({ created }, index) => created.length > (seen[index] ?? 0)));
  for (const load of loads) load.finish();
  await Promise.all(loads.map(({ ended }) => ended));

  const created = loads.flatMap((load) => load.created);
  const refused = loads.flatMap((load) => load.refused);
  const codes = refused.map(({ body }) => JSON.parse(body).error.code);
  assert.deepEqual(
    codes.filter((code) => code !== 'unavailable' && code !== 'outcome_unknown'),
    [],
  );
  assert.deepEqual(
    refused.filter(({ closes }) => closes),
    [],
  );
  await assertAllStored(database, tenant.accountId, created);
  t.diagnostic(`${created.length} acknowledged, ${refused.length} refused, ${RESTART_ROUNDS} restarts`);
  for (const { child, end } of services) {
    assert.ok(!hasEnded(child), 'no process has ended');
    assert.equal(await end(), 0);
  }
});
