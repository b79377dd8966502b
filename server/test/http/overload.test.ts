import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { only } from '../../../testkit/src/database.ts';
import { openRaw, type RawReply } from '../../../testkit/src/raw.ts';
import { requestText } from '../../../testkit/src/raw-http.ts';
import { startTestService, type Tenant } from '../../../testkit/src/service.ts';
import { until } from '../../../testkit/src/until.ts';
import { generateSecret } from '../../src/model/api-keys.ts';

/** Twice the number of requests that may wait. */
const CONNECTIONS = 3_000;
const FEW = 8;
const JSON_BODY = { 'Content-Type': 'application/json' };
/** The message of a full queue; a 503 for lack of a PostgreSQL connection has another message. */
const REJECTED = /^Too many requests are waiting, and nothing was done; retry in \d s\.$/;

const service = await startTestService();
after(() => service.stop());

/** Sends requests at once, each on its own connection. Returns the responses in the same order. */
async function flood(toRequest: (index: number) => string, count = CONNECTIONS): Promise<RawReply[]> {
  const connections = await Promise.all(Array.from({ length: count }, () => openRaw(service.url)));
  const replies = connections.map((connection, index) => {
    connection.send(toRequest(index));
    return connection.readReply();
  });
  try {
    return await Promise.all(replies);
  } finally {
    for (const { socket } of connections) socket.destroy();
  }
}

/** Repeats `flood` until a request is rejected, because the service can be faster than the test. */
function floodUntilRejected(toRequest: (index: number) => string): Promise<RawReply[]> {
  return until('a request is rejected', async () => {
    const replies = await flood(toRequest);
    return replies.some(({ status }) => status === 503) && replies;
  });
}

function assertRejected({ headers, body }: RawReply): void {
  assert.match(headers['retry-after'] ?? '', /^[1-5]$/);
  assert.equal(headers.link, '</docs/errors/unavailable>; rel="help"');
  const { error } = JSON.parse(body);
  assert.deepEqual([error.code, error.requestId], ['unavailable', headers['x-request-id']]);
}

function bodyOf(index: number): string {
  return JSON.stringify({ address: `${index} Elm Street`, beds: 3, baths: 2 });
}

/** Asserts that exactly the created listings are stored. */
async function assertStored({ accountId }: Tenant, replies: RawReply[]): Promise<void> {
  const created = replies.filter(({ status }) => status === 201).map(({ body }) => JSON.parse(body).id);
  assert.ok(created.length > 0);
  const rows = await service.sql('select id from listings where account_id = ?', accountId);
  assert.deepEqual(rows.map(({ id }) => id).sort(), created.sort());
  const events = await service.sql('select 1 from events where account_id = ?', accountId);
  assert.equal(events.length, created.length);
}

test('when too many requests wait, new ones get 503 with Retry-After, and the others are served', async () => {
  const { key } = await service.createTenant();
  const linesBefore = service.logLines.length;
  const replies = await floodUntilRejected(() => requestText('GET', '/v1/me', key));
  replies.filter(({ status }) => status === 503).forEach(assertRejected);
  const rejected = replies.filter(
    ({ status, body }) => status === 503 && REJECTED.test(JSON.parse(body).error.message),
  );
  assert.deepEqual([...new Set(replies.map(({ status }) => status))].sort(), [200, 503]);
  assert.equal(new Set(rejected.map(({ headers }) => headers['retry-after'])).size, 5, 'retry times differ');
  const ids = new Set(rejected.map(({ headers }) => headers['x-request-id']));
  const lines = service.logLines.slice(linesBefore).map((line) => JSON.parse(line));
  assert.ok(!lines.some(({ requestId }) => ids.has(requestId)), 'no rejected request has its own log line');
  assert.ok(lines.some(({ msg }) => msg === 'more requests than the service can handle; some are rejected'));
});

test('a rejected change stores nothing', async () => {
  const tenant = await service.createTenant();
  const replies = await flood((index) => requestText('POST', '/v1/listings', tenant.key, bodyOf(index)));
  replies.filter(({ status }) => status !== 201).forEach(assertRejected);
  await assertStored(tenant, replies);
});

const isAsked = only('sqlite', 'an overloaded PostgreSQL is not asked whether a key exists');

test('an invalid key still gets 401', isAsked, async () => {
  const { key } = await service.createTenant();
  const unknown = generateSecret();
  const replies = await floodUntilRejected((index) => requestText('GET', '/v1/me', index % 4 === 0 ? unknown : key));
  const body = '{"error":{"code":"unauthorized","message":"Invalid or missing API key"}}';
  for (const [index, reply] of replies.entries()) {
    if (index % 4 === 0) assert.deepEqual([reply.status, reply.body], [401, body]);
    else assert.ok(reply.status === 200 || reply.status === 503);
  }
});

test('during overload, public paths never get 503; afterwards, API requests succeed', async () => {
  const { key } = await service.createTenant();
  let isOver = false;
  const flooding = floodUntilRejected(() => requestText('GET', '/v1/me', key)).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    for (const path of ['/livez', '/readyz', '/docs', '/admin/setup']) {
      const response = await fetch(`${service.url}${path}`);
      await response.text();
      assert.notEqual(response.status, 503, path);
    }
  }
  await flooding;
  assert.equal((await fetch(`${service.url}/v1/me`, { headers: { Authorization: `Bearer ${key}` } })).status, 200);
});

function hasRoom({ accountId }: Tenant): boolean {
  try {
    service.database.requireRoom(accountId);
    return true;
  } catch {
    return false;
  }
}

test(
  "while another program locks the database, an account's changes wait up to a limit; reads and other accounts are not affected",
  only('sqlite', 'on PostgreSQL another program locks one account'),
  async () => {
    const tenant = await service.createTenant();
    const neighbor = await service.createTenant();
    const other = new DatabaseSync(service.database.name);
    other.exec('begin immediate');
    const post = () => requestText('POST', '/v1/listings', tenant.key, bodyOf(0));
    const waiting = flood(post, FEW);
    const fill = () => {
      while (hasRoom(tenant)) service.database.write(async () => {}, tenant.accountId).catch(() => {});
    };
    // After 5 s without the lock, the waiting changes are rejected, and the queue is empty again.
    const rejected = await until('a change is rejected', async () => {
      fill();
      const init = { method: 'POST', headers: JSON_BODY, body: bodyOf(0) };
      const response = await service.fetch(tenant, '/v1/listings', init);
      return /Too many of this account's changes are waiting/.test(await response.text()) && response;
    });
    assert.deepEqual([rejected.status, rejected.headers.get('retry-after')], [503, '1']);
    await until('a read is served', async () => (await service.fetch(tenant, '/v1/listings')).status === 200);
    assert.ok(hasRoom(neighbor), 'the queue of another account has room');
    other.close();
    const early = await waiting;
    await until('the queue has room again', async () => hasRoom(tenant));
    const replies = [...early, ...(await flood(post, FEW))];
    replies.filter(({ status }) => status !== 201).forEach(assertRejected);
    await assertStored(tenant, replies);
  },
);
