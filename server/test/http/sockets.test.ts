import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { pino } from 'pino';
import { until } from '../../../testkit/src/until.ts';
import { createHttpServer } from '../../src/http/protocol/server.ts';
import { closeSockets, openSocket, openSockets } from '../../src/http/protocol/sockets.ts';

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

test('connections from one network are read in turn with those from other networks', async () => {
  const server = createServer();
  await openSockets(server, { host: '127.0.0.1', port: 0 });
  const { port } = server.address() as AddressInfo;
  const opened: string[] = [];
  const areAllOpened = Promise.withResolvers<void>();
  server.on('connection', ({ remoteAddress = '' }: Socket) => {
    opened.push(remoteAddress);
    if (opened.length === 420) areAllOpened.resolve();
  });
  const open = (count: number, localAddress: string) =>
    Array.from({ length: count }, () => connect({ port, host: '127.0.0.1', localAddress }));
  // The system completes these connections at once, in this order.
  const clients = [...open(400, '127.0.0.2'), ...open(20, '127.0.0.3')];
  await areAllOpened.promise;
  for (const client of clients) client.destroy();
  await closeSockets(server);
  const last = opened.lastIndexOf('127.0.0.3');
  assert.ok(last < 330, `the last of the few was number ${last}`);
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
    if (!isClosed) setImmediate(countTurns);
  };
  countTurns();
  for (const client of clients) client.destroy();
  await closeSockets(server);
  isClosed = true;
  assert.ok(endedPerTurn.size > 10, JSON.stringify([...endedPerTurn]));
});
