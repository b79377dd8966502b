import { connect, type Socket } from 'node:net';
import { unchunk } from './chunked.ts';

export type Exchange = {
  request: Buffer;
  expected: Expected;
};

/** The status, and the exact body or strings that the body must contain. */
export type Expected = { status: number; body: Buffer } | { status: number; contains: readonly Buffer[] };

export type Connection = {
  send(request: Buffer): void;
  close(): void;
};

/** `body` may be a view into the connection's memory, valid only until `onReply` returns. */
type OnReply = (status: number, body: Buffer, head: string) => void;

const READ_BYTES = 64 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');
const STATUS_AT = 'HTTP/1.1 '.length;
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

/**
 * Opens a keep-alive connection for one request at a time. It reads responses with Content-Length, in chunks,
 * or without a body (204, 304). This code does not use an HTTP client, because that would cost more per response
 * than the bare server.
 * @param onFault called once if the connection is lost or a response cannot be parsed
 */
export function openConnection(
  port: number,
  onOpen: () => void,
  onReply: OnReply,
  onFault: (reason: string) => void,
): Connection {
  const chunk = Buffer.allocUnsafe(READ_BYTES);
  let unread: Buffer | undefined;
  let closed = false;

  function fail(reason: string): void {
    if (closed) return;
    closed = true;
    socket.destroy();
    onFault(reason);
  }

  function read(length: number): void {
    const bytes = unread === undefined ? chunk.subarray(0, length) : Buffer.concat([unread, chunk.subarray(0, length)]);
    const reply = parseReply(bytes);
    if (reply === undefined) {
      // Copy the bytes, because the next read overwrites `chunk`.
      unread = Buffer.from(bytes);
      return;
    }
    unread = undefined;
    if (typeof reply === 'string') fail(reply);
    else onReply(reply.status, reply.body, reply.head);
  }

  const socket: Socket = connect({
    port,
    host: '127.0.0.1',
    noDelay: true,
    // Use one buffer for all reads, which avoids an allocation per response.
    onread: {
      buffer: chunk,
      callback(length) {
        if (!closed) read(length);
        return true;
      },
    },
  });
  socket.once('connect', onOpen);
  socket.once('error', (error) => fail(error.message));
  socket.once('close', () => fail('the server closed the connection'));

  return {
    send(request) {
      socket.write(request);
    },
    close() {
      closed = true;
      socket.destroy();
    },
  };
}

/** @returns the response in `bytes`, undefined while it is incomplete, or the reason why it cannot be parsed */
function parseReply(bytes: Buffer): { status: number; body: Buffer; head: string } | string | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd === -1) return undefined;
  const head = bytes.toString('latin1', 0, headEnd);
  const status = Number(head.slice(STATUS_AT, STATUS_AT + 3));
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined && CHUNKED.test(head)) {
    const body = joinChunks(bytes.subarray(headEnd + HEAD_END.length));
    return body && { status, body, head };
  }
  if (length === undefined && status !== 204 && status !== 304) return `a response without Content-Length:\n${head}`;
  const bodyStart = headEnd + HEAD_END.length;
  const bodyEnd = bodyStart + (status === 304 ? 0 : Number(length ?? 0));
  if (bytes.length < bodyEnd) return undefined;
  if (bytes.length > bodyEnd) return `${bytes.length - bodyEnd} bytes after the end of a response:\n${head}`;
  return { status, body: bytes.subarray(bodyStart, bodyEnd), head };
}

const CHUNKED = /\r\ntransfer-encoding: *chunked/i;

function joinChunks(bytes: Buffer): Buffer | undefined {
  if (!bytes.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)) return undefined;
  const pieces: Buffer[] = [];
  const isWhole = unchunk((piece) => pieces.push(piece))(bytes);
  return isWhole ? Buffer.concat(pieces) : undefined;
}
