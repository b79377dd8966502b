import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Cleanup, defer } from '../../../testkit/src/cleanup.ts';

/** A request that a receiver got. */
export interface Received {
  path: string;
  headers: Record<string, string>;
  body: string;
  /** The parsed body. */
  event: { type: string; timestamp: string; accountId: string; epoch: string; data: ReceivedEvent };
}

interface ReceivedEvent {
  sequence: number;
  type: string;
  listingId: string;
  listing?: Record<string, unknown>;
}

export interface Receiver {
  url: string;
  requests: Received[];
  /** The sequences of the received events, in order of arrival. */
  readonly sequences: number[];
  /** Decides each response; 204 at first. */
  respond: (received: Received, response: ServerResponse) => void;
}

/** Fails unless the first arrivals of each listing's events are in order. */
export function assertOrdered({ requests }: Receiver): void {
  const arrived = new Set<number>();
  const last = new Map<string, number>();
  for (const { sequence, listingId } of requests.map(({ event }) => event.data)) {
    if (arrived.has(sequence)) continue;
    const previous = last.get(listingId) ?? 0;
    assert.ok(previous < sequence, `${sequence} of ${listingId} arrived after ${previous}`);
    arrived.add(sequence);
    last.set(listingId, sequence);
  }
}

/** A local HTTP server that receives webhooks. */
export async function startReceiver(t: Cleanup, port = 0): Promise<Receiver> {
  const receiver: Receiver = {
    url: '',
    requests: [],
    get sequences() {
      return this.requests.map(({ event }) => event.data.sequence);
    },
    respond: (_, response) => void response.writeHead(204).end(),
  };
  const server = createServer(async (incoming, response) => {
    const received = await read(incoming);
    receiver.requests.push(received);
    receiver.respond(received, response);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  defer(t, () => {
    server.close();
    server.closeAllConnections();
  });
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  return receiver;
}

async function read(incoming: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
  return { path: incoming.url ?? '', headers, body, event: JSON.parse(body) };
}
