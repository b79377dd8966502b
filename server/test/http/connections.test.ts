import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, describe, test } from 'node:test';
import { defer } from '../../../testkit/src/cleanup.ts';
import { MINIMAL, post } from '../../../testkit/src/listings.ts';
import { openRaw } from '../../../testkit/src/raw.ts';
import { requestText } from '../../../testkit/src/raw-http.ts';
import { readList, readListing } from '../../../testkit/src/replies.ts';
import { startSharedService, startTestService, type Tenant } from '../../../testkit/src/service.ts';
import { directoryFor, serveFor } from '../../../testkit/src/serving.ts';
import { untilStill } from '../../../testkit/src/still.ts';
import { until } from '../../../testkit/src/until.ts';
import { LISTING_BYTES_MAX } from '../../src/http/contract/operation.ts';

const service = await startSharedService();
const BODY = JSON.stringify(MINIMAL);
const LENGTH = `Content-Length: ${BODY.length}\r\n`;

const head = ({ key, keyId }: Tenant) =>
  `Host: localhost\r\nAuthorization: Bearer ${key}\r\nX-Request-Id: ${keyId}\r\n`;
const postHead = (tenant: Tenant) => `POST /v1/listings HTTP/1.1\r\n${head(tenant)}Content-Type: application/json\r\n`;
const countListings = async (tenant: Tenant) =>
  (await readList(await service.fetch(tenant, '/v1/listings'))).data.length;

afterEach(async () => {
  assert.equal((await fetch(`${service.url}/livez`)).status, 200, 'the service has stopped responding');
});

describe('Expect: 100-continue', () => {
  test('a valid request gets 100, then its response after the body', async () => {
    const tenant = await service.createTenant();
    using connection = await openRaw(service.url);
    connection.send(`${postHead(tenant)}Expect: 100-continue\r\n${LENGTH}\r\n`);
    assert.equal((await connection.readReply()).status, 100);
    connection.send(BODY);
    assert.equal((await connection.readReply()).status, 201);
    assert.equal(await countListings(tenant), 1);
  });

  const rejected: [name: string, lines: string, status: number][] = [
    ['a type that is not JSON', 'Content-Type: text/plain\r\nContent-Length: 10\r\n', 415],
    ['more than 1 MiB', `Content-Type: application/json\r\nContent-Length: ${LISTING_BYTES_MAX + 1}\r\n`, 413],
    ['an invalid Idempotency-Key', `Content-Type: application/json\r\nIdempotency-Key: a b\r\n${LENGTH}`, 400],
  ];
  for (const [name, lines, status] of rejected) {
    test(`an invalid request gets its error instead of 100: ${name}`, async () => {
      const tenant = await service.createTenant();
      using connection = await openRaw(service.url);
      connection.send(`POST /v1/listings HTTP/1.1\r\n${head(tenant)}Expect: 100-continue\r\n${lines}\r\n`);
      assert.equal((await connection.readReply()).status, status);
    });
  }
});

test('two Content-Type lines are rejected in either order', async () => {
  const tenant = await service.createTenant();
  for (const types of [
    ['application/json', 'text/plain'],
    ['text/plain', 'application/json'],
  ]) {
    using connection = await openRaw(service.url);
    const lines = types.map((type) => `Content-Type: ${type}\r\n`).join('');
    connection.send(`POST /v1/listings HTTP/1.1\r\n${head(tenant)}${lines}${LENGTH}\r\n${BODY}`);
    assert.equal((await connection.readReply()).status, 415);
  }
  assert.equal(await countListings(tenant), 0);
});

describe('a client that disconnects in the middle of its body', () => {
  const starts: [name: string, lines: string][] = [
    ['with a length', `${LENGTH}\r\n${BODY.slice(0, -1)}`],
    ['before its first byte', `${LENGTH}\r\n`],
    ['in chunks', `Transfer-Encoding: chunked\r\n\r\n${BODY.length.toString(16)}\r\n${BODY}\r\n`],
    ['in the middle of a chunk', `Transfer-Encoding: chunked\r\n\r\nff\r\n${BODY}`],
  ];
  for (const [name, lines] of starts) {
    for (const way of ['destroy', 'end', 'resetAndDestroy'] as const) {
      test(`${name}, by ${way}, creates no listing`, async () => {
        const tenant = await service.createTenant();
        using connection = await openRaw(service.url);
        connection.send(`${postHead(tenant)}${lines}`);
        await until('the request is sent', () => connection.socket.writableLength === 0);
        connection.socket[way]();
        await until('the request is logged', () => service.logLines.some((line) => line.includes(tenant.keyId)));
        assert.equal(await countListings(tenant), 0);
        const errors = service.logLines.map((line) => JSON.parse(line)).filter(({ level }) => level >= 50);
        assert.deepEqual(errors, []);
      });
    }
  }
});

test('above the connection limit, new connections are closed, open ones work, and the log has one warning', async () => {
  await using service = await startTestService({ connectionsMax: 2 });
  const get = 'GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const open = async () => {
    const connection = await openRaw(service.url);
    connection.send(get);
    return connection;
  };
  using first = await open();
  assert.equal((await first.readReply()).status, 200);
  {
    using second = await open();
    assert.equal((await second.readReply()).status, 200);
    for (let turn = 0; turn < 3; turn += 1) {
      using third = await open();
      assert.equal(await third.readToEnd(), '');
    }
    first.send(get);
    assert.equal((await first.readReply()).status, 200);
  }
  const warnings = service.logLines.filter((line) => JSON.parse(line).level === 40);
  assert.equal(warnings.length, 1);
  assert.match(warnings.join(), /more than 2 connections/);
  await until('a connection is free again', async () => {
    using connection = await open();
    const reply = await connection.readReply().catch(() => undefined);
    return reply?.status === 200;
  });
});

