import { z } from 'zod';
import type { ErrorCode, ValidationIssue } from '../../../model/errors.ts';
import type { ErrorExample } from '../errors/entry.ts';
import { EXAMPLE_ID } from '../errors/entry.ts';
import { JSON_TYPE } from '../media-types.ts';
import type { OperationBody, OperationReply } from '../operation.ts';
import { IDEMPOTENCY_KEY, IF_MATCH, UNLESS_MATCH } from '../request-headers.ts';
import { namedObject } from '../schemas/fields.ts';
import { invalidFields } from '../schemas/issues.ts';
import { listing } from '../schemas/listings.ts';

/** The listing in example requests. */
export const created = {
  externalId: 'MLS-20931',
  address: '12 Elm Street',
  city: 'Austin',
  beds: 3,
  baths: 2,
  listPrice: 450000,
  latitude: 30.2672,
  longitude: -97.7431,
};

/** The listing in example responses. */
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

export const CHANGE_HEADERS = [IDEMPOTENCY_KEY, IF_MATCH, UNLESS_MATCH];

/** The media types of changes that replace the given members. */
export const PATCH_TYPES = ['application/merge-patch+json', JSON_TYPE];

/** Errors of every change that accepts an `Idempotency-Key`. Each reads a body, even if the operation has none. */
export const CHANGE_ERRORS: ErrorCode[] = [
  'invalid_idempotency_key',
  'request_timeout',
  'payload_too_large',
  'insufficient_scope',
  'idempotency_key_reused',
  'outcome_unknown',
  'storage_full',
];

/** Errors of every change to a listing. Each reads `If-Match` and `If-None-Match`, so it can get `invalid_header`. */
export const WRITE_ERRORS: ErrorCode[] = ['invalid_header', ...CHANGE_ERRORS];

/** Errors of every change that has a body. */
export const INPUT_ERRORS: ErrorCode[] = [
  'invalid_json',
  'request_timeout',
  'payload_too_large',
  'unsupported_media_type',
  'validation_failed',
  'outcome_unknown',
  'storage_full',
];

/** Errors of every body that becomes a listing. */
export const BODY_ERRORS: ErrorCode[] = [...INPUT_ERRORS, 'quota_exceeded'];

/** Further errors of a change to an existing listing. */
export const PRECONDITION_ERRORS: ErrorCode[] = ['not_found', 'version_mismatch', 'precondition_failed'];

export const SERVED_LISTING: OperationReply = {
  status: 200,
  description: 'The listing.',
  schema: listing,
  example: served,
  headers: { ETag: 'The version of the listing, in quotes.' },
};

export const NOT_MODIFIED: OperationReply = {
  status: 304,
  description: 'The listing still has the version in `If-None-Match`.',
  headers: { ETag: 'The version of the listing, in quotes.' },
};

export function okReply(description: string, schema: z.ZodType, example: unknown): OperationReply {
  return { status: 200, description, schema, example };
}

/** A list that is always sent as a whole. */
export function listReply(description: string, id: string, element: z.ZodType, example: unknown): OperationReply {
  const schema = namedObject(id, { data: z.array(element), nextCursor: z.null() });
  return okReply(description, schema, { data: [example], nextCursor: null });
}

export function pageReply(description: string, id: string, element: z.ZodType, data: unknown[]): OperationReply {
  const schema = namedObject(id, { data: z.array(element), nextCursor: z.string().nullable() });
  return okReply(description, schema, { data, nextCursor: null });
}

export function jsonBody(schema: z.ZodType, example: unknown): OperationBody {
  return { types: [JSON_TYPE], schema, example };
}

/** The example of a `validation_failed` error. */
export function invalid(...details: ValidationIssue[]): ErrorExample {
  return { message: invalidFields(details).message, details };
}
