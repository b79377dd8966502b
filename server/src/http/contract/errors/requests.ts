import type { ErrorCode } from '../../../model/errors.ts';
import { type ErrorEntry, EXAMPLE_ID, JSON_BODY, KEY } from './entry.ts';

/** Errors of a request that cannot be understood: its path, method, query and headers. */
export const REQUEST_ERRORS = {
  invalid_query: {
    status: 400,
    title: 'A parameter has a value that it cannot have',
    meaning:
      'A parameter behind `?` is empty, repeated, of the wrong form or out of its range. Values are never clamped or ' +
      'ignored, since that would answer another question than yours.',
    remedy: 'Mend each parameter that `details` names, and send the request again.',
    commands: [`curl -i "$API/listings?limit=5000" ${KEY}`],
    example: {
      message: 'query.limit: Must be from 1 to 1000.',
      details: [{ field: 'query.limit', code: 'out_of_range', message: 'Must be from 1 to 1000.' }],
    },
  },
  unknown_parameter: {
    status: 400,
    title: 'There is no such parameter',
    meaning:
      'The request has a parameter behind `?` that it does not take: a filter that was ignored would give too much.',
    remedy: 'Look for a typing error; the message names the parameters that there are, and the nearest one.',
    commands: [`curl -i "$API/me?colour=red" ${KEY}`],
    example: {
      message: 'colour: There is no such parameter; this request takes none.',
      details: [
        {
          field: 'query.colour',
          code: 'unknown_field',
          message: 'There is no such parameter; this request takes none.',
        },
      ],
    },
  },
  invalid_cursor: {
    status: 400,
    title: 'The cursor does not belong to this request',
    meaning:
      'A cursor continues the one list that it came from: of the same account, with the same filters and the same order. ' +
      'This one was changed, or comes from another list.',
    remedy:
      'Send `nextCursor` as it came, with the same parameters (`limit` may change), or begin again without `cursor`. ' +
      'Cursors never expire.',
    commands: [`curl -i "$API/listings?cursor=abc" ${KEY}`],
    example: {
      message: 'This cursor is not of this list: take the nextCursor of the page before, unchanged.',
      details: [
        { field: 'query.cursor', code: 'invalid_format', message: 'Must be the nextCursor of a page of this list.' },
      ],
    },
  },
  invalid_header: {
    status: 400,
    title: 'A header cannot be read',
    meaning:
      'A header that the reply depends on has the wrong form, such as an `If-Match` without its double quotes; or what ' +
      'came is not a request that HTTP/1.1 allows, such as one with two `Host` headers.',
    remedy: 'Send the header as the message says. An ETag is sent back as it came, with its quotes.',
    commands: [
      `curl -i -X PATCH $API/listings/${EXAMPLE_ID} ${KEY} ${JSON_BODY} -H 'If-Match: 1' -d '{"listPrice":439000}'`,
    ],
    example: { message: 'If-Match must be "*" or a list of ETags in double quotes, as they were sent.' },
  },
  invalid_idempotency_key: {
    status: 400,
    title: 'The Idempotency-Key cannot be used',
    meaning: 'The header is empty, too long, given twice, or has characters that cannot be seen.',
    remedy:
      'Send one `Idempotency-Key` of 1 to 255 visible characters, a new one for each new request. A UUID is a good one.',
    commands: [
      `curl -i $API/listings ${KEY} ${JSON_BODY} -H 'Idempotency-Key: my key' -d '{"address":"12 Elm Street","beds":3,"baths":2}'`,
    ],
    example: { message: 'Send one Idempotency-Key of 1 to 255 visible characters, such as a UUID.' },
  },
  not_found: {
    status: 404,
    title: 'There is nothing here, or nothing of this account',
    meaning:
      'The path names nothing, or a listing that is not in the account of the key: it was deleted, never existed, or ' +
      "belongs to somebody else. Which of these it is, the reply doesn't tell.",
    remedy:
      'Compare the path with the reference at `/docs`: every character counts, also a slash at the end. For a listing, ' +
      'look in the list, and whether the key is of the right account: `GET /v1/me` says.',
    commands: [`curl -i $API/listings/lst_0 ${KEY}`],
    example: { message: 'There is no listing with this id in the account.' },
  },
  method_not_allowed: {
    status: 405,
    title: 'The path does not take this method',
    meaning: 'The path exists, but not with this method.',
    remedy: 'Use one of the methods that the header `Allow` names.',
    headers: { Allow: 'GET, HEAD, POST' },
    commands: [`curl -i -X PUT $API/listings ${KEY}`],
    example: { message: 'This path takes GET, HEAD, POST.' },
  },
  not_acceptable: {
    status: 406,
    title: 'The reply does not come in that format',
    meaning:
      'The header `Accept` asks for media types that this reply does not come as, or is longer than 1,000 characters.',
    remedy: 'Ask for one that the message names, or leave `Accept` out. Errors are always JSON.',
    commands: [`curl -i $API/me ${KEY} -H "Accept: image/png"`],
    example: { message: 'This reply comes as application/json; ask for that in Accept.' },
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    meaning: 'All headers together, with the path and the query, may have 16 KiB.',
    remedy: 'Send fewer or shorter headers. Large ones are often cookies, which the service does not need.',
    commands: [`curl -i $API/me ${KEY} -H "X-Note: $(printf '%020000d' 0)"`],
    example: { message: 'The headers are larger than 16 KiB; send fewer.' },
  },
} satisfies Partial<Record<ErrorCode, ErrorEntry>>;
