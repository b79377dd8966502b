import assert from 'node:assert/strict';
import diagnostics from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, BlockList, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { defer } from '../../../testkit/src/cleanup.ts';
import { until } from '../../../testkit/src/until.ts';
import { newWebhook } from '../../src/http/contract/schemas/webhooks.ts';
import { OutgoingRequests } from '../../src/lib/outgoing.ts';
import { isPublicAddress } from '../../src/lib/public-addresses.ts';
import type { Resolve } from '../../src/lib/resolve-name.ts';

const NEVER = new AbortController().signal;

/** The number of connections to any address of this machine. */
let connections = 0;
const counting = createTcpServer((socket) => {
  connections += 1;
  socket.destroy();
});
const port = await listen(counting, '::');

async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  after(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** A self-signed certificate and its key. Neither is used anywhere else. */
const UNTRUSTED = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgBByrdH0+6i8I1s7t
QWXXRQ0iwEhI7R3woYo+tsFfmP2hRANCAAQ6cmDFLOO7QLqBpzrTKDH8gRbMT4ut
xQ0xtrIqUj7i4YUREH0GvT4LuhWh1H8T3JB/zxssl/NUSjt94Dnu2hme
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBnDCCAUKgAwIBAgIUe3N9qt2TEtK7mqjYbYD5qtAXDckwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNjAzNDM0MFoYDzIxMjYxMTAy
MDM0MzQwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQ6cmDFLOO7QLqBpzrTKDH8gRbMT4utxQ0xtrIqUj7i4YUREH0GvT4L
uhWh1H8T3JB/zxssl/NUSjt94Dnu2hmeo3AwbjAdBgNVHQ4EFgQUv7sfBkuSrRu2
3L1HkVkc0qfNdcswHwYDVR0jBBgwFoAUv7sfBkuSrRu23L1HkVkc0qfNdcswDwYD
VR0TAQH/BAUwAwEB/zAbBgNVHREEFDASghByZWNlaXZlci5leGFtcGxlMAoGCCqG
SM49BAMCA0gAMEUCIQD5h5ieOp25Skq2fRcBJ3hCG66rKdpkBRBGH8AcAoMVDAIg
D6BCQzdn1op1Jx8do9zl1waLHC/uIwnN6n2iaCI9mJ0=
-----END CERTIFICATE-----`,
};

/** Special-purpose addresses, and others that are not global unicast. The service must not connect to any of them. */
const ADDRESSES = `
  0.0.0.0 0.0.0.1 0.255.255.255 10.0.0.0 10.0.0.1 10.255.255.255 100.64.0.0 100.64.0.1 100.100.100.200
  100.127.255.255 127.0.0.0 127.0.0.1 127.0.0.2 127.1.2.3 127.255.255.255 169.254.0.1 169.254.169.254 169.254.170.2
  169.254.255.255 172.16.0.1 172.17.0.1 172.31.255.255 192.0.0.1 192.0.0.8 192.0.0.170 192.0.0.192 192.0.2.1
  192.0.2.255 192.31.196.1 192.52.193.1 192.88.99.1 192.168.0.1 192.168.1.1 192.168.255.255 192.175.48.1 198.18.0.1
  198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 224.0.0.251 239.255.255.250 240.0.0.1 250.1.2.3 255.255.255.254
  255.255.255.255
  :: ::1 ::2 ::7f00:1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1 ::ffff:169.254.169.254
  ::ffff:8.8.8.8 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b::10.0.0.1 64:ff9b::8.8.8.8
  64:ff9b:1::1 64:ff9b:1:ffff::a00:1 100::1 100:0:0:1::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:1::1
  2001:2::1 2001:3::1 2001:4:112::1 2001:10::1 2001:20::1 2001:30::1 2001:db8::1
  2001:db8:ffff:ffff:ffff:ffff:ffff:ffff 2002::1 2002:7f00:1:: 2002:a00:1::1 2002:a9fe:a9fe::1 2002:c0a8:101::1
  2620:4f:8000::1 3fff::1 3fff:fff::1 4000::1 5f00::1 8000::1 fc00::1 fd00::1 fd00:ec2::254 fdff::1 fe80::1
  fe80::a9fe:a9fe febf::1 fec0::1 feff::1 ff00::1 ff02::1 ff02::fb ff05::2 ff0e::1
`
  .trim()
  .split(/\s+/);

/** Other notations of such addresses in URLs. */
const NOTATIONS = `
  2130706433 017700000001 0x7f000001 0x7F.1 0x7f.0.0.1 0177.0.0.1 0177.1 127.1 127.0.1 127.000.000.001 0 00 0x0 0.0 0.1
  127.0.0.1. 2852039166 0xa9fea9fe 025177524776 169.254.43518 169.16689662 0251.0376.0251.0376 0xa9.0xfe.0xa9.0xfe
  3232235777 0xc0a80101 030052000401 192.168.257 192.11010305 10.1 10.0.1 012.0.0.1 0xa.0.0.1 167772161 172.1048577
  1681915905 4294967295 0xffffffff 037777777777 %31%32%37.0.0.1 127%2e0.0.1 １２７.０.０.１ ⑫⑦.⓪.⓪.① 127。0。0。1
  127．0．0．1 ①②⑦.0.0.1 １６９.２５４.１６９.２５４ [::1] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1]
  [0:0:0:0:0:ffff:127.0.0.1] [::] [0::0] [::127.0.0.1] [64:ff9b::127.0.0.1] [fe80::1] [2002:7f00:1::]
  [::ffff:0a00:0001] [0000::1] [::0001]
