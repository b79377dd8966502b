import assert from 'node:assert/strict';
import { test } from 'node:test';
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

const LOCK_WAITS = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
const EVENT = "insert into events values ($1, 1, 'listing.created', 'lst_other', null, 0, null)";

// While Citus moves an account, a read of its sequence can be older than its last event.
test('a change whose sequence is taken for a moment is retried and stored once', async (t) => {
  const database = await databaseFor(t);
  const service = await serviceFor(t, database);
  const { accountId, key } = await service.createTenant();
  const [ask, other] = [await connectionFor(t, service.url), await clientFor(t, database)];
  await other.query('begin');
  await other.query(EVENT, [accountId]);
  const waiting = ask(requestText('POST', '/v1/listings', key, LISTING));
  await until('the change waits for the lock', async () => (await database.sql(LOCK_WAITS)).length === 1);
  await other.query('commit');
  await other.query('delete from events where account_id = $1', [accountId]);
  const created = await waiting;
  assert.equal(created.status, 201, created.body);
  await assertAllStored(database, accountId, [JSON.parse(created.body).id]);
});

test('a change whose sequence stays taken gets 503, and nothing is stored', async (t) => {
  const database = await databaseFor(t);
  const service = await serviceFor(t, database);
  const { accountId, key } = await service.createTenant();
  await database.sql(EVENT.replace('$1', '?'), accountId);
  const ask = await connectionFor(t, service.url);
  assertUnavailable(await ask(requestText('POST', '/v1/listings', key, LISTING)));
  assert.deepEqual(await database.sql('select id from listings'), []);
  const heads = await database.sql('select sequence from account_heads where account_id = ?', accountId);
  assert.deepEqual(heads, [{ sequence: 0 }]);
});
