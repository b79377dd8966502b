import { countListings, findListings } from '../../domain/find-listings.ts';
import { noListing } from '../../domain/listings.ts';
import { describeSearch } from '../../model/search.ts';
import { findListing, findListingByExternalId, type StoredListing } from '../../storage/listings.ts';
import { formatOf } from '../contract/formats/formats.ts';
import { retrieveByExternalIdOperation } from '../contract/operations/external-listings.ts';
import { type ListQuery, listOperation } from '../contract/operations/find-listings.ts';
import { retrieveOperation } from '../contract/operations/listings.ts';
import { normalExternalId } from '../contract/schemas/listings.ts';
import { toSearch } from '../contract/schemas/searches.ts';
import { addOperation, type Mount } from '../protocol/add-operation.ts';
import { listingTag, listTag, readIfNoneMatch } from '../protocol/conditional.ts';
import { type Admitted, abortWhenLeft } from '../protocol/exchange.ts';
import { replyList } from '../protocol/list-reply.ts';
import { type Reply, replyJson, replyNotModified } from '../protocol/reply.ts';
import type { Services } from '../services.ts';

export function addListings(mount: Mount, services: Services): void {
  const { database } = services;
  addOperation(mount, listOperation, (exchange, query, _, mediaType) => list(exchange, query, mediaType, services));
  addOperation(mount, retrieveOperation, (exchange, _, { id = '' }) =>
    retrieve(exchange, () => findListing(database, exchange.principal.accountId, id)),
  );
  addOperation(mount, retrieveByExternalIdOperation, (exchange, _, { externalId = '' }) =>
    retrieve(exchange, () =>
      findListingByExternalId(database, exchange.principal.accountId, normalExternalId(externalId)),
    ),
  );
}

async function retrieve({ incoming }: Admitted, find: () => Promise<StoredListing | undefined>): Promise<Reply> {
  const isKnown = readIfNoneMatch(incoming.headers);
  const listing = await find();
  if (listing === undefined) throw noListing();
  const etag = listingTag(listing.version);
  return isKnown?.(etag) ? replyNotModified(etag) : replyJson(200, listing.doc, { ETag: etag });
}

async function list(exchange: Admitted, query: ListQuery, mediaType: string, services: Services): Promise<Reply> {
  const { database, cursors, release } = services;
  const { path, principal, incoming } = exchange;
  const { limit, cursor, fields, count = false } = query;
  const search = toSearch(query);
  const question = describeSearch(search);
  const scope = `listings\n${principal.accountId}\n${question}`;
  const isKnown = readIfNoneMatch(incoming.headers);
  const after = cursor === undefined ? undefined : cursors.decode(cursor, scope);

  // The sequence was read with the key, before the first row: whoever follows the events from there misses nothing.
  const { accountId, epoch, sequence } = principal;
  const shape = [path, question, limit ?? '', cursor ?? '', fields?.join() ?? '', String(count), mediaType];
  const etag = listTag(accountId, epoch, sequence, ...shape, release);
  if (isKnown?.(etag)) return replyNotModified(etag);

  const signal = abortWhenLeft(exchange);
  const counting = count ? countListings(database, principal, search, signal) : undefined;
  const finding = findListings(database, principal, search, { after, limit, signal });
  const [total, { pageEnd, ...found }] = await Promise.all([counting, finding]);
  const nextCursor = pageEnd === undefined ? null : cursors.encode(pageEnd, scope);
  const headers: Record<string, string> = { ETag: etag };
  if (nextCursor !== null) headers.Link = `<${pathOfNextPage(exchange, nextCursor)}>; rel="next"`;
  return replyList(formatOf(mediaType), { ...found, frame: { nextCursor, sequence, epoch, total } }, fields, headers);
}

/** The same request, from where this page ends. */
function pathOfNextPage({ path, query }: Admitted, nextCursor: string): string {
  const parameters = new URLSearchParams(query);
  parameters.set('cursor', nextCursor);
  return `${path}?${parameters}`;
}