`
  .trim()
  .split(/\s+/);

/** URLs that are rejected as a whole. */
const URLS = [
  'http://example.com/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'gopher://example.com/',
  'javascript:alert(1)',
  'data:text/plain,x',
  'https://user@example.com/',
  'https://user:password@example.com/',
  'https://example.com@127.0.0.1/',
  'https://127.0.0.1:443@example.com/',
  'https://example.com/#fragment',
  'https://example.com:22/',
  'https://example.com:25/',
  'https://example.com:6/',
  'https://example.com:0/',
  'https://example.com:99999/',
  'https://exa mple.com/',
  'https://[::1%25eth0]/',
  'https://[fe80::1%eth0]/',
  'https://256.256.256.256/',
  'https://1.2.3.4.5/',
  'https://0x7g.1/',
  'https://08.1.1.1/',
  'https:///',
  'https://',
  'https://%00.example.com/',
  '//127.0.0.1/',
  '127.0.0.1',
  '',
];

const NAMES: Record<string, string[]> = {
  localhost: ['127.0.0.1', '::1'],
  'localhost.': ['127.0.0.1'],
  LOCALHOST: ['127.0.0.1'],
  'ⓛocalhost': ['127.0.0.1'],
  'foo.localhost': ['::1'],
  'ip6-loopback': ['::1'],
  'metadata.google.internal': ['169.254.169.254'],
  metadata: ['169.254.169.254'],
  'instance-data': ['169.254.169.254'],
  'kubernetes.default.svc': ['10.96.0.1'],
  'host.docker.internal': ['172.17.0.1'],
  '127.0.0.1.nip.io': ['127.0.0.1'],
  'localtest.me': ['127.0.0.1', '::1'],
  'good-then-bad.example': ['8.8.8.8', '127.0.0.1'],
  'bad-then-good.example': ['127.0.0.1', '8.8.8.8'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'zone.example': ['fe80::1%eth0'],
  'garbage.example': ['not an address'],
};

const fakeResolve: Resolve = (name, done) => {
  const found =
    NAMES[name] ?? Object.entries(NAMES).find(([known]) => new URL(`http://${known}`).hostname === name)?.[1];
  done(
    null,
    (found ?? ADDRESSES).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  );
};

const outgoing = new OutgoingRequests(undefined, true, fakeResolve);
const post = (url: string, by = outgoing) => by.post(new URL(url), {}, '{}', NEVER);

async function assertNotConnected(url: string): Promise<void> {
  const before = connections;
  const { data } = newWebhook.safeParse({ url });
  if (data !== undefined && outgoing.findIssue(new URL(data.url)) === undefined) {
    const { status, error } = await post(data.url);
    assert.equal(status, null);
    assert.match(error ?? '', /^The host has an address that is not public/);
  }
  assert.equal(connections, before);
}

test('the corpus has at least 150 entries', () => {
  const count = ADDRESSES.length + NOTATIONS.length + URLS.length + Object.keys(NAMES).length;
  assert.ok(count >= 150, String(count));
});

describe('nothing connects to', () => {
  for (const address of ADDRESSES)
    test(address, async () => {
      assert.equal(isPublicAddress(address), false);
      await assertNotConnected(`https://${address.includes(':') ? `[${address}]` : address}:${port}/`);
      await assertNotConnected(`https://name-of-${address.replaceAll(/[:.]/g, '-')}.example:${port}/`);
    });
  for (const host of NOTATIONS) test(host, () => assertNotConnected(`https://${host}:${port}/`));
  for (const name of Object.keys(NAMES)) test(name, () => assertNotConnected(`https://${name}:${port}/`));
});

describe('a URL is rejected', () => {
  for (const url of URLS)
    test(url, () => {
      const { data } = newWebhook.safeParse({ url });
      const isRejected = data === undefined || outgoing.findIssue(new URL(data.url)) !== undefined;
      assert.ok(isRejected);
    });
});

