import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { LANE_KINDS } from '../support/lane.ts';
import { assertKept } from '../support/ledger.ts';
import { startMixedLoad } from '../support/mixed-load.ts';
import { createPostgresServer, type Halt } from '../support/postgres.ts';
import { proxyFor } from '../support/postgres-proxy.ts';
import { createTenantByCommand } from '../support/process.ts';
import { requestText } from '../support/raw-http.ts';
import { directoryFor, hasEnded, serveFor } from '../support/serving.ts';
import { until } from '../support/until.ts';
import { assertAllStored, assertUnavailable, connectionFor, databaseFor, LISTING } from './support.ts';

const server = await createPostgresServer();
after(() => server.stop());

const { password } = new URL(server.url);
/** More of each by the environment, for `npm run test:restarts`. */
const { RESTART_PROCESSES = '2', RESTART_ROUNDS = '2', RESTART_SECONDS = '0' } = process.env;
const halts: Halt[] = [...Array<Halt>(Number(RESTART_ROUNDS)).fill('immediate'), 'SIGKILL'];
const LANES_PER_PROCESS = 4;
/** Of so many commits one. */
const LOST_COMMIT = 50;

/** Some processes on a database of the server, and a tenant. */
async function serveBy(t: TestContext, count: number) {
  const database = await databaseFor(t, server.url);
  const settings = { DATABASE_URL: database.url, DATA_DIR: await directoryFor(t), RATE_LIMIT: '1000000/1h' };
  const tenant = await createTenantByCommand(settings);
  // On the way to the first one some answers to commits are lost.
  const proxy = await proxyFor(t, database.url);
  const urls = Array.from({ length: count }, (_, index) => (index === 0 ? proxy.url : database.url));
  const services = await Promise.all(urls.map((DATABASE_URL) => serveFor(t, { ...settings, DATABASE_URL })));
  return { database, tenant, services, proxy };
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

test('halted again and again under all kinds of requests of several processes, the server has all that was acknowledged, once and in order', async (t) => {
  const { database, tenant, services, proxy } = await serveBy(t, Number(RESTART_PROCESSES));
  let commits = 0;
  proxy.judge = (type, text) => {
    if (type !== 'Q' || !text.startsWith('commit')) return 'forward';
    commits += 1;
    return commits % LOST_COMMIT === 0 ? 'cut answer' : 'forward';
  };
  const urls = services.map(({ url }) => url);
  const load = startMixedLoad(urls, tenant.key, LANES_PER_PROCESS * services.length);
  const startTimeMs = performance.now();
  const workFor = async (durationMs: number): Promise<void> => {
    const seen = [...load.turns];
    const endTimeMs = performance.now() + durationMs;
    await until('all lanes have done of everything', () => {
      const isBusy = load.turns.every((turns, index) => turns >= (seen[index] ?? 0) + LANE_KINDS);
      return (isBusy && performance.now() >= endTimeMs) || load.isBroken();
    });
  };
  const roundMs = (Number(RESTART_SECONDS) * 1_000) / (halts.length + 1);
  const told = (what: string): number => load.ledger.counts.get(what) ?? 0;
  for (const [round, how] of halts.entries()) {
    await workFor(roundMs);
    const refused = told('unavailable');
    await server.halt(how);
    // Whoever comes back at once is waited for, and nobody hears of it.
    if (round % 2 === 0) await until('somebody is refused', () => told('unavailable') > refused || load.isBroken());
    await server.start();
  }
  await workFor(roundMs);
  await until('commits were lost', () => (told('outcome_unknown') > 0 && told('replayed') > 0) || load.isBroken());
  load.finish();
  await load.ended;
  assert.equal(told('lost') + told('unreachable') + told('closing'), 0, 'connections outlive a database that is gone');
  const seconds = Math.round((performance.now() - startTimeMs) / 1_000);
  await assertKept(urls[0] ?? '', tenant, database, load.ledger);
  const counts = [...load.ledger.counts].map(([what, count]) => `${count} ${what}`).join(', ');
  t.diagnostic(`${services.length} processes, ${seconds} s, ${halts.join(' ')}: ${counts}`);
  for (const { child, end } of services) {
    assert.ok(!hasEnded(child), 'no process has ended');
    assert.equal(await end(), 0);
  }
});
