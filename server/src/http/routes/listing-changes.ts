import {
  type ChangeOptions,
  createListing,
  deleteListing,
  type ListingKey,
  putListing,
  type SavedListing,
  updateListing,
} from '../../domain/listings.ts';
import type { Written } from '../../domain/writing.ts';
import type { ParsedJson } from '../../lib/json.ts';
import type { Database } from '../../storage/database.ts';
import type { Services } from '../app.ts';
import { requireFullAccess } from '../authenticate.ts';
import { parseBody, readBody } from '../body.ts';
import { listingTag, readPrecondition } from '../conditional.ts';
import type { KeyedExchange } from '../exchange.ts';
import { addOperation } from '../operations.ts';
import { type Reply, replyJson } from '../reply.ts';
import { readIdempotencyKey, replayHeaders, toRetry } from '../retry.ts';
import type { Routes } from '../routes.ts';
import { patchListing } from '../schemas/listing-patch.ts';
import { normalExternalId, parseListing, parseListingOf } from '../schemas/listings.ts';
import { deleteByExternalIdOperation, putOperation } from './external-listings.operations.ts';
import { createOperation, deleteOperation, updateOperation } from './listings.operations.ts';

/** Everything that changes one listing. */
export function addListingChanges(routes: Routes, { database }: Services): void {
  addOperation(routes, createOperation, async (exchange) => {
    const { body, retry } = await readChange(exchange);
    return replySaved(await createListing(database, exchange.holder, () => parseListing(body), { retry }));
  });
  addOperation(routes, updateOperation, async (exchange, _, { id = '' }) => {
    const { body, ...options } = await readChange(exchange);
    const change = patchListing.bind(undefined, body);
    return replySaved(await updateListing(database, exchange.holder, id, change, options));
  });
  addOperation(routes, putOperation, async (exchange, _, parameters) => {
    const externalId = normalExternalId(parameters.externalId ?? '');
    const { body, ...options } = await readChange(exchange);
    const makeInput = () => parseListingOf(externalId, body);
    return replySaved(await putListing(database, exchange.holder, externalId, makeInput, options));
  });
  addOperation(routes, deleteOperation, (exchange, _, { id = '' }) => remove(exchange, { id }, database));
  addOperation(routes, deleteByExternalIdOperation, (exchange, _, { externalId = '' }) =>
    remove(exchange, { externalId: normalExternalId(externalId) }, database),
  );
}

/** Reads a request that changes something, in the order of the contract's §1: headers, body, access. */
async function readChange(exchange: KeyedExchange): Promise<ChangeOptions & { body: ParsedJson }> {
  const precondition = readPrecondition(exchange.incoming.headers);
  const key = readIdempotencyKey(exchange.incoming);
  const bytes = await readBody(exchange);
  const body = parseBody(bytes);
  requireFullAccess(exchange.holder);
  return { body, precondition, retry: toRetry(key, exchange, bytes) };
}

async function remove(exchange: KeyedExchange, key: ListingKey, database: Database): Promise<Reply> {
  const precondition = readPrecondition(exchange.incoming.headers);
  const idempotencyKey = readIdempotencyKey(exchange.incoming);
  requireFullAccess(exchange.holder);
  const retry = toRetry(idempotencyKey, exchange, Buffer.alloc(0));
  const { isReplayed } = await deleteListing(database, exchange.holder, key, { precondition, retry });
  return { status: 204, headers: replayHeaders(isReplayed) };
}

function replySaved({ outcome, isReplayed }: Written<SavedListing>): Reply {
  const { type, id, version, doc } = outcome;
  const headers = { ETag: listingTag(version), ...replayHeaders(isReplayed) };
  if (type !== 'created') return replyJson(200, doc, headers);
  return replyJson(201, doc, { Location: `/v1/listings/${id}`, ...headers });
}
