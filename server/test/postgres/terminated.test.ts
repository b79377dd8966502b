import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { requestText } from '../../../testkit/src/raw-http.ts';
import { until } from '../../../testkit/src/until.ts';
import { startVisits, visitOf } from '../support/visits.ts';
import { assertAllStored, clientFor, connectionFor, databaseFor, LISTING, serviceFor } from './support.ts';

const ROUNDS = 15;

async function start(t: TestContext) {
  const database = await databaseFor(t);
  const service = await serviceFor(t, database);
  const tenant = await service.createTenant();
  const operator = await clientFor(t, database);
  /** Terminates the service's connections, as an operator can. @returns the number terminated */
  const terminate = async (which = 'true'): Promise<number> => {
    const { rowCount } = await operator.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and ${which}`);
    return rowCount ?? 0;
  };
  return { database, service, tenant, terminate };
}

test('no request fails if an operator terminates idle connections', async (t) => {
  const { database, service, tenant, terminate } = await start(t);
  const ask = await connectionFor(t, service.url);
  const created: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await Promise.all(Array.from({ length: 8 }, () => service.fetch(tenant, '/v1/me').then((reply) => reply.text())));
    assert.ok((await terminate()) > 0);
    assert.equal((await ask(requestText('GET', '/v1/listings?limit=5', tenant.key))).status, 200);
    await terminate();
    const reply = await ask(requestText('POST', '/v1/listings', tenant.key, LISTING));
    assert.equal(reply.status, 201, reply.body);
    created.push(JSON.parse(reply.body).id);
  }
  await assertAllStored(database, tenant.accountId, created);
});

test('under load, terminated connections fail no read, and each write is stored or outcome_unknown', async (t) => {
  const { database, service, tenant, terminate } = await start(t);
  const reads = [
    startVisits(service.url, visitOf(200, 'GET', '/v1/listings?limit=20', tenant.key)),
    startVisits(service.url, visitOf(200, 'GET', '/v1/me', tenant.key)),
  ];
  const created: string[] = [];
  const codes = new Set<string>();
  let isFinished = false;
  const lanes = Array.from({ length: 6 }, async () => {
    const ask = await connectionFor(t, service.url);
    while (!isFinished) {
      const { status, body } = await ask(requestText('POST', '/v1/listings', tenant.key, LISTING));
      if (status === 201) created.push(JSON.parse(body).id);
      else codes.add(JSON.parse(body).error.code);
    }
  });
  for (let round = 0; round < ROUNDS; round += 1) {
    const seen = { reads: reads.map(({ good }) => good), created: created.length };
    // Alternately terminates only the busy connections and all connections.
    const which = round % 2 === 0 ? "state <> 'idle'" : 'true';
    await until('some connections are terminated', async () => (await terminate(which)) > 0);
    await until('requests succeed again', () => {
      return created.length > seen.created && reads.every(({ good }, index) => good > (seen.reads[index] ?? 0));
    });
  }
  isFinished = true;
  await Promise.all(lanes);
  await Promise.all(reads.map((visits) => visits.finish()));

  assert.deepEqual(
    reads.flatMap(({ failures }) => failures),
    [],
  );
  assert.deepEqual(
    [...codes].filter((code) => code !== 'outcome_unknown'),
    [],
  );
  const unknown = await database.sql('select id from listings where account_id = ?', tenant.accountId);
  assert.ok(unknown.length >= created.length);
  await assertAllStored(database, tenant.accountId, created);
});

test('a long poll survives the loss of database connections', async (t) => {
  const { service, tenant, terminate } = await start(t);
  const ask = await connectionFor(t, service.url);
  const held = service.fetch(tenant, '/v1/events?wait=60');
  await until('the long poll has a connection', async () => (await terminate()) > 0);
  const { body } = await ask(requestText('POST', '/v1/listings', tenant.key, LISTING));
  const events = await (await held).json();
  assert.equal(Object(events).data[0]?.listingId, JSON.parse(body).id);
});
