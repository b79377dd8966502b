import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawReply {
  status: number;
  head: string;
  body: string;
  /** Whether the service closes the connection after this response. */
  closes: boolean;
}

export function requestText(method: string, path: string, key: string, body = ''): string {
  const type = body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n${type}\r\n${body}`;
}

/** Adds the `Origin` header of the dashboard's requests. */
export function fromPage(request: string): string {
  return request.replace('\r\n\r\n', '\r\nOrigin: http://localhost\r\n\r\n');
}

export async function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  await once(socket, 'connect');
  // Ignore errors here: tests watch 'close', which follows an error.
  socket.on('error', () => undefined);
  return socket;
}

/** Sends all but the last byte, and resolves when the service waits for that byte. */
export async function beginRequest(socket: Socket, request: string): Promise<void> {
  const bodyStart = request.indexOf('\r\n\r\n') + 4;
  socket.write(`${request.slice(0, bodyStart - 2)}Expect: 100-continue\r\n\r\n`);
  const [interim] = await once(socket, 'data');
  if (!String(interim).startsWith('HTTP/1.1 100 '))
    throw new Error(`The service does not ask for the body:\n${interim}`);
  socket.write(request.slice(bodyStart, -1));
}

/** Returns the first complete response in `text`, if there is one. Bodies must be ASCII. */
export function takeReply(text: string, { hasBody = true } = {}): RawReply | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const head = text.slice(0, headEnd);
  const length = Number(/^content-length: (\d+)/im.exec(head)?.[1]);
  if (Number.isNaN(length)) throw new Error(`A response without a length:\n${head}`);
  const body = hasBody ? text.slice(headEnd + 4, headEnd + 4 + length) : '';
  if (hasBody && body.length < length) return undefined;
  return { status: Number(head.split(' ')[1]), head, body, closes: /^connection: close/im.test(head) };
}

/** Reads one response; undefined if the connection ends before the first byte. */
export async function readReply(socket: Socket): Promise<RawReply | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<RawReply | undefined>();
  let text = '';
  const onData = (chunk: string) => {
    text += chunk;
    const reply = takeReply(text);
    if (reply !== undefined) resolve(reply);
  };
  const onClose = () => {
    if (text === '') resolve(undefined);
    else reject(new Error(`An incomplete response:\n${text}`));
  };
  socket.on('data', onData).on('close', onClose);
  if (socket.destroyed) onClose();
  try {
    return await promise;
  } finally {
    socket.off('data', onData).off('close', onClose);
  }
}
