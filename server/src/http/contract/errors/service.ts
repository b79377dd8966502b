import type { ErrorCode } from '../../../model/errors.ts';
import type { ErrorEntry } from './entry.ts';

export const SERVICE_ERRORS = {
  internal_error: {
    status: 500,
    title: 'Internal error',
    meaning: "An unexpected error occurred. The service's log has the details under the `requestId`.",
    remedy:
      'Send the request again; for a change, use the same `Idempotency-Key`. If the error persists, send the ' +
      '`requestId` to the operator of the service.',
    example: { message: 'An unexpected error occurred; send the request again, or report its requestId.' },
  },
  unavailable: {
    status: 503,
    title: 'The service is temporarily unavailable',
    meaning:
      'The service is stopping, its database is unavailable, or too many requests, imports, searches, or changes are ' +
      'waiting. Nothing was written, except that a non-atomic import, a feed run, or the deletion of a feed or of ' +
      "several listings keeps the changes that it had already saved; an import's error counts them.",
    remedy: 'Wait the number of seconds in `Retry-After`, then send the request again.',
    headers: { 'Retry-After': '1' },
    example: { message: 'The database is not available and nothing was written; try again.' },
  },
  outcome_unknown: {
    status: 503,
    title: 'The outcome of the change is unknown',
    meaning: 'The database failed during the commit, so the change might or might not be stored.',
    remedy:
      'Send the request again with the same `Idempotency-Key`: the change is then made exactly once. Without a key, ' +
      'check first whether the change was made.',
    example: {
      message:
        'The database failed during the commit; the change might or might not be stored. Check before you retry.',
    },
  },
  storage_full: {
    status: 507,
    title: "The service's disk is full",
    meaning:
      'There was no space to store the change. Nothing was written, except that a non-atomic import, a feed run, or ' +
      'the deletion of a feed or of several listings keeps the changes that it had already saved. Reads still work.',
    remedy: 'Tell the operator of the service, and retry once there is space.',
    example: { message: 'The disk is full and nothing was written; try again later.' },
  },
  quota_exceeded: {
    status: 507,
    title: 'The account has reached its quota',
    meaning:
      'The operator of the service limits the number of listings or the stored bytes of the account, and this change ' +
      'would exceed the limit. `quota` names the limit, and `limit` is its value. Stored bytes include the listings ' +
      'as JSON in UTF-8, their earlier versions, which are kept for 30 days, and the history of their changes. ' +
      'This change was not saved; reads still work. In an import or a feed, this error applies to a single row. Some ' +
      'limits are the same for all accounts: an account can have up to 20 webhook endpoints and 100 feeds, and the ' +
      'pending deliveries of an endpoint are limited.',
    remedy:
      'For `listings` or `bytes`, delete listings, which is always possible, make them smaller, or ask the operator ' +
      'for a higher limit. A deletion reduces `listings` immediately, and `bytes` after 30 to 31 days. For other ' +
      'limits, do what the message says.',
    example: {
      message:
        "This change was not saved, because it would exceed the account's limit of 1000 listings: delete some, or ask the operator of the service for a higher limit.",
      members: { quota: 'listings', limit: 1000 },
    },
  },
} satisfies Partial<Record<ErrorCode, ErrorEntry>>;
