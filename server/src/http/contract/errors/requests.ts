import type { ErrorCode } from '../../../model/errors.ts';
import { type ErrorEntry, EXAMPLE_ID, JSON_BODY, KEY } from './entry.ts';

/** Names the setting of nginx, the proxy that most often sends HTTP/1.0. */
export const HTTP_1_0_MESSAGE =
  'This list is too long for HTTP/1.0, in which a list that is cut off looks complete. Send the request as HTTP/1.1, ' +
  'or request a page with a lower limit. If a proxy sent the request, configure the proxy to use HTTP/1.1; for ' +
  'nginx: proxy_http_version 1.1;';
export const HTTP_1_0_IMPORT_MESSAGE =
  'No row was imported: over HTTP/1.0, an import cannot respond with lines, because a response that is cut off looks ' +
  'complete. Send Accept: application/json without progress=true, or send the request as HTTP/1.1. If a proxy sent ' +
  'the request, configure the proxy to use HTTP/1.1; for nginx: proxy_http_version 1.1;';

export const REQUEST_ERRORS = {
  invalid_query: {
    status: 400,
    title: 'A query parameter is not valid',
    meaning:
      'A query parameter is empty, repeated, malformed, or out of range, or lacks a parameter that it requires. ' +
      'Values are never clamped or ignored, because the result would not be what you requested.',
    remedy: 'Fix the parameters listed in `details`, and send the request again.',
    commands: [`curl -i "$API/listings?limit=5000" ${KEY}`],
    example: {
      message: 'query.limit: Must be from 1 to 1000.',
      details: [{ field: 'query.limit', code: 'out_of_range', message: 'Must be from 1 to 1000.' }],
    },
  },
  unknown_parameter: {
    status: 400,
    title: 'Unknown query parameter',
    meaning: 'The query has an unknown parameter. Ignoring a misspelled filter would return too many listings.',
    remedy: 'Check the spelling; the message names similar parameters, or lists all parameters.',
    commands: [`curl -i "$API/me?colour=red" ${KEY}`],
    example: {
      message: 'colour: There is no such parameter; this request does not accept parameters.',
      details: [
        {
          field: 'query.colour',
          code: 'unknown_field',
          message: 'There is no such parameter; this request does not accept parameters.',
        },
      ],
    },
  },
  invalid_cursor: {
    status: 400,
    title: 'The cursor does not belong to this request',
    meaning:
      'A cursor continues one list: the same account, filters, and order. This cursor was changed or comes from ' +
      'another list.',
    remedy:
      'Send `nextCursor` unchanged, with the same parameters (only `limit`, `fields`, `count`, and the format can ' +
      'change), or start again without `cursor`. Cursors never expire.',
    commands: [`curl -i "$API/listings?cursor=abc" ${KEY}`],
    example: {
      message: 'This cursor belongs to another list; send the nextCursor of the previous page, unchanged.',
      details: [
        { field: 'query.cursor', code: 'invalid_format', message: 'Must be the nextCursor of a page of this list.' },
      ],
    },
  },
  invalid_header: {
    status: 400,
    title: 'A header is not valid',
    meaning:
      'A header is malformed, such as an `If-Match` without double quotes; or the request is not valid HTTP/1.1, ' +
      'such as one with two `Host` headers.',
    remedy: 'Fix the header named in the message. Send an ETag exactly as you received it, with its quotes.',
    commands: [
      `curl -i -X PATCH $API/listings/${EXAMPLE_ID} ${KEY} ${JSON_BODY} -H 'If-Match: 1' -d '{"listPrice":439000}'`,
    ],
    example: { message: 'If-Match must be "*" or a list of ETags in double quotes, exactly as you received them.' },
  },
  invalid_idempotency_key: {
    status: 400,
    title: 'The Idempotency-Key is not valid',
    meaning:
      'The header is empty, too long, or repeated, or contains characters that are not visible ASCII. An import also ' +
      'gets this error if it has the header without `atomic=true` or in a dry run. Requests with the file of a feed ' +
      'must not have the header.',
    remedy:
      'Send one `Idempotency-Key` of 1 to 255 visible ASCII characters, such as a UUID. Use a new key for each new ' +
      'request. An import accepts the header only with `atomic=true`. For other imports, dry runs, and the files of feeds, ' +
      'leave it out. If each row has an `externalId`, the file can be sent again at any time.',
    commands: [
      `curl -i $API/imports ${KEY} -H 'Content-Type: text/csv' -H 'Idempotency-Key: a1' --data-binary @listings.csv`,
      `curl -i $API/listings ${KEY} ${JSON_BODY} -H 'Idempotency-Key: my key' -d '{"address":"12 Elm Street","beds":3,"baths":2}'`,
    ],
    example: { message: 'Send one Idempotency-Key of 1 to 255 visible ASCII characters, such as a UUID.' },
  },
  not_found: {
    status: 404,
    title: 'Not found, or not in this account',
    meaning:
      'The path does not exist, or its listing, feed, webhook endpoint, or other object is not in the account: the ' +
      'object was deleted, never existed, or belongs to another account. The response does not show which of these ' +
      'is true. A request for a listing `at` a sequence also gets this error if the listing was created later, or had ' +
      'been deleted at that sequence; the message then says which.',
    remedy:
      'Compare the path with the reference at `/docs`, including a trailing slash. For a listing or other object, ' +
      "check the list of these objects, and use `GET /v1/me` to check the key's account. For `at`, use a sequence from " +
      "the listing's history.",
    commands: [`curl -i $API/listings/lst_0 ${KEY}`],
    example: { message: 'There is no listing with this id or externalId in the account.' },
  },
  method_not_allowed: {
    status: 405,
    title: 'The path does not support this method',
    meaning: "The path exists, but does not support the request's method.",
    remedy: 'Use one of the methods in the `Allow` header.',
    headers: { Allow: 'GET, HEAD, POST' },
    commands: [`curl -i -X PUT $API/listings ${KEY}`],
    example: { message: 'This path supports GET, HEAD, POST.' },
  },
  not_acceptable: {
    status: 406,
    title: 'The requested format is not available',
    meaning:
      'The `Accept` header does not name a media type in which this response is available, or is longer than 1,000 ' +
      'characters.',
    remedy: 'Use one of the media types in the message, or leave out `Accept`. Errors are always JSON.',
    commands: [`curl -i $API/me ${KEY} -H "Accept: image/png"`],
    example: { message: 'This response is available as application/json; request this type in Accept.' },
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    meaning: 'The URL and the headers are each limited to 16 KiB, and together to about 20 KiB.',
    remedy: 'Shorten the URL, or send fewer headers. Large headers are often cookies, which the service does not need.',
    commands: [`curl -i $API/me ${KEY} -H "X-Note: $(printf '%020000d' 0)"`],
    example: { message: 'The URL or the headers are larger than 16 KiB; shorten them.' },
  },
  http_version_not_supported: {
    status: 505,
    title: 'The response is too long for HTTP/1.0',
    meaning:
      'The request arrived as HTTP/1.0, in which a long list that is cut off looks complete. The same is true of the ' +
      'lines of an import. Usually a proxy in front of the service sends HTTP/1.0, which is the default of nginx ' +
      'before 1.29.7.',
    remedy:
      'Ask the operator to set `proxy_http_version 1.1` in nginx, or the equivalent setting of another proxy. Until ' +
      'then, request short pages with `limit`, and the report of an import as `application/json`.',
    example: { message: HTTP_1_0_MESSAGE },
  },
} satisfies Partial<Record<ErrorCode, ErrorEntry>>;