test('public addresses are reachable', () => {
  for (const address of [
    '1.1.1.1',
    '8.8.8.8',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.0.1',
    '2606:4700::1111',
    '2a00:1450::1',
  ])
    assert.equal(isPublicAddress(address), true, address);
});

test('a name whose address changes is checked again at each connection', async (t) => {
  const allowed = new BlockList();
  allowed.addAddress('127.0.0.1');
  const answers = ['127.0.0.1', '127.0.0.2'];
  const rebinding = new OutgoingRequests(allowed, true, (_, done) =>
    done(null, [{ address: answers.shift() ?? '', family: 4 }]),
  );
  defer(t, () => rebinding.close());
  const receiver = await serve((_, response) => void response.writeHead(204, { Connection: 'close' }).end());
  const url = receiver.replace('127.0.0.1', 'rebinding.example');
  assert.equal((await post(url, rebinding)).status, 204);
  assert.match((await post(url, rebinding)).error ?? '', /not public/);
});

test('an allowed network opens only itself, and http: only for itself', async () => {
  const allowed = new BlockList();
  allowed.addSubnet('10.0.0.0', 8);
  const some = new OutgoingRequests(allowed, true, (_, done) => done(null, [{ address: '8.8.8.8', family: 4 }]));
  assert.equal(some.findIssue(new URL('http://10.1.2.3/')), undefined);
  assert.equal(some.findIssue(new URL('https://10.1.2.3/')), undefined);
  assert.ok(some.findIssue(new URL('http://127.0.0.1/')));
  assert.ok(some.findIssue(new URL('http://8.8.8.8/')));
  assert.match((await post('http://public.example/', some)).error ?? '', /not public/);
});

// What a receiver can do to the service.

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
const local = new OutgoingRequests(loopback);
after(() => local.close());

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  after(() => server.closeAllConnections());
  return `http://127.0.0.1:${await listen(server)}/`;
}

test('a redirect is not followed', async () => {
  const before = connections;
  const url = await serve(
    (_, response) => void response.writeHead(307, { Location: `http://127.0.0.1:${port}/` }).end(),
  );
  assert.equal((await post(url, local)).status, 307);
  assert.equal(connections, before);
});

test('a response that never ends is cut after 16 KiB, and 1 KiB of it is kept', async () => {
  let sent = 0;
  const url = await serve((_, response) => {
    response.writeHead(200);
    const write = () => {
      while (!response.destroyed && response.write('é'.repeat(512))) sent += 1024;
      if (!response.destroyed) response.once('drain', write);
    };
    write();
  });
  const { status, response } = await post(url, local);
  assert.deepEqual([status, response], [200, 'é'.repeat(512)]);
  assert.ok(sent < 64 * 1024 * 1024);
});

test('a compressed bomb is not decompressed', async () => {
  const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
  const url = await serve((_, response) => void response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb));
  const { status, response } = await post(url, local);
  assert.equal(status, 200);
  assert.ok((response?.length ?? 0) <= 1024);
});

test('a response is kept as well-formed text without control characters', async () => {
  const url = await serve(
    (_, response) => void response.writeHead(500).end(Buffer.from([0x61, 0, 0x1b, 0xff, 0x0a, 0xc3])),
  );
  assert.equal((await post(url, local)).response, 'a\ufffd\ufffd\ufffd\n');
});

