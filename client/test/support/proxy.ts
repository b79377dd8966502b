import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';

/** What becomes of a request, and of the service's reply to it. */
export type Fate =
  | 'forward'
  /** The service never hears of it. */
  | 'cut'
  /** The service has done it, but its reply is lost. */
  | 'lose reply'
  /** The reply ends in the middle of its bytes, as a connection that breaks. */
  | 'break reply'
  /** The reply ends in the middle, as if that were its end. */
  | 'shorten reply'
  /** The service has done it, and its reply never comes. */
  | 'hold reply'
  /** The reply begins and does not go on. */
  | 'stall'
  /** The service has done it, and something else answers. */
  | 'garbage'
  | 'garbage as JSON'
  | 'lose reply for 500'
  /** The service never hears of it, and something else answers. */
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
  /** All requests that came, in order. */
  seen: Seen[];
  /** Decides on each; forwards by default. */
  judge: (seen: Seen) => Fate;
  /** Where requests go to. */
  target: string;
  /** Replies that are not over. */
  open: Set<ServerResponse>;
}

/** Stands between a client and the service, for what a network and what stands in it can do. */
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
  t.after(() => {
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

/** The first so many requests of a kind meet this, all others get through. */
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

/** Lets the service finish first: what it does must count once. */
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
