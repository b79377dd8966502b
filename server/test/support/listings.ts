import { randomBytes } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import { createListing } from '../../src/domain/listings.ts';
import type { ListingInput } from '../../src/model/listings.ts';
import { decodeStart } from './encodings.ts';
import type { Tenant, TestService } from './service.ts';

/** The least that makes a listing. */
export const MINIMAL = { address: '12 Elm Street', beds: 3, baths: 2 };

/** Sends a listing; a string or bytes go out as they are. */
export function post(
  service: TestService,
  tenant: Tenant,
  body: object | string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return service.fetch(tenant, '/v1/listings', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: new Uint8Array(bytes),
  });
}

/** Sends a request with a JSON body, if any. */
export function send(
  service: TestService,
  tenant: Tenant,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  if (body === undefined) return service.fetch(tenant, `/v1${path}`, { method, headers });
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const all = { 'Content-Type': 'application/json', ...headers };
  return service.fetch(tenant, `/v1${path}`, { method, headers: all, body: text });
}

/** Creates listings of about `bytes` each, hard to compress, without HTTP, and returns their ids, oldest first. */
export async function fill(service: TestService, tenant: Tenant, count: number, bytes = 200): Promise<string[]> {
  const descriptionLength = Math.max(1, Math.min(4000, bytes) - 200);
  const creating = Array.from({ length: count }, (_, index) => {
    const description = randomBytes(descriptionLength).toString('hex').slice(0, descriptionLength);
    const input: ListingInput = { address: `${index} Elm Street`, beds: 3, baths: 2, description };
    return createListing(service.database, tenant, () => input);
  });
  return (await Promise.all(creating)).map(({ outcome }) => outcome.id);
}

/** Enough listings that no buffer between two sockets holds their list. */
export async function fillBeyondBuffers(service: TestService, tenant: Tenant): Promise<number> {
  const LISTINGS = 7_000;
  await fill(service, tenant, LISTINGS, 4000);
  return LISTINGS;
}

/** Creates listings of 0.85 MB each, nearly the largest there are, and returns their ids, oldest first. */
export async function fillWithLarge(service: TestService, tenant: Tenant, count: number): Promise<string[]> {
  // Characters that take four bytes on the wire and two places in a string are the slowest to read.
  const photos = Array.from({ length: 100 }, () => ({
    url: `https://example.com/${'😀'.repeat(1_980)}`,
    caption: '語',
  }));
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const input: ListingInput = { ...MINIMAL, address: `${index} Elm Street`, photos };
    const { outcome } = await createListing(service.database, tenant, () => input);
    ids.push(outcome.id);
  }
  return ids;
}

/** Asks for the list and reads nothing of it until somebody reads the reply. */
export function openList(
  service: TestService,
  tenant: Tenant,
  query = '',
  headers: Record<string, string> = {},
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const all = { Authorization: `Bearer ${tenant.key}`, ...headers };
  get(`${service.url}/v1/listings${query}`, { headers: all, agent: false }, resolve).on('error', reject);
  return promise;
}

export interface ReadReply {
  /** As they came. */
  bytes: Buffer;
  /** What they say, as far as they go. */
  text: string;
  /** Whether the reply came to its end, as HTTP marks it. */
  isComplete: boolean;
}

/** Reads a reply to its end, or to where it was cut. */
export async function readAll(response: IncomingMessage): Promise<ReadReply> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of response) chunks.push(chunk);
  } catch {
    // The connection was cut: `complete` says so.
  }
  const bytes = Buffer.concat(chunks);
  return { bytes, text: decodeStart(bytes, response.headers['content-encoding']), isComplete: response.complete };
}
