import { AssertionError } from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { takeReply } from '../../../../testkit/src/raw-http.ts';

export type Way = 'goes on' | 'half-closes' | 'leaves' | 'resets';

/** Longer than the service waits for the rest of a head. */
const END_TIMEOUT_MS = 20_000;

/**
 * Sends bytes up to a place, acts, and resolves with the response when the connection has ended.
 * @throws AssertionError when the service is down or the connection stays open
 */
export function sendCut(port: number, bytes: Buffer, cut: number, way: Way): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = '';
  const socket = connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1');
  const timer = setTimeout(() => {
    reject(new AssertionError({ message: `the connection is still open, with this reply: ${text}` }));
    socket.destroy();
  }, END_TIMEOUT_MS);
  socket.on('data', (chunk: string) => {
    text += chunk;
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNREFUSED') reject(new AssertionError({ message: 'the service no longer listens' }));
  });
  socket.once('close', () => {
    clearTimeout(timer);
    resolve(text);
  });
  socket.write(bytes.subarray(0, cut), () => goOn(socket, bytes.subarray(cut), way));
  return promise;
}

function goOn(socket: Socket, rest: Buffer, way: Way): void {
  if (way === 'half-closes') socket.end();
  if (way === 'leaves') socket.destroy();
  if (way === 'resets') socket.resetAndDestroy();
  // In a later turn, so that it can be a packet of its own.
  if (way === 'goes on' && rest.length > 0) setImmediate(() => socket.write(rest));
}

/** The statuses of the responses on a connection; the last one may be cut. */
export function readStatuses(text: string, isHead: (index: number) => boolean): number[] {
  const statuses: number[] = [];
  let rest = text;
  for (;;) {
    rest = rest.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '');
    const reply = takeReply(rest, { hasBody: !isHead(statuses.length) });
    if (reply === undefined) return statuses;
    statuses.push(reply.status);
    rest = rest.slice(reply.head.length + 4 + reply.body.length);
  }
}
