import type { FullPrincipal } from '../../domain/access/principals.ts';
import { countListings, findListings } from '../../domain/listings/find-listings.ts';
import { getListingAt } from '../../domain/listings/history.ts';
import {
  type ChangeOptions,
  createListing,
  deleteListing,
  type ListingKey,
  noListing,
  putListing,
  updateListing,
} from '../../domain/listings/listings.ts';
import type { SavedListing } from '../../domain/writing/save-listing.ts';
import type { WriteResult } from '../../domain/writing/writing.ts';
import { ownTurn } from '../../lib/turns.ts';
import { AppError, attempt } from '../../model/errors.ts';
import { describeSearch } from '../../model/search.ts';
import { findListing, findListingByExternalId, type StoredListing } from '../../storage/listings.ts';
import { formatOf } from '../contract/formats/formats.ts';
import { DISTANCE } from '../contract/formats/list-format.ts';
import { LISTING_BYTES_MAX } from '../contract/operation.ts';
import {
  deleteByExternalIdOperation,
  putOperation,
  retrieveByExternalIdOperation,
  updateByExternalIdOperation,
} from '../contract/operations/external-listings.ts';
import { listOperation, type listQuery } from '../contract/operations/find-listings.ts';
import {
  createOperation,
  deleteOperation,
  retrieveOperation,
  updateOperation,
} from '../contract/operations/listings.ts';
import { patchListing } from '../contract/schemas/listing-patch.ts';
import { normalExternalId } from '../contract/schemas/listings.ts';
import { parseListing, parseListingOf } from '../contract/schemas/parse-listing.ts';
import { toSearch } from '../contract/schemas/searches.ts';
import { type Call, endpoint } from '../endpoint.ts';
import { requireFullAccess } from '../gate/authenticate.ts';
import { parseBody } from '../protocol/body.ts';
import { listingTag, listTag, readIfNoneMatch, readPrecondition } from '../protocol/conditional.ts';
import { type Admitted, abortWhenLeft } from '../protocol/exchange.ts';
import { readIdempotent, replayHeaders } from '../protocol/idempotency.ts';
import { replyList } from '../protocol/list-reply.ts';
import { type Reply, replyJson, replyNotModified } from '../protocol/reply.ts';
import type { Services } from '../services.ts';

/** Longer lists get their own event-loop turn. */
const SHORT_PAGE_MAX = 100;
/**
 * The number of listings that are read for a HEAD request for a complete list. A shorter list gets the same
 * `Content-Length` as with GET; the other headers do not depend on further listings.
 */
const HEAD_LIMIT = 20;

export const listingEndpoints = [
  endpoint(listOperation, list),
  endpoint(createOperation, async (exchange, call) => {
    const { body, principal, ...options } = await readChange(exchange);
    const input = attempt(() => parseListing(body));
    const result = await createListing(call.services.database, principal, input, options);
    return replySaved(exchange, result, call);
  }),
  endpoint(retrieveOperation, (exchange, { query: { at }, parameters: { id = '' }, services: { database } }) =>
    retrieve(exchange, () =>
      at === undefined
        ? findListing(database, exchange.principal.accountId, id)
        : getListingAt(database, exchange.principal, id, at),
    ),
  ),
  endpoint(updateOperation, (exchange, call) => changeOne(exchange, { id: call.parameters.id ?? '' }, call)),
  endpoint(deleteOperation, (exchange, { parameters: { id = '' }, services }) => remove(exchange, { id }, services)),
  endpoint(retrieveByExternalIdOperation, (exchange, { parameters: { externalId = '' }, services }) =>
    retrieve(exchange, () =>
      findListingByExternalId(services.database, exchange.principal.accountId, normalExternalId(externalId)),
    ),
  ),
  endpoint(putOperation, async (exchange, call) => {
    const externalId = normalExternalId(call.parameters.externalId ?? '');
    const { body, principal, ...options } = await readChange(exchange);
    const input = attempt(() => parseListingOf(externalId, body));
    const { database } = call.services;
    return replySaved(exchange, await putListing(database, principal, externalId, input, options), call);
  }),
  endpoint(updateByExternalIdOperation, (exchange, call) =>
    changeOne(exchange, { externalId: normalExternalId(call.parameters.externalId ?? '') }, call),
  ),
  endpoint(deleteByExternalIdOperation, (exchange, { parameters: { externalId = '' }, services }) =>
    remove(exchange, { externalId: normalExternalId(externalId) }, services),
  ),
];

async function retrieve({ incoming }: Admitted, find: () => Promise<StoredListing | undefined>): Promise<Reply> {
  const isKnown = readIfNoneMatch(incoming.headers);
  const listing = await find();
  if (listing === undefined) throw noListing();
  const etag = listingTag(listing.version);
  return isKnown?.(etag) ? replyNotModified(etag) : replyJson(200, listing.doc, { ETag: etag });
}

