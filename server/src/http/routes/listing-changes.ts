import {
  type ChangeOptions,
  createListing,
  deleteListing,
  type ListingKey,
  putListing,
  updateListing,
} from '../../domain/listings.ts';
import type { SavedListing } from '../../domain/save-listing.ts';
import type { Written } from '../../domain/writing.ts';
import type { ParsedJson } from '../../lib/json.ts';
import type { Database } from '../../storage/database.ts';
import { deleteByExternalIdOperation, putOperation } from '../contract/operations/external-listings.ts';
import { createOperation, deleteOperation, updateOperation } from '../contract/operations/listings.ts';
import { patchListing } from '../contract/schemas/listing-patch.ts';
import { normalExternalId } from '../contract/schemas/listings.ts';
import { parseListing, parseListingOf } from '../contract/schemas/parse-listing.ts';
import { requireFullAccess } from '../gate/authenticate.ts';
import { addOperation, type Mount } from '../protocol/add-operation.ts';
import { parseBody, readBody } from '../protocol/body.ts';
import { listingTag, readPrecondition } from '../protocol/conditional.ts';
import type { Admitted } from '../protocol/exchange.ts';
import { readIdempotencyKey, replayHeaders, toIdempotentRequest } from '../protocol/idempotency.ts';
import { type Reply, replyJson } from '../protocol/reply.ts';
import type { Services } from '../services.ts';

/** Everything that changes one listing. */
export function addListingChanges(mount: Mount, { database }: Services): void {
  addOperation(mount, createOperation, async (exchange) => {
    const { body, idempotency } = await readChange(exchange);
    return replySaved(
      await createListing(database, exchange.principal, () => parseListing(body), { idempotency }),
      mount,
    );
  });
  addOperation(mount, updateOperation, async (exchange, _, { id = '' }) => {
    const { body, ...options } = await readChange(exchange);
    const change = patchListing.bind(undefined, body);
    return replySaved(await updateListing(database, exchange.principal, id, change, options), mount);
  });
  addOperation(mount, putOperation, async (exchange, _, parameters) => {
    const externalId = normalExternalId(parameters.externalId ?? '');
    const { body, ...options } = await readChange(exchange);
    const makeInput = () => parseListingOf(externalId, body);
    return replySaved(await putListing(database, exchange.principal, externalId, makeInput, options), mount);
  });
  addOperation(mount, deleteOperation, (exchange, _, { id = '' }) => remove(exchange, { id }, database));
  addOperation(mount, deleteByExternalIdOperation, (exchange, _, { externalId = '' }) =>
    remove(exchange, { externalId: normalExternalId(externalId) }, database),
  );
}

/** Reads a request that changes something, in the order of the contract's §1: headers, body, access. */
async function readChange(exchange: Admitted): Promise<ChangeOptions & { body: ParsedJson }> {
  const precondition = readPrecondition(exchange.incoming.headers);
  const key = readIdempotencyKey(exchange.incoming);
  const bytes = await readBody(exchange);
  const body = parseBody(bytes);
  requireFullAccess(exchange.principal);
  return { body, precondition, idempotency: toIdempotentRequest(key, exchange, bytes) };
}

async function remove(exchange: Admitted, key: ListingKey, database: Database): Promise<Reply> {
  const precondition = readPrecondition(exchange.incoming.headers);
  const idempotencyKey = readIdempotencyKey(exchange.incoming);
  requireFullAccess(exchange.principal);
  const idempotency = toIdempotentRequest(idempotencyKey, exchange, Buffer.alloc(0));
  const { isReplayed } = await deleteListing(database, exchange.principal, key, { precondition, idempotency });
  return { status: 204, headers: replayHeaders(isReplayed) };
}

function replySaved({ outcome, isReplayed }: Written<SavedListing>, { base }: Mount): Reply {
  const { type, id, version, doc } = outcome;
  const headers = { ETag: listingTag(version), ...replayHeaders(isReplayed) };
  if (type !== 'created') return replyJson(200, doc, headers);
  return replyJson(201, doc, { Location: `${base}/listings/${id}`, ...headers });
}
