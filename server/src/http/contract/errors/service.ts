import type { ErrorCode } from '../../../model/errors.ts';
import type { ErrorEntry } from './entry.ts';

/** Errors of the service itself, and of the limits that its operator sets. */
export const SERVICE_ERRORS = {
  internal_error: {
    status: 500,
    title: 'Internal error',
    meaning: "An unexpected error occurred. The service's log has the details under the `requestId`.",
    remedy:
      'Send the request again; for a change, use the same `Idempotency-Key`. If the error persists, send the `requestId` to ' +
      'the operator of the service.',
    example: { message: 'An unexpected error occurred; send the request again, or report its requestId.' },
  },
  unavailable: {
    status: 503,
    title: 'The service is temporarily unavailable',
    meaning:
      'The service is stopping, its database is unavailable, or too many requests, imports, searches, or changes are ' +
      'waiting. Nothing was written, except what the counts of an interrupted import report.',
    remedy: 'Wait the number of seconds in `Retry-After`, then send the request again.',
    headers: { 'Retry-After': '1' },
    example: { message: 'The database is not available and nothing was written; try again.' },
  },
  outcome_unknown: {
    status: 503,
    title: 'The outcome of the change is unknown',
    meaning: 'The database failed during the commit, so the change might or might not be stored.',
    remedy:
      'Send the request again with the same `Idempotency-Key`: the change is then made exactly once. Without a key, check ' +
      'first whether the change was made.',
    example: {
      message:
        'The database failed during the commit; the change might or might not be stored. Check before you retry.',
    },
  },
  storage_full: {
    status: 507,
    title: "The service's disk is full",
    meaning: 'There was no space to store the change. Nothing was written; reads still work.',
    remedy: 'Tell the operator of the service, and retry once there is space.',
    example: { message: 'The disk is full and nothing was written; try again later.' },
  },
  quota_exceeded: {
    status: 507,
    title: 'The account has reached its quota',
    meaning:
      'The operator of the service limits the number of listings or the stored bytes of the account, and this change ' +
      'would exceed the limit. `quota` names the limit, and `limit` is its value. Stored bytes include the listings as ' +
      'JSON in UTF-8 and their earlier versions, which the events keep for 30 days. Nothing was written; reads still ' +
      'work. In an import, this error applies to a single row. Some limits are the same for all accounts: an account ' +
      'can have up to 20 webhook endpoints and 100 feeds, and the pending deliveries of an endpoint are limited.',
    remedy:
      'Delete listings, which is always possible, or make them smaller. A deletion reduces `listings` immediately, and ' +
      '`bytes` after 30 days. Or ask the operator for a higher limit.',
    example: {
      message:
        'The account has 1000 listings, and its limit is 1000: delete some, or ask the operator of the service for a higher limit. Nothing was written.',
      members: { quota: 'listings', limit: 1000 },
    },
  },
} satisfies Partial<Record<ErrorCode, ErrorEntry>>;
