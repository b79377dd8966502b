import { isKeyAlive } from '../../domain/api-keys.ts';
import { accountGone, createListing } from '../../domain/listings.ts';
import type { Head } from '../../model/accounts.ts';
import { AppError } from '../../model/errors.ts';
import type { KeyHolder } from '../../storage/api-keys.ts';
import type { Database } from '../../storage/database.ts';
import { findListing, findListingPage, type ListingPage } from '../../storage/listings.ts';
import type { Services } from '../app.ts';
import { readJson } from '../body.ts';
import { listingTag, listTag, readIfNoneMatch } from '../conditional.ts';
import type { KeyedExchange } from '../exchange.ts';
import { addOperation } from '../operations.ts';
import { JSON_TYPE, type Reply, replyJson, replyNotModified } from '../reply.ts';
import type { Routes } from '../routes.ts';
import { parseListing } from '../schemas/listings.ts';
import { createOperation, type ListQuery, listOperation, retrieveOperation } from './listings.operations.ts';

/** Listings read at a time for the complete list: about a millisecond. */
const CHUNK_LENGTH = 250;

export function addListings(routes: Routes, services: Services): void {
  addOperation(routes, listOperation, (exchange, query) => list(exchange, query, services));
  addOperation(routes, createOperation, (exchange) => create(exchange, services.database));
  addOperation(routes, retrieveOperation, (exchange, _, { id = '' }) => retrieve(exchange, id, services.database));
}

async function create(exchange: KeyedExchange, database: Database): Promise<Reply> {
  refuseIdempotencyKey(exchange);
  const body = await readJson(exchange);
  // The body may have taken a minute.
  if (!(await isKeyAlive(database, exchange.holder))) throw accountGone();
  requireFullAccess(exchange.holder);
  const { id, version, doc } = await createListing(database, exchange.holder.accountId, parseListing(body));
  return replyJson(201, doc, { Location: `/v1/listings/${id}`, ETag: listingTag(version) });
}

/** A retry that relies on this header must not make a second listing in silence. */
function refuseIdempotencyKey({ incoming }: KeyedExchange): void {
  if (incoming.headers['idempotency-key'] === undefined) return;
  throw new AppError(
    'invalid_idempotency_key',
    'This release does not keep Idempotency-Keys; send the request without it.',
  );
}

function requireFullAccess(holder: KeyHolder): void {
  if (holder.access === 'full') return;
  throw new AppError('insufficient_scope', 'This key may only read; use a key with full access to change listings.');
}

async function retrieve({ incoming, holder }: KeyedExchange, id: string, database: Database): Promise<Reply> {
  const isKnown = readIfNoneMatch(incoming.headers);
  const listing = await findListing(database, holder.accountId, id);
  if (listing === undefined) throw new AppError('not_found', 'There is no listing with this id in the account.');
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
