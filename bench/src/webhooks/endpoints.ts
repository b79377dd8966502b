import { createExchange } from '../creates.ts';
import { cycle } from '../cycle.ts';
import { drive } from '../driver.ts';
import { listingSource } from '../listings.ts';
import { type Call, type Reply, sendCall } from '../requests.ts';
import type { Account, Service } from '../service.ts';
import type { Sink } from './sink.ts';

const CONNECTIONS = 10;

/** Creates listings in the accounts in turn, and records when each request is sent. */
export function driveCreates(
  { port }: Service,
  accounts: readonly Account[],
  { sink, perSecond, seconds, name }: { sink: Sink; perSecond: number; seconds: number; name: string },
) {
  const nextListing = listingSource(0, name);
  const nextAccount = cycle(accounts);
  const next = () => {
    const listing = nextListing();
    sink.noteSent(listing.externalId);
    return createExchange(port, nextAccount().key, listing);
  };
  return drive({ port, connections: CONNECTIONS, perSecond, next, seconds });
}

export async function createEndpoint(service: Service, account: Account, url: string, more = {}): Promise<string> {
  const { body } = await call(service, hook(account, '', { url, ...more }), 201);
  return JSON.parse(body.toString()).id;
}

/** A request to the API for webhook endpoints. */
export function hook({ key }: Account, path: string, body: object | undefined): Call {
  const call: Call = { method: 'POST', path: `/v1/webhooks${path}`, key };
  return body === undefined ? call : { ...call, body: JSON.stringify(body) };
}

export async function call({ port }: Service, wanted: Call, status = 200): Promise<Reply> {
  const reply = await sendCall(port, wanted);
  if (reply.status === status) return reply;
  throw new Error(`${wanted.method} ${wanted.path}: got ${reply.status} with ${reply.body}`);
}
