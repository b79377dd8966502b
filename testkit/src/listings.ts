import { randomBytes } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import { createListing } from '../../server/src/domain/listings/listings.ts';
import type { ListingInput } from '../../server/src/model/listings.ts';
import { ENGINE } from './database.ts';
import { decodeStart } from './encodings.ts';
import type { Tenant, TestService } from './service.ts';

/** The required fields of a listing. */
export const MINIMAL = { address: '12 Elm Street', beds: 3, baths: 2 };

/** Sends a request that creates a listing. Strings and bytes are sent unchanged. */
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

/** Creates random listings of about `bytes` each, without HTTP. @returns their IDs, oldest first */
export async function fill(service: TestService, tenant: Tenant, count: number, bytes = 200): Promise<string[]> {
  const descriptionLength = Math.max(1, Math.min(4000, bytes) - 200);
  const creating = Array.from({ length: count }, (_, index) => {
    const description = randomBytes(descriptionLength).toString('hex').slice(0, descriptionLength);
    const input: ListingInput = { address: `${index} Elm Street`, beds: 3, baths: 2, description };
    return createListing(service.database, tenant, input);
  });
  return (await Promise.all(creating)).map(({ outcome }) => outcome.id);
}

/** Creates a list that is larger than the sockets' buffers. @returns the number of listings */
export async function fillBeyondBuffers(service: TestService, tenant: Tenant): Promise<number> {
  const LISTINGS = 7_000;
  await plant(service, tenant, LISTINGS, 3600);
  return LISTINGS;
}

/**
 * Quickly inserts listings into the database without the service. These listings are only for reads: they
 * have neither events nor the terms by which a search for words would find them. Beds and IDs count from 1,
 * and descriptions compress poorly.
 */
export async function plant(
  service: Pick<TestService, 'script'>,
  { accountId }: Pick<Tenant, 'accountId'>,
  count: number,
  descriptionLength = 2,
) {
  if (count === 0) return;
  const numbers = `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})`;
  const at = '2026-01-31T09:30:00.000Z';
  const { id, object, noise, learn, listingTerms, facets } = PLANTING[ENGINE];
  const doc = object(`'id', ${id}, 'address', n || ' Elm Street', 'beds', n, 'baths', 2, 'status', 'active',
    'description', ${noise(descriptionLength)}, 'version', 1, 'createdAt', '${at}', 'updatedAt', '${at}'`);
  await service.script(`begin;
    insert into listings (account_id, id, version, sequence, doc${listingTerms && ', terms'})
      ${numbers} select '${accountId}', ${id}, 1, 0, ${doc}${listingTerms} from numbers;
    insert into listing_facets (id, status, beds, baths, created_at, updated_at, ${facets(accountId).columns})
      ${numbers} select ${id}, 'active', n, 2, '${at}', '${at}', ${facets(accountId).values} from numbers;
    update account_heads set listing_count = listing_count + ${count} where account_id = '${accountId}';
    ${learn}
    commit;`);
}

const PLANTING = {
  sqlite: {
    id: `printf('lst_%026d', n)`,
    object: (members: string) => `json_object(${members})`,
    noise: (length: number) => `hex(randomblob(${length} / 2))`,
    listingTerms: ", ' §sactive §h2 §b' || n",
    facets: (accountId: string) => ({
      columns: 'account_id, number',
      values: `(select number from account_numbers where account_id = '${accountId}'),
        (select number from listings where account_id = '${accountId}' and id = printf('lst_%026d', n))`,
    }),
    learn: `insert into listing_index (rowid, terms)
        select number, replace(terms, ' ', ' ' || facets.account_id || '§')
        from unindexed_listings inner join listings using (number) inner join listing_facets as facets using (number)
        where terms like ' §sactive §h2 §b%';
      delete from unindexed_listings
        where number in (select number from listings where terms like ' §sactive §h2 §b%');`,
  },
  postgres: {
    id: `'lst_' || lpad(n::text, 26, '0')`,
    listingTerms: '',
    facets: (accountId: string) => {
      const terms = ["'§sactive'", "'§h2'", "'§b' || n"].map((term) => `right('${accountId}', 8) || ${term}`);
      return { columns: 'account_id, terms', values: `'${accountId}', array_to_tsvector(array[${terms}])` };
    },
    // Remove the spaces, because the service sends JSON without spaces.
    object: (members: string) => `replace(replace(json_build_object(${members})::text, '" : ', '":'), ', "', ',"')`,
    noise: (length: number) =>
      `left(array_to_string(array(select encode(sha512((random()::text || n)::bytea), 'hex') from generate_series(0, ${length} / 128)), ''), ${length})`,
    // PostgreSQL analyzes tables automatically, but only after up to a minute. Until then, it plans queries as if
    // the tables were small.
    learn: 'analyze listings, listing_facets;',
  },
};

/** Creates listings of 0.8 MB each, which is nearly the maximum. @returns their IDs, oldest first */
export async function fillWithLarge(service: TestService, tenant: Tenant, count: number): Promise<string[]> {
  // Characters of four UTF-8 bytes and two UTF-16 units are the slowest to read.
  const photos = Array.from({ length: 100 }, () => ({
    url: `https://example.com/${'😀'.repeat(1_980)}`,
    caption: '語',
  }));
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const input: ListingInput = { ...MINIMAL, address: `${index} Elm Street`, photos };
    const { outcome } = await createListing(service.database, tenant, input);
    ids.push(outcome.id);
  }
  return ids;
}

/** Requests the list, but does not read the response body. */
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
  bytes: Buffer;
  /** The decompressed text, as far as it has been received. */
  text: string;
  /** Whether the response is complete according to HTTP. */
  isComplete: boolean;
}

/** Reads a response to its end, or to the point where it was cut off. */
export async function readAll(response: IncomingMessage): Promise<ReadReply> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of response) chunks.push(chunk);
  } catch {
    // The connection was cut, as `complete` shows.
  }
  const bytes = Buffer.concat(chunks);
  return { bytes, text: decodeStart(bytes, response.headers['content-encoding']), isComplete: response.complete };
}
