import type { ErrorCode } from '../../../model/errors.ts';
import { type ErrorEntry, EXAMPLE_ID, JSON_BODY, KEY } from './entry.ts';

/** Errors of a request that does not go with what came before it. */
export const CONFLICT_ERRORS = {
  version_mismatch: {
    status: 412,
    title: 'The listing has changed since you read it',
    meaning:
      'The request is for the version in its `If-Match` (or for any but that in its `If-None-Match`), and the listing is ' +
      'at `currentVersion`, which is null if there is none. Nothing was changed.',
    remedy:
      'Read the listing again, make your change anew on what it says now, and send it with the ETag of that reply. So ' +
      'nobody overwrites what somebody else has written.',
    commands: [
      `curl -i -X PATCH $API/listings/${EXAMPLE_ID} ${KEY} ${JSON_BODY} -H 'If-Match: "1"' -d '{"listPrice":439000}'`,
    ],
    example: {
      message: 'The listing is not at the version you named: read it again, and send your change with its ETag.',
      members: { currentVersion: 2 },
    },
  },
  precondition_failed: {
    status: 412,
    title: 'The listing is there already, or is not there',
    meaning:
      'The request has `If-None-Match: *` (only if there is no such listing) and there is one, or `If-Match: *` (only if ' +
      'there is one) and there is none. Nothing was changed.',
    remedy: 'Leave the header out to create or replace, whichever it is.',
    commands: [
      `curl -i -X PUT $API/listings/external/MLS-20931 ${KEY} ${JSON_BODY} -H 'If-None-Match: *' -d '{"address":"12 Elm Street","beds":3,"baths":2}'`,
    ],
    example: { message: 'There is such a listing already.' },
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The Idempotency-Key came with another request before',
    meaning:
      'In the last 24 hours a request of the account had the same `Idempotency-Key`, but another method, path, query, ' +
      'body, `Content-Type`, `If-Match` or `If-None-Match`. Nothing was done.',
    remedy:
      'Use a new key for each new request. To repeat a request whose reply was lost, send exactly the same again.',
    commands: [
      `curl -i $API/listings ${KEY} ${JSON_BODY} -H 'Idempotency-Key: 4c1d' -d '{"address":"12 Elm Street","beds":3,"baths":2}'`,
      `curl -i $API/listings ${KEY} ${JSON_BODY} -H 'Idempotency-Key: 4c1d' -d '{"address":"14 Elm Street","beds":3,"baths":2}'`,
    ],
    example: {
      message: 'This Idempotency-Key came with another request before; use a new one for each new request.',
    },
  },
  idempotency_in_progress: {
    status: 409,
    title: 'The first request with this Idempotency-Key still runs',
    meaning:
      'A request with the same `Idempotency-Key` has come and is not answered yet. Most often the second waits for the ' +
      'first and gets its reply; where it cannot wait, it gets this one.',
    remedy: 'Wait for the seconds in `Retry-After`, then send the same request again.',
    headers: { 'Retry-After': '1' },
    example: { message: 'The first request with this Idempotency-Key still runs; send it again in a moment.' },
  },
  events_expired: {
    status: 410,
    title: 'The events after this sequence are not all there any more',
    meaning:
      'One of three, as the message says. Events after `after` were removed: they are kept for 30 days or longer, and ' +
      'without `after` the very first is asked for. Or `after` is beyond the last event: it is a sequence of another ' +
      'account, or of a database that was restored since. Or `epoch` is not the one that the database has: it was restored ' +
      'since, or never had it. A feed that went on from here could have a gap.',
    remedy: 'Read the list again, and follow the events from the `sequence` and `epoch` that it has.',
    commands: [`curl -i "$API/events?epoch=00000000" ${KEY}`],
    example: {
      message:
        "The database has another epoch: it was restored since, or never had this one. List all listings again, and go on from that list's sequence.",
    },
  },
  account_changed: {
    status: 409,
    title: 'The session works in another account',
    meaning:
      'This is of the dashboard, below `/admin`: the page shows one account, and the session works in another one that was ' +
      'chosen since in another window; or the person belongs no more to the account that they worked in. Nothing was done.',
    remedy: 'Load the page again: it shows the account of now, or asks which it is to be.',
    example: { message: 'You work in another account by now, and nothing was done: load the page again.' },
  },
  conflict: {
    status: 409,
    title: 'It does not go with what is there',
    meaning:
      'This is of the dashboard, below `/admin`: for example an account would lose its last administrator, or somebody ' +
      'belongs to it already. Nothing was changed.',
    remedy: 'Read the message: it says what stands in the way.',
    example: { message: 'An account needs an administrator: make somebody else one first.' },
  },
} satisfies Partial<Record<ErrorCode, ErrorEntry>>;
