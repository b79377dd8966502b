import { z } from 'zod';
import type { ErrorCode } from '../../model/errors.ts';
import { EXAMPLE_ID } from '../errors/entry.ts';
import { LIST_TYPES } from '../list-reply.ts';
import { IDEMPOTENCY_KEY, IF_MATCH, IF_NONE_MATCH, UNLESS_MATCH } from '../openapi/request-headers.ts';
import type { Operation, OperationReply } from '../operations.ts';
import { JSON_TYPE } from '../reply.ts';
import { listingPatch } from '../schemas/listing-patch.ts';
import { LISTING_FIELDS, listing, listingInput } from '../schemas/listings.ts';
import { integerParameter, namesParameter, noQuery } from '../schemas/query.ts';
import { listMedia } from './list-media.ts';

const LIMIT_MAX = 1000;

const listQuery = z.strictObject({
  limit: integerParameter(
    1,
    LIMIT_MAX,
    'Asks for a page of at most so many listings; without it the reply has all.',
  ).optional(),
  cursor: z
    .string()
    .meta({
      description: 'The `nextCursor` of the page before, unchanged; without `limit` all the rest. It never expires.',
    })
    .optional(),
  fields: namesParameter(
    LISTING_FIELDS,
    'Names of members, with commas between them: listings have these only, in the order of all replies.',
  ).optional(),
});

export type ListQuery = z.output<typeof listQuery>;

/** A listing as it is served, for examples. */
export const served = {
  id: EXAMPLE_ID,
  externalId: 'MLS-20931',
  address: '12 Elm Street',
  city: 'Austin',
  beds: 3,
  baths: 2,
  status: 'active',
  listPrice: 450000,
  currency: 'USD',
  latitude: 30.2672,
  longitude: -97.7431,
  version: 1,
  createdAt: '2026-01-31T09:30:00.000Z',
  updatedAt: '2026-01-31T09:30:00.000Z',
};

/** What a change of one listing can depend on. */
export const CHANGE_HEADERS = [IDEMPOTENCY_KEY, IF_MATCH, UNLESS_MATCH];

/** What every change can be answered with. */
export const WRITE_ERRORS: ErrorCode[] = [
  'invalid_header',
  'invalid_idempotency_key',
  'insufficient_scope',
  'idempotency_key_reused',
  'idempotency_in_progress',
  'outcome_unknown',
  'storage_full',
];

/** What every body that becomes a listing can be answered with. */
export const BODY_ERRORS: ErrorCode[] = [
  'invalid_json',
  'request_timeout',
  'payload_too_large',
  'unsupported_media_type',
  'validation_failed',
];

/** What a change of one listing can be answered with. */
export const PRECONDITION_ERRORS: ErrorCode[] = ['not_found', 'version_mismatch', 'precondition_failed'];

/** One listing, with its version. */
export const SERVED_LISTING: OperationReply = {
  status: 200,
  description: 'The listing.',
  schema: listing,
  example: served,
  headers: { ETag: 'Its version, in quotes.' },
};

/** The reply to a listing that the caller already has. */
export const NOT_MODIFIED: OperationReply = {
  status: 304,
  description: 'The version is the one that `If-None-Match` names.',
  headers: { ETag: 'Its version, in quotes.' },
};

const created = {
  externalId: 'MLS-20931',
  address: '12 Elm Street',
  city: 'Austin',
  beds: 3,
  baths: 2,
  listPrice: 450000,
  latitude: 30.2672,
  longitude: -97.7431,
};

const frame = { nextCursor: null, sequence: 1, epoch: '7k2m9q4x' };

