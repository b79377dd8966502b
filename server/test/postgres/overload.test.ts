import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openRaw } from '../support/raw.ts';
import { requestText } from '../support/raw-http.ts';
import { clientFor, databaseFor, serviceFor } from './support.ts';

const CONNECTIONS = 50;
const PIPELINED = 100;
const KEY_REFUSED = '{"error":{"code":"unauthorized","message":"Invalid or missing API key"}}';

test('when all connections are taken so many requests wait for one, and the others are told at once; afterwards all is well', async (t) => {
  const database = await databaseFor(t);
  const service = await serviceFor(t, database, { databasePool: { poolSize: 2 } });
  const { key } = await service.createTenant();
  const holder = await clientFor(t, database);
  await holder.query('begin');
  await holder.query('lock table api_keys in access exclusive mode');

  const told = await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      using connection = await openRaw(service.url);
      connection.send(requestText('GET', '/v1/listings?limit=1', key).repeat(PIPELINED));
      const replies = [];
      for (let index = 0; index < PIPELINED; index += 1) replies.push(await connection.readReply());
      return replies;
    }),
  );
  for (const { status, headers } of told.flat()) {
    assert.equal(status, 503);
    assert.match(headers['retry-after'] ?? '', /^[1-5]$/);
  }
  const refused = told
    .flat()
    .filter(({ body }) => body.includes('More requests are waiting than can be answered soon'));
  assert.ok(refused.length > (CONNECTIONS * PIPELINED) / 4, `${refused.length} were told at once`);

  await holder.query('commit');
  const headers = { Authorization: `Bearer ${key}` };
  assert.equal((await fetch(`${service.url}/v1/listings?limit=1`, { headers })).status, 200);
  const malformed = await fetch(`${service.url}/v1/listings`, { headers: { Authorization: `Bearer ${key}x` } });
  assert.deepEqual([malformed.status, await malformed.text()], [401, KEY_REFUSED]);
});
