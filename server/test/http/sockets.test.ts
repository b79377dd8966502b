import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
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
