import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { openSocket, readReply } from '../../../testkit/src/raw-http.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { LINGER_MS } from '../../src/http/protocol/send.ts';

const service = await startSharedService();

const BODY_BYTES = 3 * 2 ** 20;
const HEAD = `POST /v1/listings HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer none\r\nContent-Type: application/json\r\nContent-Length: ${BODY_BYTES}\r\n\r\n`;

/** Starts a request that is rejected before its body arrives. */
async function beginRejected() {
  const socket = await openSocket(service.url);
  socket.write(HEAD);
  const reply = await readReply(socket);
  assert.deepEqual([reply?.status, reply?.closes], [401, false]);
  return socket;
}

for (const waitMs of [0, LINGER_MS - 20]) {
  test(`after an early response, the next request gets its response even if the service stalls after ${waitMs} ms`, async () => {
    const socket = await beginRejected();
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    socket.write('x'.repeat(BODY_BYTES));
    socket.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
    stall(2 * LINGER_MS);
    assert.equal((await readReply(socket))?.status, 200);
    socket.destroy();
  });
}

test('a connection with an early response to a body that does not end is closed', async () => {
  const socket = await beginRejected();
  await once(socket, 'close');
});

/** Blocks the service, which runs in this process. */
function stall(durationMs: number): void {
  const endMs = performance.now() + durationMs;
  while (performance.now() < endMs);
}