export const listOperation: Operation<typeof listQuery> = {
  method: 'get',
  path: '/listings',
  operationId: 'listListings',
  summary: 'List all listings',
  description:
    'All listings of the account, newest first (descending `id`). Without `limit` the whole account is streamed, ' +
    'whether it has ten listings or a million; a reply that was cut has no end of JSON. `sequence` was read before the first row.',
  query: listQuery,
  types: LIST_TYPES,
  requestHeaders: [IF_NONE_MATCH],
  replies: [
    {
      status: 200,
      description: 'The listings.',
      schema: z
        .object({
          data: z.array(listing),
          nextCursor: z
            .string()
            .nullable()
            .meta({ description: 'Give it as `cursor` for the next page; null on the last.' }),
          sequence: z
            .int()
            .meta({ minimum: 0, description: "The account's sequence: it grows by one with each change." }),
          epoch: z.string().meta({ description: 'Tells sequences of a restored database from those before.' }),
        })
        .meta({ id: 'ListingList' }),
      example: { data: [served], ...frame },
      media: listMedia(served, frame),
      headers: {
        ETag: 'Weak; changes with anything in the list.',
        Link: 'The next page, `rel="next"`, if there is one.',
        'X-Sequence': 'The `sequence`, which a CSV has no other place for.',
        'X-Epoch': 'The `epoch`, likewise.',
        'X-Total-Count': 'The `total`, likewise, if it was asked for.',
      },
    },
    {
      status: 304,
      description: 'Nothing has changed since the reply whose ETag `If-None-Match` names.',
      headers: { ETag: 'As it was.' },
    },
  ],
  errors: ['invalid_query', 'invalid_cursor', 'invalid_header'],
};

export const createOperation: Operation<typeof noQuery> = {
  method: 'post',
  path: '/listings',
  operationId: 'createListing',
  summary: 'Create a listing',
  description:
    '`address`, `beds` and `baths` are enough. The reply comes once the listing is on disk. A field that was not ' +
    'given is absent from the reply; `null` for an optional field counts as not given.',
  query: noQuery,
  requestHeaders: [IDEMPOTENCY_KEY],
  body: { types: [JSON_TYPE], schema: listingInput, example: created },
  replies: [
    {
      status: 201,
      description: 'The listing as it was stored.',
      schema: listing,
      example: served,
      headers: { Location: 'Its path.', ETag: 'Its version, in quotes.' },
    },
  ],
  errors: [...WRITE_ERRORS, ...BODY_ERRORS, 'external_id_taken'],
};

export const retrieveOperation: Operation<typeof noQuery> = {
  method: 'get',
  path: '/listings/{id}',
  operationId: 'retrieveListing',
  summary: 'Retrieve a listing',
  description: "One listing of the account. Another account's id is answered like one that does not exist.",
  query: noQuery,
  requestHeaders: [IF_NONE_MATCH],
  replies: [SERVED_LISTING, NOT_MODIFIED],
  errors: ['not_found', 'invalid_header'],
};

export const updateOperation: Operation<typeof noQuery> = {
  method: 'patch',
  path: '/listings/{id}',
  operationId: 'updateListing',
  summary: 'Change a listing',
  description:
    'A merge patch (RFC 7396): members that are given replace, `null` removes an optional field, `metadata` is merged ' +
    'member by member. A patch that changes nothing leaves `version` and `updatedAt` as they were. With `If-Match` the ' +
    'listing is only changed if it is still at that version.',
  query: noQuery,
  requestHeaders: CHANGE_HEADERS,
  body: { types: ['application/merge-patch+json', JSON_TYPE], schema: listingPatch, example: { listPrice: 439000 } },
  replies: [
    {
      ...SERVED_LISTING,
      description: 'The listing as it is now.',
      example: { ...served, listPrice: 439000, version: 2, updatedAt: '2026-02-03T14:05:00.000Z' },
    },
  ],
  errors: [...WRITE_ERRORS, ...BODY_ERRORS, ...PRECONDITION_ERRORS, 'external_id_taken'],
};

export const deleteOperation: Operation<typeof noQuery> = {
  method: 'delete',
  path: '/listings/{id}',
  operationId: 'deleteListing',
  summary: 'Delete a listing',
  description: 'It is gone at once; the events keep saying that it was deleted.',
  query: noQuery,
  requestHeaders: CHANGE_HEADERS,
  replies: [{ status: 204, description: 'It is deleted.' }],
  errors: [...WRITE_ERRORS, ...PRECONDITION_ERRORS],
};
