import type { ErrorCode } from '../../../model/errors.ts';
import type { ErrorEntry } from './entry.ts';

/** Errors that are not the request's. */
export const SERVICE_ERRORS = {
  internal_error: {
    status: 500,
    title: 'The service made a mistake',
    meaning:
      'Something happened that the service was not made for. What it was stands in its log, under the `requestId`.',
    remedy:
      'Send the request again, a change with the same `Idempotency-Key`. If it stays, give the `requestId` to whoever ' +
      'runs the service.',
    example: { message: 'The service made a mistake; send the request again, or report its requestId.' },
  },
  unavailable: {
    status: 503,
    title: 'The service cannot answer at the moment',
    meaning:
      'The service is stopping, its database does not answer, or more requests, imports, searches, or changes are waiting ' +
      'than can be served soon. Nothing was written; of an import that was broken off, what its counts say was.',
    remedy: 'Wait for the seconds in `Retry-After`, then send the request again.',
    headers: { 'Retry-After': '1' },
    example: { message: 'The database is not available and nothing was written; try again.' },
  },
  outcome_unknown: {
    status: 503,
    title: 'It is not known whether the change was stored',
    meaning: 'The database failed while it wrote, so the change may or may not be on the disk.',
    remedy:
      'Send the request again with the same `Idempotency-Key`: it is then done once, whatever happened. Without a key, ' +
      'look first whether the change is there.',
    example: {
      message:
        'The database failed during the commit, so the change may or may not be stored; look before you send it again.',
    },
  },
  storage_full: {
    status: 507,
    title: 'The disk of the service is full',
    meaning: 'There was no room to store the change. Nothing was written; reading goes on.',
    remedy: 'Tell whoever runs the service, and send the request again once there is room.',
    example: { message: 'The disk is full and nothing was written; try again later.' },
  },
  quota_exceeded: {
    status: 507,
    title: 'The account has used up its quota',
    meaning:
      'The operator of the service has set how many listings the account may have, or how many bytes it may store, and ' +
      'this change would need more: `quota` says which, `limit` how much. Bytes are those of the listings as JSON in ' +
      'UTF-8, and of their earlier versions, which the events keep for 30 days. Nothing was written; reading goes on. In ' +
      'an import it is the error of a row.',
    remedy:
      'Delete listings that are not needed: that always works, and so does making a listing smaller. What a deletion ' +
      'frees counts at once for `listings`, and after 30 days for `bytes`. Or ask the operator for more.',
    example: {
      message:
        'The account may have 1000 listings, and has 1000: delete some, or ask the operator of the service for more. Nothing was written.',
      members: { quota: 'listings', limit: 1000 },
    },
  },
} satisfies Partial<Record<ErrorCode, ErrorEntry>>;
