import { LISTING_BYTES_MAX, operation } from '../operation.ts';
import { IF_NONE_MATCH } from '../request-headers.ts';
import { listing, listingInput } from '../schemas/listings.ts';
import {
  BODY_ERRORS,
  CHANGE_HEADERS,
  created,
  jsonBody,
  NOT_MODIFIED,
  SERVED_LISTING,
  served,
  WRITE_ERRORS,
} from './common.ts';
import { deleteOperation, updateOperation } from './listings.ts';

const path = '/listings/external/{externalId}';
const { externalId: _, ...withoutOwnId } = created;

export const retrieveByExternalIdOperation = operation('account', 'get', path, {
  operationId: 'retrieveListingByExternalId',
  summary: 'Retrieve a listing by your own id',
  description: "The account's listing with this `externalId`; percent-encode characters that a path cannot contain.",
  requestHeaders: [IF_NONE_MATCH],
  replies: [SERVED_LISTING, NOT_MODIFIED],
  errors: ['not_found', 'invalid_header'],
});

export const putOperation = operation('account', 'put', path, {
  operationId: 'upsertListing',
  summary: 'Create or replace a listing by your own id',
  description:
    'Creates the listing with this `externalId`, or replaces all of it: fields that are not in the body are removed. The ' +
    'body can repeat the `externalId` or leave it out. With `If-None-Match: *`, the request can only ' +
    'create the listing; with `If-Match: *`, it can only replace it.',
  requestHeaders: CHANGE_HEADERS,
  body: { ...jsonBody(listingInput, { ...withoutOwnId, beds: 4 }), bytesMax: LISTING_BYTES_MAX },
  replies: [
    {
      ...SERVED_LISTING,
      description: 'Replaced, or left unchanged because it already matched.',
      example: { ...served, beds: 4, version: 2, updatedAt: '2026-02-03T14:05:00.000Z' },
    },
    {
      status: 201,
      description: 'Created.',
      schema: listing,
      example: { ...served, beds: 4 },
      headers: { Location: 'The path of the listing.', ETag: 'The version of the listing, in quotes.' },
    },
  ],
  errors: [...WRITE_ERRORS, ...BODY_ERRORS, 'version_mismatch', 'precondition_failed'],
});

export const updateByExternalIdOperation = {
  ...updateOperation,
  path,
  operationId: 'updateListingByExternalId',
  summary: 'Change a listing by your own id',
};

export const deleteByExternalIdOperation = {
  ...deleteOperation,
  path,
  operationId: 'deleteListingByExternalId',
  summary: 'Delete a listing by your own id',
};
