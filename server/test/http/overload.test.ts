import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { only } from '../../../testkit/src/database.ts';
import { openRaw, type RawReply } from '../../../testkit/src/raw.ts';
import { requestText } from '../../../testkit/src/raw-http.ts';
import { startTestService, type Tenant } from '../../../testkit/src/service.ts';
import { until } from '../../../testkit/src/until.ts';
import { generateSecret } from '../../src/model/api-keys.ts';

const CONNECTIONS = 60;
/** On each connection, one behind the other and without waiting: together four times what may wait. */
const PIPELINED = 100;
const JSON_BODY = { 'Content-Type': 'application/json' };
/** PostgreSQL's connections are waited for, too, for two seconds at most. */
const REFUSED = /^Too many requests are waiting, and nothing was done; retry in \d s\.$/;

const service = await startTestService();
after(() => service.stop());

/** Sends many requests at once. Returns the responses in the same order. */
async function flood(toRequest: (index: number) => string): Promise<RawReply[]> {
  const lanes = Array.from({ length: CONNECTIONS }, (_, lane) => pipeline(lane, toRequest));
  return (await Promise.all(lanes)).flat();
}

/** Sends a connection's part of a flood, and uses the connection once more afterwards. */
async function pipeline(lane: number, toRequest: (index: number) => string): Promise<RawReply[]> {
  using connection = await openRaw(service.url);
  const requests = Array.from({ length: PIPELINED }, (_unused, index) => toRequest(lane * PIPELINED + index));
  connection.send(requests.join(''));
  const replies: RawReply[] = [];
  for (const _request of requests) replies.push(await connection.readReply());
  connection.send('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
  assert.equal((await connection.readReply()).status, 200);
  return replies;
}

/** As `flood`, again until something was refused: a machine may be slower in sending than in answering. */
function floodUntilRefused(toRequest: (index: number) => string): Promise<RawReply[]> {
  return until('more comes than can be done', async () => {
    const replies = await flood(toRequest);
    return replies.some(({ status }) => status === 503) && replies;
  });
}

function assertRefused({ headers, body }: RawReply): void {
  assert.match(headers['retry-after'] ?? '', /^[1-5]$/);
  assert.equal(headers.link, '</docs/errors/unavailable>; rel="help"');
  const { error } = JSON.parse(body);
  assert.deepEqual([error.code, error.requestId], ['unavailable', headers['x-request-id']]);
}

function bodyOf(index: number): string {
  return JSON.stringify({ address: `${index} Elm Street`, beds: 3, baths: 2 });
}

/** That what was created is there, and nothing else. */
async function assertStored({ accountId }: Tenant, replies: RawReply[]): Promise<void> {
  const created = replies.filter(({ status }) => status === 201).map(({ body }) => JSON.parse(body).id);
  assert.ok(created.length > 0);
  const rows = await service.sql('select id from listings where account_id = ?', accountId);
  assert.deepEqual(rows.map(({ id }) => id).sort(), created.sort());
  const events = await service.sql('select 1 from events where account_id = ?', accountId);
  assert.equal(events.length, created.length);
}

test('when too many requests wait the others are told at once when to come back, and the rest are answered', async () => {
  const { key } = await service.createTenant();
  const linesBefore = service.logLines.length;
  const replies = await floodUntilRefused(() => requestText('GET', '/v1/me', key));
  replies.filter(({ status }) => status === 503).forEach(assertRefused);
  const refused = replies.filter(({ status, body }) => status === 503 && REFUSED.test(JSON.parse(body).error.message));
  assert.deepEqual([...new Set(replies.map(({ status }) => status))].sort(), [200, 503]);
  assert.equal(new Set(refused.map(({ headers }) => headers['retry-after'])).size, 5, 'not all come back together');
  const ids = new Set(refused.map(({ headers }) => headers['x-request-id']));
  const lines = service.logLines.slice(linesBefore).map((line) => JSON.parse(line));
  assert.ok(!lines.some(({ requestId }) => ids.has(requestId)), 'the log has no line for each');
  assert.ok(lines.some(({ msg }) => msg === 'more requests than the service can handle; some are rejected'));
});

test('nothing of a refused change is stored', async () => {
  const tenant = await service.createTenant();
  const replies = await flood((index) => requestText('POST', '/v1/listings', tenant.key, bodyOf(index)));
  replies.filter(({ status }) => status !== 201).forEach(assertRefused);
  await assertStored(tenant, replies);
});

const isAsked = only('sqlite', 'a PostgreSQL that cannot answer more is not asked who has a key');

test('without a key that is one it is 401 all the same', isAsked, async () => {
  const { key } = await service.createTenant();
  const unknown = generateSecret();
  const replies = await floodUntilRefused((index) => requestText('GET', '/v1/me', index % 4 === 0 ? unknown : key));
  const body = '{"error":{"code":"unauthorized","message":"Invalid or missing API key"}}';
  for (const [index, reply] of replies.entries()) {
    if (index % 4 === 0) assert.deepEqual([reply.status, reply.body], [401, body]);
    else assert.ok(reply.status === 200 || reply.status === 503);
  }
});

test('meanwhile probes are answered, people are let in, and nobody is refused afterwards', async () => {
  const { key } = await service.createTenant();
  let isOver = false;
  const flooding = floodUntilRefused(() => requestText('GET', '/v1/me', key)).finally(() => {
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
  'while another program keeps the database from being written, so many changes of an account wait and others of it are rejected; reads and other accounts go on',
  only('sqlite', 'on PostgreSQL another program locks one account'),
  async () => {
    const tenant = await service.createTenant();
    const neighbor = await service.createTenant();
    const other = new DatabaseSync(service.database.name);
    other.exec('begin immediate');
    const lanes: Promise<RawReply[]>[] = [];
    await until('the account has no room for a change', () => {
      if (!hasRoom(tenant)) return true;
      const toRequest = (index: number) => requestText('POST', '/v1/listings', tenant.key, bodyOf(index));
      lanes.push(pipeline(lanes.length, toRequest));
      return false;
    });
    await until('a read is answered', async () => (await service.fetch(tenant, '/v1/listings')).status === 200);
    const rejected = await service.fetch(tenant, '/v1/listings', {
      method: 'POST',
      headers: JSON_BODY,
      body: bodyOf(0),
    });
    assert.match(await rejected.text(), /Too many changes of this account are waiting/);
    assert.deepEqual([rejected.status, rejected.headers.get('retry-after')], [503, '1']);
    assert.ok(hasRoom(neighbor), 'another account has room');
    other.close();
    const replies = (await Promise.all(lanes)).flat();
    replies.filter(({ status }) => status !== 201).forEach(assertRefused);
    await assertStored(tenant, replies);
  },
);
