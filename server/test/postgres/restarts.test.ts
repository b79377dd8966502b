import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createPostgresServer } from '../../../testkit/src/postgres.ts';
import { createTenantByCommand } from '../../../testkit/src/process.ts';
import { requestText } from '../../../testkit/src/raw-http.ts';
import { directoryFor, hasEnded, serveFor } from '../../../testkit/src/serving.ts';
import { until } from '../../../testkit/src/until.ts';
import { assertAllStored, assertUnavailable, connectionFor, databaseFor, LISTING } from './support.ts';

const server = await createPostgresServer();
after(() => server.stop());

const { password } = new URL(server.url);

// `npm run prove -- crashes-postgres` covers writes while the server stops under load.
test('while the server is down, every request gets 503 on an open connection, and requests succeed once it is back', async (t) => {
  const database = await databaseFor(t, server.url);
  const settings = { DATABASE_URL: database.url, DATA_DIR: await directoryFor(t), RATE_LIMIT: '1000000/1h' };
  const tenant = await createTenantByCommand(settings);
  const { url, child, log, stderr, end } = await serveFor(t, settings);
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
  assert.equal((await heldReply).status, 503, 'long polls also get 503');
  assert.equal((await ask(requestText('GET', '/livez', ''))).status, 200);
  await server.start();
  const startTimeMs = performance.now();
  await until('the service is ready', async () => (await ask(requestText('GET', '/readyz', ''))).status === 200);
  const backMs = performance.now() - startTimeMs;
  assert.ok(backMs < 2_000, `back after ${backMs} ms`);
  const next = JSON.parse((await ask(requestText('POST', '/v1/listings', tenant.key, LISTING))).body);
  await assertAllStored(database, tenant.accountId, [created.id, next.id]);

  await until('its return is logged', () => log.some(({ msg }) => msg === 'the database is available again'));
  const lines = log.filter(({ level }) => Number(level) >= 50);
  assert.equal(lines.length, 1, JSON.stringify(lines));
  assert.match(String(lines[0]?.msg), /^The database is not available/);
  const back = log.find(({ msg }) => msg === 'the database is available again');
  assert.ok(Number(back?.failedRequests) >= requests.length, JSON.stringify(back));

  assert.ok(!hasEnded(child));
  assert.ok(!`${JSON.stringify(log)}${stderr()}`.includes(`:${password}@`));
  assert.equal(await end(), 0);
});
