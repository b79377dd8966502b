import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

export type Call = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The path and the query. */
  path: string;
  key?: string;
  ifNoneMatch?: string;
  /** The body as JSON. */
  body?: string;
};

export type Reply = {
  status: number;
  /** Names and values in turn, as received. */
  headers: string[];
  body: Buffer;
};

/** Returns the bytes of a request as a plain client would send them. */
export function serializeCall(port: number, call: Call): Buffer {
  const head = [`${call.method} ${call.path} HTTP/1.1`, `Host: 127.0.0.1:${port}`];
  for (const [name, value] of Object.entries(headersOf(call))) head.push(`${name}: ${value}`);
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${call.body ?? ''}`);
}

/** Sends one request with Node.js's own client and waits for the complete response. */
export async function sendCall(port: number, call: Call): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { method, path } = call;
  const outgoing = request({ host: '127.0.0.1', port, method, path, headers: headersOf(call), agent: false }, resolve);
  outgoing.once('error', reject);
  outgoing.end(call.body);
  const response = await promise;
  return { status: response.statusCode ?? 0, headers: response.rawHeaders, body: await buffer(response) };
}

export function findHeader(reply: Reply, name: string): string | undefined {
  const at = reply.headers.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === name);
  return at === -1 ? undefined : reply.headers[at + 1];
}

function headersOf(call: Call): Record<string, string> {
  return {
    ...(call.key === undefined ? {} : { Authorization: `Bearer ${call.key}` }),
    Accept: 'application/json',
    'User-Agent': 'property-listings-bench',
    ...(call.ifNoneMatch === undefined ? {} : { 'If-None-Match': call.ifNoneMatch }),
    ...(call.body === undefined
      ? {}
      : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(call.body)) }),
  };
}
