import { connect } from 'node:net';
import { unchunk } from './chunked.ts';
import type { ListCheck } from './list-checks.ts';
import { watchPeak } from './process-stats.ts';
import { type Call, serializeCall } from './requests.ts';

export type Streamed = { seconds: number; firstByteMs: number; memoryPeakBytes: number };

/** A list counts as stuck after this time without a byte. */
const IDLE_TIMEOUT_MS = 30_000;
const READ_BYTES = 256 * 1024;
const HEAD_END = '\r\n\r\n';
const STREAM_HEAD = /^HTTP\/1\.1 200 .*\r\ntransfer-encoding: *chunked\r\n/is;

export const COMPLETE_LIST_PATH = '/v1/listings';

/**
 * Reads a complete list through a raw socket, because Node.js's own client was slower than the bare server.
 * @returns the time to the last byte and to the first byte of the body, and the server's peak memory
 */
export async function streamList(
  port: number,
  pid: number,
  key: string,
  check: ListCheck,
  path = COMPLETE_LIST_PATH,
): Promise<Streamed> {
  const { result, peakBytes } = await watchPeak(pid, () => receiveList(port, { method: 'GET', path, key }, check));
  return { ...result, memoryPeakBytes: peakBytes };
}

function receiveList(port: number, call: Call, check: ListCheck): Promise<{ seconds: number; firstByteMs: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ seconds: number; firstByteMs: number }>();
  const startedAt = performance.now();
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  let firstByteMs: number | undefined;
  let head = '';
  const readBody = unchunk((bytes) => {
    firstByteMs ??= performance.now() - startedAt;
    check.read(bytes);
  });

  function read(bytes: Buffer): void {
    let body = bytes;
    if (!head.endsWith(HEAD_END)) {
      const end = bytes.indexOf(HEAD_END);
      const headLength = end === -1 ? bytes.length : end + HEAD_END.length;
      head += bytes.toString('latin1', 0, headLength);
      if (end === -1) return;
      if (!STREAM_HEAD.test(head)) throw new Error(`complete list: expected 200 and chunks, got ${head}`);
      body = bytes.subarray(headLength);
    }
    if (!readBody(body)) return;
    check.end();
    resolve({ seconds: (performance.now() - startedAt) / 1000, firstByteMs: firstByteMs ?? Number.NaN });
    socket.destroy();
  }

  const socket = connect({
    port,
    host: '127.0.0.1',
    onread: {
      buffer,
      callback(length) {
        try {
          read(buffer.subarray(0, length));
        } catch (error) {
          reject(error);
          socket.destroy();
        }
        return true;
      },
    },
  });
  socket.setTimeout(IDLE_TIMEOUT_MS, () => socket.destroy());
  socket.once('error', reject);
  socket.once('close', () => reject(new Error('complete list: the connection was closed before the last chunk')));
  socket.write(serializeCall(port, call));
  return promise;
}
