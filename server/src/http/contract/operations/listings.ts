import { z } from 'zod';
import { LISTING_BYTES_MAX, operation } from '../operation.ts';
import { IDEMPOTENCY_KEY, IF_NONE_MATCH } from '../request-headers.ts';
import { listingPatch } from '../schemas/listing-patch.ts';
import { listing, listingInput } from '../schemas/listings.ts';
import { integerParameter } from '../schemas/parameters.ts';
import {
  BODY_ERRORS,
  CHANGE_HEADERS,
  created,
  jsonBody,
  NOT_MODIFIED,
  PATCH_TYPES,
  PRECONDITION_ERRORS,
  SERVED_LISTING,
  served,
  WRITE_ERRORS,
} from './common.ts';

export const createOperation = operation('account', 'post', '/listings', {
  operationId: 'createListing',
  summary: 'Create a listing',
  description:
    'Only `address`, `beds`, and `baths` are required. The response is sent once the listing is on disk. It has only the ' +
    'fields that you sent or that the server sets; an optional field that is `null` is treated as not sent.',
  requestHeaders: [IDEMPOTENCY_KEY],
  body: { ...jsonBody(listingInput, created), bytesMax: LISTING_BYTES_MAX },
  replies: [
    {
      status: 201,
      description: 'The stored listing.',
      schema: listing,
      example: served,
      headers: { Location: 'The path of the listing.', ETag: 'The version of the listing, in quotes.' },
    },
  ],
  errors: [...WRITE_ERRORS, ...BODY_ERRORS, 'external_id_taken'],
});

const retrieveQuery = z.strictObject({
  at: integerParameter(
    0,
    Number.MAX_SAFE_INTEGER,
    'A `sequence` of the account; the response is the listing as it was after the change with this sequence.',
    128,
  ).optional(),
});

export const retrieveOperation = operation('account', 'get', '/listings/{id}', {
  operationId: 'retrieveListing',
  summary: 'Retrieve a listing',
  description:
    "One listing of the account. The id of another account's listing gets the same response as an unknown id. With `at`, " +
    'the response is the listing as it was at a sequence from the last 30 days, even if it has been deleted since.',
  query: retrieveQuery,
  requestHeaders: [IF_NONE_MATCH],
  replies: [SERVED_LISTING, NOT_MODIFIED],
  errors: ['not_found', 'invalid_query', 'invalid_header', 'events_expired'],
  errorExamples: {
    events_expired: {
      message:
        "The sequence is greater than the account's current sequence, which is 1. Request a sequence from the last 30 days, or " +
        'omit the parameter at.',
    },
  },
});

export const updateOperation = operation('account', 'patch', '/listings/{id}', {
  operationId: 'updateListing',
  summary: 'Change a listing',
  description:
    'A merge patch (RFC 7396): given members replace stored ones, `null` removes an optional field, and `metadata` ' +
    'is merged member by member. A patch that changes nothing keeps `version` and `updatedAt`. With `If-Match`, ' +
    'the listing changes only if it still has that version.',
  requestHeaders: CHANGE_HEADERS,
  body: { types: PATCH_TYPES, bytesMax: LISTING_BYTES_MAX, schema: listingPatch, example: { listPrice: 439000 } },
  replies: [
    {
      ...SERVED_LISTING,
      description: 'The updated listing.',
      example: { ...served, listPrice: 439000, version: 2, updatedAt: '2026-02-03T14:05:00.000Z' },
    },
  ],
  errors: [...WRITE_ERRORS, ...BODY_ERRORS, ...PRECONDITION_ERRORS, 'external_id_taken'],
});

export const deleteOperation = operation('account', 'delete', '/listings/{id}', {
  operationId: 'deleteListing',
  summary: 'Delete a listing',
  description: 'Deletes the listing immediately; an event records the deletion.',
  requestHeaders: CHANGE_HEADERS,
  replies: [{ status: 204, description: 'Deleted.' }],
  errors: [...WRITE_ERRORS, ...PRECONDITION_ERRORS],
});
