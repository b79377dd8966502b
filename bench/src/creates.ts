import type { Exchange } from './connection.ts';
import { cycle } from './cycle.ts';
import { type ListingBody, listingSource } from './listings.ts';
import { type Call, serializeCall } from './requests.ts';

const DIFFERENT_LISTINGS = 1000;

export function createCall(key: string, body: string): Call {
  return { method: 'POST', path: '/v1/listings', key, body };
}

/** Like `createCall`, but with a different path, so that the bare server can distinguish the two. */
export function fullCreateCall(key: string, body: string): Call {
  return { ...createCall(key, body), path: '/v1/listings?' };
}

/** A request that creates a listing, and the expected response: 201 with the same address and external ID. */
export function createExchange(port: number, key: string, listing: ListingBody): Exchange {
  return {
    request: serializeCall(port, createCall(key, JSON.stringify(listing))),
    expected: { status: 201, contains: [member('address', listing.address), member('externalId', listing.externalId)] },
  };
}

/** Endlessly generates requests that create listings with only the required fields. */
export function endlessCreates(port: number, key: string): () => Exchange {
  const nextListing = listingSource(0, '');
  return cycle(
    Array.from({ length: DIFFERENT_LISTINGS }, () => {
      const { address, beds, baths } = nextListing();
      const request = serializeCall(port, createCall(key, JSON.stringify({ address, beds, baths })));
      return { request, expected: { status: 201, contains: [member('address', address)] } };
    }),
  );
}

/**
 * Endlessly generates requests that create listings with nearly all fields. A thousand listings repeat with
 * new external IDs, because generating each listing would make the driver slower than the bare server.
 */
export function endlessFullCreates(port: number, key: string, prefix: string): () => Exchange {
  const head = serializeCall(port, fullCreateCall(key, ' '))
    .toString('latin1')
    .replace(/content-length: 1\r\n\r\n $/i, '');
  const nextListing = listingSource(0, prefix);
  const nextText = cycle(Array.from({ length: DIFFERENT_LISTINGS }, () => splitListing(nextListing())));
  let count = 0;
  return () => {
    count += 1;
    const { address, rest, restBytes } = nextText();
    const externalId = `"externalId":"${prefix}-${count}"`;
    // Add two bytes for the brace and the comma.
    const length = externalId.length + restBytes + 2;
    const request = Buffer.from(`${head}Content-Length: ${length}\r\n\r\n{${externalId},${rest}`);
    return { request, expected: { status: 201, contains: [address, Buffer.from(externalId)] } };
  };
}

/** Returns the JSON of a listing without its external ID and its opening brace. */
function splitListing({ externalId: _, ...listing }: ListingBody): {
  address: Buffer;
  rest: string;
  restBytes: number;
} {
  const rest = JSON.stringify(listing).slice(1);
  return { address: member('address', String(listing.address)), rest, restBytes: Buffer.byteLength(rest) };
}

function member(name: string, value: string): Buffer {
  return Buffer.from(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
}