const CONNECT = 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n';
const heldRequest = (tenant: Tenant, lines = '') => `GET /v1/events?wait=60 HTTP/1.1\r\n${lines}${head(tenant)}\r\n`;

describe('a CONNECT request', () => {
  test('does no harm if its connection is reset', async (t) => {
    const { url } = await serveFor(t, { DATA_DIR: await directoryFor(t) });
    for (let time = 0; time < 40; time += 1) {
      using connection = await openRaw(url);
      connection.send(CONNECT);
      if (time % 2 === 0) await connection.pauseAtFirstByte();
      connection.socket.resetAndDestroy();
      assert.equal((await fetch(`${url}/livez`)).status, 200);
    }
  });

  test('closes a connection with a pending response', async () => {
    using connection = await openRaw(service.url);
    connection.send(heldRequest(await service.createTenant()) + CONNECT);
    assert.equal(await connection.readToEnd(), '');
  });
});

describe('nothing more is read while the last response is pending', () => {
  const PIECE = Buffer.from('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2_000));
  const PIECES = 300;
  /** A tenth of the memory that the requests would take if the service read all of them. */
  const HEAP_GROWTH_MAX = 100e6;
  for (const [name, lines, behind] of [
    ['after an upgrade request', 'Upgrade: x\r\n', ''],
    ['after a rejected request', '', 'GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
    ['after a parse error', '', 'nonsense\r\n\r\n'],
  ]) {
    test(name, async () => {
      const tenant = await service.createTenant();
      using connection = await openRaw(service.url);
      const before = process.memoryUsage().heapUsed;
      connection.send(heldRequest(tenant, lines) + behind);
      for (let piece = 0; piece < PIECES; piece += 1) connection.send(PIECE);
      await untilStill('nothing is read', () => connection.socket.writableLength);
      await post(service, tenant, MINIMAL);
      assert.equal((await connection.readReply()).status, 200);
      assert.ok(process.memoryUsage().heapUsed < before + HEAP_GROWTH_MAX, 'the service has read the requests');
    });
  }
});

test('a connection with too many pipelined requests is closed after the first responses', async () => {
  const tenant = await service.createTenant();
  using connection = await openRaw(service.url);
  const one = `GET /v1/me HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${tenant.key}\r\n\r\n`;
  connection.send(one.repeat(400));
  const replies: Record<string, string>[] = [];
  for (let last = false; !last; ) {
    const { status, headers } = await connection.readReply();
    assert.equal(status, 200);
    replies.push(headers);
    last = headers.connection === 'close';
  }
  assert.equal(await connection.readToEnd(), '');
  assert.ok(replies.length >= 128 && replies.length < 256, `${replies.length} responses`);
});

test('a client with a few requests in flight can send any number on one connection', async () => {
  const tenant = await service.createTenant();
  using connection = await openRaw(service.url);
  const one = `GET /v1/me HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${tenant.key}\r\n\r\n`;
  connection.send(one.repeat(8));
  for (let count = 0; count < 100; count += 1) {
    assert.equal((await connection.readReply()).status, 200);
    connection.send(one);
  }
});

test('pipelined requests are served one after another', async () => {
  const tenant = await service.createTenant();
  using connection = await openRaw(service.url);
  const create = (address: string) =>
    requestText('POST', '/v1/listings', tenant.key, JSON.stringify({ ...MINIMAL, address }));
  const newest = requestText('GET', '/v1/listings?limit=1&sort=-createdAt', tenant.key);
  const addresses = Array.from({ length: 20 }, (_, index) => `${index} Elm Street`);
  connection.send(addresses.map((address) => create(address) + newest).join(''));
  for (const address of addresses) {
    assert.equal((await connection.readReply()).status, 201);
    const [listing] = JSON.parse((await connection.readReply()).body).data;
    assert.equal(listing.address, address);
  }
});

describe('a client that pipelines requests without end is disconnected', () => {
  const requests = {
    'without bodies': 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n',
    'with bodies': 'POST /v1/listings HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx',
  };
  for (const [name, request] of Object.entries(requests)) {
    test(name, async (t) => {
      let parsed = 0;
      const count = () => {
        parsed += 1;
      };
      subscribe('http.server.request.start', count);
      defer(t, () => unsubscribe('http.server.request.start', count));
      using connection = await openRaw(service.url);
      connection.send(request.repeat(50_000));
      await connection.readToEnd();
      assert.ok(parsed < 10_000, `${parsed} requests were parsed`);
    });
  }
});

test('a pipelined request does not start once the connection has got its last response', async () => {
  const tenant = await service.createTenant();
  const { id } = await readListing(await post(service, tenant, MINIMAL), 201);
  using connection = await openRaw(service.url);
  const lines = `${head(tenant)}Transfer-Encoding: chunked\r\n`;
  const list = requestText('GET', '/v1/listings', tenant.key);
  connection.send(`${list}${list}DELETE /v1/listings/${id} HTTP/1.1\r\n${lines}\r\nzz\r\n`);
  const statuses: number[] = [];
  for (let index = 0; index < 3; index += 1) statuses.push((await connection.readReply()).status);
  assert.deepEqual(statuses, [200, 200, 400]);
  assert.equal(await connection.readToEnd(), '');
  assert.equal((await service.fetch(tenant, `/v1/listings/${id}`)).status, 200);
});

test('a client that closes its side in the middle of a second request gets both responses', async () => {
  const tenant = await service.createTenant();
  using connection = await openRaw(service.url);
  const list = requestText('GET', '/v1/listings', tenant.key);
  connection.socket.end(`${list}${list.slice(0, -20)}`);
  const statuses = [(await connection.readReply()).status, (await connection.readReply()).status];
  assert.deepEqual(statuses, [200, 400]);
});
