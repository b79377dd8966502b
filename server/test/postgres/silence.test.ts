import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { proxyFor } from '../../../testkit/src/postgres-proxy.ts';
import { requestText } from '../../../testkit/src/raw-http.ts';
import { until } from '../../../testkit/src/until.ts';
import { assertAllStored, assertUnavailable, connectionFor, databaseFor, LISTING, serviceFor } from './support.ts';

const idOf = ({ body }: { body: string }): string => JSON.parse(body).id;

/** More accounts than the service writes to at a time, each with its own connection. */
async function startMany(t: TestContext, count: number) {
  const database = await databaseFor(t);
  const proxy = await proxyFor(t, database.url);
  const service = await serviceFor(t, database, { url: proxy.url, databasePool: { poolSize: 4 } });
  const clients = await Promise.all(
    Array.from({ length: count }, async () => {
      const { accountId, key } = await service.createTenant();
      return { accountId, key, ask: await connectionFor(t, service.url) };
    }),
  );
  return { database, proxy, service, clients };
}

test('while the network is silent, every request gets 503 within 5 s; then requests succeed again', async (t) => {
  const { database, proxy, service, clients } = await startMany(t, 8);
  const created: string[] = [];
  for (const { key, ask } of clients) created.push(idOf(await ask(requestText('POST', '/v1/listings', key, LISTING))));

  proxy.silence();
  // Requests that have a connection, wait for one, or arrive after the dead ones are detected.
  for (let round = 0; round < 2; round += 1) {
    const replies = await Promise.all(
      clients.map(({ key, ask }, index) =>
        ask(index % 2 === 0 ? requestText('POST', '/v1/listings', key, LISTING) : requestText('GET', '/v1/me', key)),
      ),
    );
    replies.forEach(assertUnavailable);
  }
  const ask = await connectionFor(t, service.url);
  assertUnavailable(await ask(requestText('GET', '/readyz', '')));
  assert.equal((await ask(requestText('GET', '/livez', ''))).status, 200);

  proxy.resume();
  for (const { accountId, key, ask } of clients) {
    const reply = await until('writes succeed again', async () => {
      const { status, body } = await ask(requestText('POST', '/v1/listings', key, LISTING));
      return status === 201 && { body };
    });
    await assertAllStored(database, accountId, [created.shift() ?? '', idOf(reply)]);
  }
});

test('writes whose transaction gets no response get 503 within 5 s, and so do the writes behind them', async (t) => {
  const { database, proxy, clients } = await startMany(t, 6);
  proxy.judge = (type, text) => {
    // The key lookup succeeds, and then the network goes silent.
    if (type === 'Q' && text.startsWith('begin')) proxy.silence();
    return 'forward';
  };
  const asked = clients.map(({ key, ask }) => ask(requestText('POST', '/v1/listings', key, LISTING)));
  for (const reply of await Promise.all(asked)) assertUnavailable(reply);
  assert.deepEqual(await database.sql('select id from listings'), []);
  proxy.judge = () => 'forward';
  proxy.resume();
  for (const { key, ask } of clients) {
    await until('writes succeed again', async () => {
      return (await ask(requestText('POST', '/v1/listings', key, LISTING))).status === 201;
    });
  }
});

test('a commit that gets no response is outcome_unknown within 5 s', async (t) => {
  const { database, proxy, clients } = await startMany(t, 1);
  const [client] = clients;
  assert.ok(client !== undefined);
  const { accountId, key, ask } = client;
  proxy.judge = (_type, text) => {
    if (text === 'commit\0') proxy.silence();
    return 'forward';
  };
  const { status, body, durationMs } = await ask(requestText('POST', '/v1/listings', key, LISTING));
  assert.equal(status, 503);
  assert.equal(JSON.parse(body).error.code, 'outcome_unknown');
  assert.ok(durationMs < 5_000, `after ${durationMs} ms`);
  proxy.judge = () => 'forward';
  proxy.resume();
  await until('writes succeed again', async () => {
    return (await ask(requestText('POST', '/v1/listings', key, LISTING))).status === 201;
  });
  const rows = await database.sql('select id from listings');
  await assertAllStored(
    database,
    accountId,
    rows.map(({ id }) => String(id)),
  );
});
