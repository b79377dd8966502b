import type { ErrorCode } from '../../../model/errors.ts';
import { EXAMPLE_ID } from '../errors/entry.ts';
import type { OperationReply } from '../operation.ts';
import { IDEMPOTENCY_KEY, IF_MATCH, UNLESS_MATCH } from '../request-headers.ts';
import { listing } from '../schemas/listings.ts';

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

/** What every change with a body can be answered with that has no key to repeat it by. */
export const INPUT_ERRORS: ErrorCode[] = [
  'invalid_json',
  'request_timeout',
  'payload_too_large',
  'unsupported_media_type',
  'validation_failed',
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
  'quota_exceeded',
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