describe('a broken response is an error, and the request is not repeated', () => {
  const HEAD = 'HTTP/1.1 200 OK\r\n';
  const flood = (start: string, rest: string) => (socket: Socket) => {
    socket.write(start);
    const write = () => {
      while (!socket.destroyed && socket.write(rest.repeat(1024)));
      if (!socket.destroyed) socket.once('drain', write);
    };
    write();
  };
  const cases: Record<string, (socket: Socket) => void> = {
    'headers of 1 MB': (socket) => socket.write(`${HEAD}X: ${'x'.repeat(1024 * 1024)}\r\n\r\n`),
    'no HTTP': (socket) => socket.end('hello'),
    'no response': (socket) => socket.destroy(),
    'the end of the connection': (socket) => socket.end(),
    'half of the headers': (socket) => socket.end(`${HEAD}X: `),
    'an informational response': (socket) => socket.end('HTTP/1.1 103 Early Hints\r\n\r\n'),
    'an upgrade': (socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
    'a status below 100': (socket) => socket.end('HTTP/1.1 099 No\r\n\r\n'),
    'a reason that never ends': flood('HTTP/1.1 200 ', 'x'),
    'empty lines that never end': flood('', '\r\n'),
    'informational responses that never end': flood('', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
  };
  for (const [name, answer] of Object.entries(cases))
    test(name, async () => {
      let requests = 0;
      const server = createTcpServer((socket) => {
        socket.on('error', () => {});
        socket.once('data', () => {
          requests += 1;
          answer(socket);
        });
      });
      const { status, error, durationMs } = await post(`http://127.0.0.1:${await listen(server)}/`, local);
      assert.deepEqual([status, requests], [null, 1]);
      assert.ok(error && !/assert|took longer/.test(error), `${error} after ${durationMs} ms`);
    });
});

test('an error does not show the address of a name', async (t) => {
  const one = new OutgoingRequests(loopback, true, (_, done) => done(null, [{ address: '127.0.0.1', family: 4 }]));
  defer(t, () => one.close());
  const { error } = await post('http://private.example:9/', one);
  assert.equal(error, 'connect ECONNREFUSED');
});

test('of two Retry-After headers, the first one is used', async () => {
  const url = await serve((_, response) => void response.writeHead(503, { 'Retry-After': ['5', '7'] }).end());
  assert.equal((await post(url, local)).retryAfter, '5');
});

test('closing ends connections that wait for a response', async () => {
  const closing = new OutgoingRequests(loopback);
  let ended = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const url = await serve(({ socket }) => {
    socket.once('close', () => {
      ended += 1;
    });
    resolve();
  });
  const request = post(url, closing);
  await promise;
  closing.close();
  assert.equal((await request).status, null);
  await until('the server sees the end', () => ended === 1);
});

test('an untrusted certificate is an error', async () => {
  const { key, cert } = UNTRUSTED;
  let received = 0;
  const server = createTlsServer({ key, cert }, () => {
    received += 1;
  });
  const { status, error } = await post(`https://127.0.0.1:${await listen(server)}/`, local);
  assert.deepEqual([status, error, received], [null, 'self-signed certificate', 0]);
});

test('a request that is stopped while its name is resolved ends at once and never connects', async (t) => {
  const answers: (() => void)[] = [];
  const resolving = new OutgoingRequests(loopback, true, (_, done) => {
    answers.push(() => done(null, [{ address: '127.0.0.1', family: 4 }]));
  });
  defer(t, () => resolving.close());
  const requests: string[] = [];
  const url = await serve(({ url }, response) => {
    requests.push(String(url));
    response.writeHead(204).end();
  });
  const slow = url.replace('127.0.0.1', 'slow.example');
  const ending = new AbortController();
  const stopped = resolving.post(new URL('stopped', slow), {}, '{}', ending.signal);
  ending.abort();
  assert.deepEqual((await stopped).error, 'The request was stopped');
  const next = resolving.post(new URL('next', slow), {}, '{}', NEVER);
  for (const answer of answers) answer();
  assert.equal((await next).status, 204);
  assert.deepEqual(requests, ['/next']);
});

test('a request ends after ten seconds, even if its response is still arriving', async () => {
  const hanging = await serve(() => {});
  const dripping = await serve((_, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('.'), 200);
    response.on('close', () => clearInterval(timer));
  });
  const [none, some] = await Promise.all([post(hanging, local), post(dripping, local)]);
  assert.deepEqual([none.status, none.error], [null, 'The request took longer than 10 s']);
  assert.equal(some.status, 200);
  for (const { durationMs } of [none, some]) assert.ok(durationMs < 15_000, String(durationMs));
});

test('if idle connections are closed when they are used again, a request gets a new one', async () => {
  const used = new WeakSet<object>();
  const url = await serve(({ socket }, response) => {
    if (used.has(socket)) return void socket.resetAndDestroy();
    used.add(socket);
    response.writeHead(204).end();
  });
  await Promise.all(Array.from({ length: 3 }, () => post(url, local)));
  const { status, error } = await post(url, local);
  assert.deepEqual([status, error], [204, null]);
});

test('at most 1,024 idle connections are kept, however many servers there are', async (t) => {
  const allOnLoopback: Resolve = (_, done) => done(null, [{ address: '127.0.0.1', family: 4 }]);
  const many = new OutgoingRequests(loopback, true, allOnLoopback);
  defer(t, () => many.close());
  const answers: (string | undefined)[] = [];
  const url = await serve(({ headers }, response) => {
    answers.push(headers.connection);
    response.writeHead(204).end();
  });
  let open = 0;
  let openMax = 0;
  const track = ({ socket }: { socket: Socket }) => {
    open += 1;
    openMax = Math.max(openMax, open);
    socket.once('close', () => {
      open -= 1;
    });
  };
  diagnostics.subscribe('net.client.socket', track as never);
  defer(t, () => void diagnostics.unsubscribe('net.client.socket', track as never));
  const names = Array.from({ length: 1200 }, (_, index) => url.replace('127.0.0.1', `server-${index}.example`));
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      for (let name = names.pop(); name !== undefined; name = names.pop()) await post(name, many);
    }),
  );
  assert.equal(answers[0], 'keep-alive');
  // The count includes connections that are still closing.
  assert.ok(openMax <= 1024 + 100, String(openMax));
});
