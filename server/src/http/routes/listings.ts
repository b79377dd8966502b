import { isKeyAlive } from '../../domain/api-keys.ts';
import { noListing } from '../../domain/listings.ts';
import { AppError } from '../../model/errors.ts';
import type { KeyHolder } from '../../storage/api-keys.ts';
import type { Database } from '../../storage/database.ts';
import { findListingRun, findPageEnd, type ListingRun } from '../../storage/listing-runs.ts';
import { findListing, findListingByExternalId, type StoredListing } from '../../storage/listings.ts';
import type { Services } from '../app.ts';
import { listingTag, listTag, readIfNoneMatch } from '../conditional.ts';
import type { KeyedExchange } from '../exchange.ts';
import { addOperation } from '../operations.ts';
import { JSON_TYPE, type Reply, replyJson, replyNotModified } from '../reply.ts';
import type { Routes } from '../routes.ts';
import { normalExternalId } from '../schemas/listings.ts';
import { retrieveByExternalIdOperation } from './external-listings.operations.ts';
import { type ListQuery, listOperation, retrieveOperation } from './listings.operations.ts';

/** Listings read at a time for the complete list; fewer if they are large. */
const RUN_LENGTH = 250;

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

  const first = await findListingRun(database, holder.accountId, { afterId, limit: query.limit ?? RUN_LENGTH });
  const untilId = query.limit === undefined ? undefined : await findEnd(first, query.limit, holder, database);
  const nextCursor = untilId === undefined ? null : cursors.encode(untilId, scope);
  const headers: Record<string, string> = { ETag: etag };
  if (nextCursor !== null) headers.Link = `<${path}?limit=${query.limit}&cursor=${nextCursor}>; rel="next"`;
  const closing = `],"nextCursor":${JSON.stringify(nextCursor)},"sequence":${sequence},"epoch":"${epoch}"}`;
  if (first.nextAfterId === untilId) return replyJson(200, opening(first) + closing, headers);
  return replyJson(200, inRuns(first, untilId, closing, holder, database), headers);
}

/** The id of a page's last listing if more come after it. It stands in a header, before what was not read yet. */
async function findEnd(first: ListingRun, limit: number, { accountId }: KeyHolder, database: Database) {
  const { docs, nextAfterId, isCut } = first;
  if (nextAfterId === undefined || !isCut) return nextAfterId;
  return findPageEnd(database, accountId, nextAfterId, limit - docs.length);
}

function opening({ docs }: ListingRun): string {
  return `{"data":[${docs.join(',')}`;
}

/** What does not fit into the first run is read while it is sent: all up to the listing `untilId`, or all the rest. */
async function* inRuns(
  first: ListingRun,
  untilId: string | undefined,
  closing: string,
  holder: KeyHolder,
  database: Database,
): AsyncGenerator<string> {
  yield opening(first);
  let afterId = first.nextAfterId;
  while (afterId !== undefined && afterId !== untilId) {
    const run = await findListingRun(database, holder.accountId, { afterId, untilId, limit: RUN_LENGTH });
    // After reading: an account that was deleted before would end the list as if it were whole.
    if (!(await isKeyAlive(database, holder))) throw new AppError('unauthorized', 'The key was deleted meanwhile');
    if (run.docs.length > 0) yield `,${run.docs.join(',')}`;
    afterId = run.nextAfterId;
  }
  yield closing;
}
