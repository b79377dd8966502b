import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { until } from '../../../testkit/src/until.ts';
import { createHttpServer } from '../../src/http/protocol/server.ts';
import { AcceptedConnections, closeSockets, openSocket, openSockets } from '../../src/http/protocol/sockets.ts';

for (const open of [openSockets, openSocket]) {
  test(`connections that wait to be accepted when a server stops get responses (${open.name})`, async () => {
    const server = createServer((_, response) => response.setHeader('Connection', 'close').end('served'));
    await open(server, { host: '127.0.0.1', port: 0 });
    const { port } = server.address() as AddressInfo;
    // The system completes these connections at once; the server accepts them in later turns of the event loop.
    const replies = Array.from({ length: 50 }, () => {
      const socket = connect(port, '127.0.0.1');
      socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
      return text(socket);
    });
    await new Promise((resolve) => process.nextTick(resolve));
    const closed = closeSockets(server);
    for (const reply of await Promise.all(replies)) assert.match(reply, /served$/);
    await closed;
  });
}

test('accepted connections are opened in several turns of the event loop, and networks take turns', async () => {
  const opened: string[] = [];
  const accepted = new AcceptedConnections<{ remoteAddress: string }>(({ remoteAddress }) =>
    opened.push(remoteAddress),
  );
  const accept = (count: number, remoteAddress: string) => {
    for (let index = 0; index < count; index += 1) accepted.add({ remoteAddress });
  };
  accept(30, '192.0.2.1');
  accept(3, '192.0.2.2');
  await setImmediate();
  assert.deepEqual(opened.join(' ').replaceAll('192.0.2.', ''), '1 2 1 2 1 2 1 1');
  accept(100, '192.0.2.1');
  await setImmediate();
  assert.equal(opened.length, 133 - 64);
  await until('all connections are open', () => opened.length === 133);
});

test('when many clients disconnect at once, a few connections end per turn of the event loop', async () => {
  let requests = 0;
  const countRequest = async () => {
    requests += 1;
  };
  const server = createHttpServer(countRequest, {
    logger: pino({ level: 'silent' }),
    writeLine() {},
  });
  await openSockets(server, { host: '127.0.0.1', port: 0 });
  const { port } = server.address() as AddressInfo;
  let turn = 0;
  let isClosed = false;
  const endedPerTurn = new Map<number, number>();
  server.on('connection', (socket: Socket) => {
    socket.once('finish', () => endedPerTurn.set(turn, (endedPerTurn.get(turn) ?? 0) + 1));
  });
  const clients = Array.from({ length: 100 }, () => connect(port, '127.0.0.1'));
  for (const client of clients) client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await until('all requests have arrived', () => requests === 100);
  const countTurns = () => {
    turn += 1;
    if (!isClosed) setImmediate().then(countTurns);
  };
  countTurns();
  for (const client of clients) client.destroy();
  await closeSockets(server);
  isClosed = true;
  assert.ok(endedPerTurn.size > 10, JSON.stringify([...endedPerTurn]));
});
