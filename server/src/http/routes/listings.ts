import { isKeyAlive } from '../../domain/api-keys.ts';
import { accountGone, createListing } from '../../domain/listings.ts';
import { AppError } from '../../model/errors.ts';
import { findHead, type Head } from '../../storage/accounts.ts';
import type { KeyHolder } from '../../storage/api-keys.ts';
import type { Database } from '../../storage/database.ts';
import { findListing, findListingPage, type ListingPage } from '../../storage/listings.ts';
import type { App, Services } from '../app.ts';
import { readJson } from '../body.ts';
import { isNotModified, listingTag, listTag } from '../conditional.ts';
import { mount } from '../operations.ts';
import { type AppContext, JSON_TYPE, replyHeaders, replyJson, replyNotModified } from '../reply.ts';
import { parseListing } from '../schemas/listings.ts';
import { streamReply } from '../stream.ts';
import { createOperation, type ListQuery, listOperation, retrieveOperation } from './listings.operations.ts';

/** Listings read at a time for the complete list: about a millisecond. */
const CHUNK_LENGTH = 250;

export function mountListings(app: App, services: Services): void {
  mount(app, listOperation, (c, query) => list(c, query, services));
  mount(app, createOperation, (c) => create(c, services.database));
  mount(app, retrieveOperation, (c) => retrieve(c, services.database));
}

async function create(c: AppContext, database: Database): Promise<Response> {
  refuseIdempotencyKey(c);
  const body = await readJson(c);
  const holder = c.get('holder');
  requireFullAccess(holder);
  const { id, version, doc } = await createListing(database, holder.accountId, parseListing(body));
  return replyJson(c, 201, doc, { Location: `/v1/listings/${id}`, ETag: listingTag(version) });
}

/** A retry that relies on this header must not make a second listing in silence. */
function refuseIdempotencyKey(c: AppContext): void {
  if (c.env.incoming.headers['idempotency-key'] === undefined) return;
  throw new AppError(
    'invalid_idempotency_key',
    'This release does not keep Idempotency-Keys; send the request without it.',
  );
}

function requireFullAccess(holder: KeyHolder): void {
  if (holder.access === 'full') return;
  throw new AppError('insufficient_scope', 'This key may only read; use a key with full access to change listings.');
}

async function retrieve(c: AppContext, database: Database): Promise<Response> {
  const ifNoneMatch = c.env.incoming.headers['if-none-match'];
  const listing = await findListing(database, c.get('holder').accountId, c.req.param('id') ?? '');
  if (listing === undefined) throw new AppError('not_found', 'There is no listing with this id in the account.');
  const etag = listingTag(listing.version);
  if (ifNoneMatch !== undefined && isNotModified(ifNoneMatch, etag)) return replyNotModified(c, etag);
  return replyJson(c, 200, listing.doc, { ETag: etag });
}

async function list(c: AppContext, query: ListQuery, services: Services): Promise<Response> {
  const { accountId } = c.get('holder');
  const scope = `listings\n${accountId}`;
  const afterId = query.cursor === undefined ? undefined : services.cursors.decode(query.cursor, scope);
  // Before the first row is read: whoever follows the events from here misses nothing.
  const head = await findHead(services.database, accountId);
  if (head === undefined) throw accountGone();
  const { epoch, sequence } = head;
  const etag = listTag(epoch, sequence, c.req.path, query.limit ?? '', query.cursor ?? '', JSON_TYPE, services.release);
  const ifNoneMatch = c.env.incoming.headers['if-none-match'];
  if (ifNoneMatch !== undefined && isNotModified(ifNoneMatch, etag)) return replyNotModified(c, etag);

  const page = await findListingPage(services.database, accountId, afterId, query.limit ?? CHUNK_LENGTH);
  if (query.limit === undefined && page.nextAfterId !== undefined) return streamList(c, head, page, etag, services);
  const nextCursor = page.nextAfterId === undefined ? null : services.cursors.encode(page.nextAfterId, scope);
  const headers: Record<string, string> = { ETag: etag };
  if (nextCursor !== null) headers.Link = `<${c.req.path}?limit=${query.limit}&cursor=${nextCursor}>; rel="next"`;
  return replyJson(c, 200, `{"data":[${page.docs.join(',')}${closing(head, nextCursor)}`, headers);
}

function closing({ sequence, epoch }: Head, nextCursor: string | null): string {
  return `],"nextCursor":${JSON.stringify(nextCursor)},"sequence":${sequence},"epoch":"${epoch}"}`;
}

/** The complete list: what does not fit into the first chunk is read while it is sent. */
function streamList(c: AppContext, head: Head, first: ListingPage, etag: string, services: Services): Response {
  const { database, log } = services;
  const headers = replyHeaders(c, JSON_TYPE, { ETag: etag });
  if (c.req.method === 'HEAD') return new Response(null, { status: 200, headers });
  return streamReply(c, headers, completeList(head, first, c.get('holder'), database), log.logger);
}

async function* completeList(
  head: Head,
  first: ListingPage,
  holder: KeyHolder,
  database: Database,
): AsyncGenerator<string> {
  yield `{"data":[${first.docs.join(',')}`;
  let { nextAfterId } = first;
  while (nextAfterId !== undefined) {
    if (!(await isKeyAlive(database, holder))) throw new AppError('unauthorized', 'The key was deleted meanwhile');
    const page = await findListingPage(database, holder.accountId, nextAfterId, CHUNK_LENGTH);
    if (page.docs.length > 0) yield `,${page.docs.join(',')}`;
    nextAfterId = page.nextAfterId;
  }
  yield closing(head, null);
}
