import { isKeyAlive } from '../../domain/api-keys.ts';
import { noListing } from '../../domain/listings.ts';
import type { Head } from '../../model/accounts.ts';
import { AppError } from '../../model/errors.ts';
import type { KeyHolder } from '../../storage/api-keys.ts';
import type { Database } from '../../storage/database.ts';
import {
  findListing,
  findListingByExternalId,
  findListingPage,
  type ListingPage,
  type StoredListing,
} from '../../storage/listings.ts';
import type { Services } from '../app.ts';
import { listingTag, listTag, readIfNoneMatch } from '../conditional.ts';
import type { KeyedExchange } from '../exchange.ts';
import { addOperation } from '../operations.ts';
import { JSON_TYPE, type Reply, replyJson, replyNotModified } from '../reply.ts';
import type { Routes } from '../routes.ts';
import { normalExternalId } from '../schemas/listings.ts';
import { retrieveByExternalIdOperation } from './external-listings.operations.ts';
import { type ListQuery, listOperation, retrieveOperation } from './listings.operations.ts';

/** Listings read at a time for the complete list: about a millisecond. */
const CHUNK_LENGTH = 250;

export function addListings(routes: Routes, services: Services): void {
  const { database } = services;
  addOperation(routes, listOperation, (exchange, query) => list(exchange, query, services));
  addOperation(routes, retrieveOperation, (exchange, _, { id = '' }) =>
    retrieve(exchange, () => findListing(database, exchange.holder.accountId, id)),
  );
  addOperation(routes, retrieveByExternalIdOperation, (exchange, _, { externalId = '' }) =>
    retrieve(exchange, () =>
      findListingByExternalId(database, exchange.holder.accountId, normalExternalId(externalId)),
    ),
  );
}

async function retrieve({ incoming }: KeyedExchange, find: () => Promise<StoredListing | undefined>): Promise<Reply> {
  const isKnown = readIfNoneMatch(incoming.headers);
  const listing = await find();
  if (listing === undefined) throw noListing();
  const etag = listingTag(listing.version);
  return isKnown?.(etag) ? replyNotModified(etag) : replyJson(200, listing.doc, { ETag: etag });
}

async function list(exchange: KeyedExchange, query: ListQuery, services: Services): Promise<Reply> {
  const { database, cursors, release } = services;
  const { path, holder, incoming } = exchange;
  const scope = `listings\n${holder.accountId}`;
  const isKnown = readIfNoneMatch(incoming.headers);
  const afterId = query.cursor === undefined ? undefined : cursors.decode(query.cursor, scope);

  // The sequence was read with the key, before the first row: whoever follows the events from there misses nothing.
  const { epoch, sequence } = holder;
  const etag = listTag(
    holder.accountId,
    epoch,
    sequence,
    path,
    query.limit ?? '',
    query.cursor ?? '',
    JSON_TYPE,
    release,
  );
  if (isKnown?.(etag)) return replyNotModified(etag);

  const page = await findListingPage(database, holder.accountId, afterId, query.limit ?? CHUNK_LENGTH);
  if (query.limit === undefined && page.nextAfterId !== undefined) {
    return replyJson(200, completeList(page, holder, database), { ETag: etag });
  }
  const nextCursor = page.nextAfterId === undefined ? null : cursors.encode(page.nextAfterId, scope);
  const headers: Record<string, string> = { ETag: etag };
  if (nextCursor !== null) headers.Link = `<${path}?limit=${query.limit}&cursor=${nextCursor}>; rel="next"`;
  return replyJson(200, `{"data":[${page.docs.join(',')}${closing(holder, nextCursor)}`, headers);
}

function closing({ sequence, epoch }: Head, nextCursor: string | null): string {
  return `],"nextCursor":${JSON.stringify(nextCursor)},"sequence":${sequence},"epoch":"${epoch}"}`;
}

/** Everything: what does not fit into the first chunk is read while it is sent. */
async function* completeList(first: ListingPage, holder: KeyHolder, database: Database): AsyncGenerator<string> {
  yield `{"data":[${first.docs.join(',')}`;
  let { nextAfterId } = first;
  while (nextAfterId !== undefined) {
    const page = await findListingPage(database, holder.accountId, nextAfterId, CHUNK_LENGTH);
    // After reading: an account that was deleted before would end the list as if it were whole.
    if (!(await isKeyAlive(database, holder))) throw new AppError('unauthorized', 'The key was deleted meanwhile');
    if (page.docs.length > 0) yield `,${page.docs.join(',')}`;
    nextAfterId = page.nextAfterId;
  }
  yield closing(holder, null);
}