async function list(exchange: Admitted, { query, mediaType, services }: Call<typeof listQuery>): Promise<Reply> {
  const { database, cursors, listCache, release } = services;
  const { path, principal, incoming } = exchange;
  const { limit, cursor, fields, count = false } = query;
  const isHeadOfAll = incoming.method === 'HEAD' && limit === undefined;
  const format = formatOf(mediaType);
  if (fields?.includes(DISTANCE) && !format.hasDistance) throw noDistance(mediaType);
  const search = toSearch(query);
  const question = describeSearch(search);
  const scope = `listings\n${principal.accountId}\n${question}`;
  const isKnown = readIfNoneMatch(incoming.headers);
  const after = cursor === undefined ? undefined : cursors.decode(cursor, scope);

  // The sequence was read with the key or session, before the first row, so a client that follows the events
  // after this sequence does not miss a change.
  const { accountId, epoch, sequence } = principal;
  const shape = [path, question, limit ?? '', cursor ?? '', fields?.join() ?? '', String(count), mediaType];
  const etag = listTag(accountId, epoch, sequence, ...shape, release);
  if (isKnown?.(etag)) return replyNotModified(etag);
  // The link to the next page repeats the query as it was sent.
  const cacheKey = `${etag}?${exchange.query}`;
  const cached = listCache.find(cacheKey);
  if (cached !== undefined) return cached;

  const left = abortWhenLeft(exchange);
  const failed = count ? new AbortController() : undefined;
  const signal = failed === undefined ? left : AbortSignal.any([left, failed.signal]);
  // HTTP/1.0 does not support chunks.
  const canBeStreamed = incoming.httpVersionMinor > 0;
  const length = isHeadOfAll ? HEAD_LIMIT : limit;
  if (length === undefined || length > SHORT_PAGE_MAX) await ownTurn(accountId);
  const counting = count ? countListings(database, principal, search, signal) : undefined;
  const finding = findListings(database, principal, search, { after, limit: length, canBeStreamed, signal });
  const [total, { pageEnd, ...found }] = await Promise.all([counting, finding]).catch((error: unknown) => {
    // Otherwise, the other half of the search would still wait or run, although its result is not needed.
    failed?.abort(error);
    throw error;
  });
  if (isHeadOfAll && pageEnd !== undefined) {
    const content = { first: [], rest: nothing(), frame: { nextCursor: null, sequence, epoch, total } };
    return replyList(format, content, query, { ETag: etag });
  }
  const nextCursor = pageEnd === undefined ? null : cursors.encode(pageEnd, scope);
  const headers: Record<string, string> = { ETag: etag };
  if (nextCursor !== null) headers.Link = `<${pathOfNextPage(exchange, nextCursor)}>; rel="next"`;
  const content = { ...found, frame: { nextCursor, sequence, epoch, total } };
  return listCache.add(cacheKey, etag, replyList(format, content, query, headers));
}

async function* nothing(): AsyncGenerator<never> {}

function noDistance(mediaType: string): AppError {
  const message = `Must not name distance for ${mediaType}; request application/json or application/x-ndjson.`;
  const details = [{ field: 'query.fields', code: 'invalid_choice' as const, message }];
  return new AppError('invalid_query', `query.fields: ${message}`, { details });
}

function pathOfNextPage({ path, query }: Admitted, nextCursor: string): string {
  const parameters = new URLSearchParams(query);
  parameters.set('cursor', nextCursor);
  return `${path}?${parameters}`;
}

/** Clients rely on the order of the checks: headers, body, access. */
async function readChange(exchange: Admitted): Promise<ChangeOptions & { body: unknown; principal: FullPrincipal }> {
  const precondition = readPrecondition(exchange.incoming.headers);
  const { bytes, idempotency } = await readIdempotent(exchange, LISTING_BYTES_MAX);
  const body = parseBody(bytes);
  const principal = requireFullAccess(exchange.principal);
  return { body, principal, precondition, idempotency };
}

async function changeOne(exchange: Admitted, key: ListingKey, call: Call): Promise<Reply> {
  const { body, principal, ...options } = await readChange(exchange);
  const change = patchListing.bind(undefined, body);
  const result = await updateListing(call.services.database, principal, key, change, options);
  return replySaved(exchange, result, call);
}

async function remove(exchange: Admitted, key: ListingKey, { database }: Services): Promise<Reply> {
  const precondition = readPrecondition(exchange.incoming.headers);
  const { idempotency } = await readIdempotent(exchange);
  const principal = requireFullAccess(exchange.principal);
  const { isReplayed, sequence } = await deleteListing(database, principal, key, { precondition, idempotency });
  exchange.sequence = sequence;
  return { status: 204, headers: replayHeaders(isReplayed) };
}

function replySaved(exchange: Admitted, result: WriteResult<SavedListing>, { base }: Call): Reply {
  const { outcome, isReplayed, sequence } = result;
  exchange.sequence = sequence;
  const { type, id, version, doc } = outcome;
  const headers = { ETag: listingTag(version), ...replayHeaders(isReplayed) };
  if (type !== 'created') return replyJson(200, doc, headers);
  return replyJson(201, doc, { Location: `${base}/listings/${id}`, ...headers });
}
