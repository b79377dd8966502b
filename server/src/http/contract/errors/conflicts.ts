import type { ErrorCode } from '../../../model/errors.ts';
import { type ErrorEntry, EXAMPLE_ID, JSON_BODY, KEY } from './entry.ts';

export const CONFLICT_ERRORS = {
  version_mismatch: {
    status: 412,
    title: 'The listing has changed since you read it',
    meaning:
      "The listing's version does not satisfy the request's `If-Match` or `If-None-Match` header. `currentVersion` " +
      'is that version, or null if the listing does not exist. Nothing was changed.',
    remedy:
      'Read the listing again, apply your change to the current version, and send it with the new ETag in `If-Match`. ' +
      'This prevents lost updates. If the message names another header or a missing listing, do what it says.',
    commands: [
      `curl -i -X PATCH $API/listings/${EXAMPLE_ID} ${KEY} ${JSON_BODY} -H 'If-Match: "1"' -d '{"listPrice":439000}'`,
    ],
    example: {
      message: 'The listing has changed; read it again and send your change with the new ETag.',
      members: { currentVersion: 2 },
    },
  },
  precondition_failed: {
    status: 412,
    title: 'The listing already exists, or does not exist',
    meaning:
      'The request has `If-None-Match: *` (create only) and the listing exists, or `If-Match: *` (replace only) and ' +
      'the listing does not exist. Nothing was changed.',
    remedy: 'Leave out the header to create or replace the listing.',
    commands: [
      `curl -i -X PUT $API/listings/external/MLS-20931 ${KEY} ${JSON_BODY} -H 'If-None-Match: *' -d '{"address":"12 Elm Street","beds":3,"baths":2}'`,
    ],
    example: { message: 'The listing already exists.' },
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The Idempotency-Key was already used for a different request',
    meaning:
      'In the last 24 hours, a successful request from the account had the same `Idempotency-Key` but another ' +
      'method, path, query, body, `Content-Type`, `If-Match`, or `If-None-Match`. Nothing was done.',
    remedy:
      'Use a new key for each new request. To repeat a request whose response was lost, send exactly the same request.',
    commands: [
      `curl -i $API/listings ${KEY} ${JSON_BODY} -H 'Idempotency-Key: 4c1d' -d '{"address":"12 Elm Street","beds":3,"baths":2}'`,
      `curl -i $API/listings ${KEY} ${JSON_BODY} -H 'Idempotency-Key: 4c1d' -d '{"address":"14 Elm Street","beds":3,"baths":2}'`,
    ],
    example: {
      message: 'This Idempotency-Key was already used for a different request; use a new key for each new request.',
    },
  },
  events_expired: {
    status: 410,
    title: 'Events after this sequence are no longer available',
    meaning:
      'The message gives the reason: the events are older than 30 days, `after` is greater than the current sequence ' +
      'of the account, or the database has a different `epoch`, for example after a restore. A sequence that is too ' +
      'high belongs to another account or to the time before a restore. Without `after`, the request starts at the ' +
      "account's first event. The request is rejected because a client that continued could miss events. A request " +
      'for a listing `at` a sequence, or for events to be sent to a webhook endpoint again, gets this error if the ' +
      'events are older than 30 days or the sequence is too high.',
    remedy:
      'To follow the events, list all listings again, and continue from the `sequence` and `epoch` of that list. ' +
      'Otherwise, use a sequence from the last 30 days.',
    commands: [`curl -i "$API/events?epoch=00000000" ${KEY}`],
    example: {
      message:
        "The database has a different epoch, for example after a restore. List all listings again, then continue from that list's sequence.",
    },
  },
  account_changed: {
    status: 409,
    title: 'The session has switched to another account',
    meaning:
      'Only below `/admin`: the page shows one account, but the session has switched to another one in another ' +
      'window, or the user is no longer a member of the account. Nothing was done.',
    remedy: 'Reload the page: it shows the current account or asks you to choose one.',
    example: { message: 'The session has switched to another account; nothing was done. Reload the page.' },
  },
  conflict: {
    status: 409,
    title: 'The change conflicts with the current state',
    meaning:
      'Only below `/admin`: for example, the account would lose its last administrator, or an invited person is ' +
      'already a member. Nothing was changed.',
    remedy: 'The message names the conflict; resolve it first.',
    example: { message: 'An account needs an administrator; make someone else an administrator first.' },
  },
} satisfies Partial<Record<ErrorCode, ErrorEntry>>;
