import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { defer } from '../../../testkit/src/cleanup.ts';

/** What happens to a request and its response. */
export type Fate =
  | 'forward'
  /** The request never reaches the service. */
  | 'cut'
  /** The service processes the request, but its response is lost. */
  | 'lose reply'
  /** The connection breaks in the middle of the response. */
  | 'break reply'
  /** The response ends cleanly in the middle. */
  | 'shorten reply'
  /** The service processes the request, but its response never arrives. */
  | 'hold reply'
  /** The response stops in the middle. */
  | 'stall'
  /** The service processes the request, but something else responds. */
  | 'garbage'
  | 'garbage as JSON'
  | 'lose reply for 500'
  /** The request never reaches the service, and something else responds. */
  | 429
  | 500
  | 502
  | 503;

export interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
}

export interface Proxy {
  url: string;
  /** All requests in order. */
  seen: Seen[];
  /** Decides on each request; forwards by default. */
  judge: (seen: Seen) => Fate;
  /** The URL that requests are forwarded to. */
  target: string;
  /** Responses in progress. */
  open: Set<ServerResponse>;
}

/** Starts a proxy between a client and the service that simulates network failures. */
export async function proxyFor(t: TestContext, target: string): Promise<Proxy> {
  const server = createServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    const seen = { method, url, headers };
    proxy.seen.push(seen);
    proxy.open.add(outgoing);
    outgoing.on('close', () => proxy.open.delete(outgoing));
    meet(proxy.judge(seen), `${proxy.target}${url}`, incoming, outgoing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  defer(t, () => {
    server.close();
    server.closeAllConnections();
  });
  const proxy: Proxy = {
    url: `http://127.0.0.1:${Object(server.address()).port}`,
    seen: [],
    judge: () => 'forward',
    target,
    open: new Set(),
  };
  return proxy;
}

/** Applies a fate to the first requests, and forwards all others. */
export function firstMeet(fate: Fate, times = 1): Proxy['judge'] {
  let left = times;
  return () => {
    left -= 1;
    return left >= 0 ? fate : 'forward';
  };
}

function meet(fate: Fate, target: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (typeof fate === 'number') {
    incoming.resume();
    outgoing.writeHead(fate, { 'Content-Type': 'text/html', 'Retry-After': '0' }).end('<h1>Not today</h1>');
  } else if (fate === 'cut') {
    incoming.socket.destroy();
  } else {
    forward(fate, target, incoming, outgoing);
  }
}

function forward(fate: Fate, target: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, headers } = incoming;
  const onward = request(target, { method, headers, agent: false }, (reply) => {
    if (fate === 'forward') {
      outgoing.writeHead(reply.statusCode ?? 0, reply.headers);
      reply.on('error', () => outgoing.destroy()).pipe(outgoing);
      return;
    }
    spoil(fate, reply, outgoing);
  });
  onward.on('error', () => outgoing.destroy());
  outgoing.on('close', () => onward.destroy());
  incoming.pipe(onward);
}

/** Waits for the complete response first, so that the service has processed the request. */
async function spoil(fate: Fate, reply: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of reply) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const half = body.subarray(0, body.length / 2);
  const status = reply.statusCode ?? 0;
  const { 'content-length': _, 'transfer-encoding': __, ...headers } = reply.headers;
  if (fate === 'lose reply') outgoing.destroy();
  if (fate === 'lose reply for 500') outgoing.writeHead(500, { 'Retry-After': '0' }).end();
  if (fate === 'garbage') outgoing.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Welcome to the hotel</h1>');
  if (fate === 'garbage as JSON') outgoing.writeHead(200, { 'Content-Type': 'application/json' }).end('}{');
  if (fate === 'stall') outgoing.writeHead(status, headers).write(half);
  if (fate === 'shorten reply') outgoing.writeHead(status, headers).end(half);
  if (fate === 'break reply') {
    outgoing.writeHead(status, headers);
    outgoing.write(half, () => outgoing.destroy());
  }
}
