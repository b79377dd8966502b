import { join } from 'node:path';
import { listingSource } from '../listings.ts';
import type { Place } from '../place.ts';
import { type Server, startServer } from '../processes.ts';
import type { Call } from '../requests.ts';
import { createAccounts, startService } from '../service.ts';

/** A server that stores the listings, and the key of their account. */
export type Side = Server & {
  key: string;
  /** The IDs of listings from all parts of the account. */
  ids: string[];
  /** A request that is sent while the account is searched. On the service, it comes from another account. */
  neighbour: Call;
};

/** The seed of the listings, and of the sample of them. */
export const SEED = 19;
const PEER = join(import.meta.dirname, '../peer/server.ts');
const PEER_KEY = 'key-of-the-peer';
const NEIGHBOUR_LISTINGS = 200;
const BATCH = 10_000;

/** Starts the service, and imports the account's listings and those of a neighbor. */
export async function startFilledService(place: Place, listings: number): Promise<Side> {
  const [account, neighbour] = await createAccounts(place, 2);
  if (account === undefined || neighbour === undefined) throw new Error('The bench needs two accounts');
  const service = await startService(place);
  await importListings(service, account.key, listings);
  await importListings(service, neighbour.key, NEIGHBOUR_LISTINGS);
  const [id = ''] = await readIds(service, neighbour.key);
  const ids = await readIds(service, account.key);
  return { ...service, key: account.key, ids, neighbour: readCall(id, neighbour.key) };
}

/** Starts the peer, and fills it from the service's change feed, in the order of creation. */
export async function startFilledPeer(place: Place, service: Side): Promise<Side> {
  const command = { args: [PEER, join(place.directory, 'peer.db'), PEER_KEY] };
  const peer = await startServer(command, place.cores, join(place.directory, 'peer.log'));
  for (let after = 0; ; ) {
    const { data, nextAfter } = await send(service, service.key, `events?after=${after}&limit=1000`);
    if (data.length === 0) break;
    const lines = data.map(({ listing }: { listing: unknown }) => JSON.stringify(listing));
    await send(peer, PEER_KEY, 'imports', lines.join('\n'));
    after = nextAfter;
  }
  const { ids } = service;
  return { ...peer, key: PEER_KEY, ids, neighbour: readCall(ids[0] ?? '', PEER_KEY) };
}

export function readCall(id: string, key: string): Call {
  return { method: 'GET', path: `/v1/listings/${id}`, key };
}

/** Imports listings in batches, because `fetch` waits at most five minutes for a response. */
async function importListings(server: Server, key: string, count: number): Promise<void> {
  const next = listingSource(SEED, 'MLS');
  for (let sent = 0; sent < count; sent += BATCH) {
    const lines = Array.from({ length: Math.min(BATCH, count - sent) }, () => JSON.stringify(next()));
    await send(server, key, 'imports', lines.join('\n'));
  }
}

/** Returns the IDs of the cheapest listings, which are spread throughout the account. */
async function readIds(server: Server, key: string): Promise<string[]> {
  const { data } = await send(server, key, 'listings?limit=1000&sort=listPrice&fields=id');
  return data.map(({ id }: { id: string }) => id);
}

/** Sends NDJSON if there is a body, otherwise a GET. @throws unless the response is a success without failed rows */
async function send({ port }: Server, key: string, path: string, body?: string) {
  const response = await fetch(`http://127.0.0.1:${port}/v1/${path}`, {
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/x-ndjson' },
    ...(body === undefined ? {} : { method: 'POST', body }),
  });
  const text = await response.text();
  if (!response.ok || /"failed":[^0]/.test(text.slice(0, 200))) throw new Error(`${path}: got ${text.slice(0, 1000)}`);
  return JSON.parse(text);
}
