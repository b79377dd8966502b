import type { ErrorCode } from '../../../model/errors.ts';
import { type ErrorEntry, EXAMPLE_ID, JSON_BODY, KEY } from './entry.ts';

export const BODY_ERRORS = {
  invalid_json: {
    status: 400,
    title: 'The body is not valid JSON',
    meaning:
      'The body is not JSON in UTF-8, has a duplicate member (one of the values would be lost), or is nested more ' +
      'than 32 levels deep. `offset` is the position of the error in bytes, counted from 0. If an import stops ' +
      'with this error, `line` and the counts have the same meaning as in `import_failed`.',
    remedy: 'Check the byte at `offset`. Generate JSON with a library instead of concatenating strings.',
    commands: [`curl -i $API/listings ${KEY} ${JSON_BODY} -d '{"address":"12 Elm Street",}'`],
    example: {
      message: 'The body is not valid JSON: Expected another element after the comma at byte 27.',
      members: { offset: 27 },
    },
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    meaning:
      'The headers must arrive within 10 seconds. A body must not pause for more than 30 seconds, and must arrive ' +
      "within a minute, except for the file of an import or feed: after the file's first minute, at least 30 KiB " +
      'must arrive every 30 seconds. Nothing was done, except that a non-atomic import keeps the rows that it had ' +
      'already saved.',
    remedy:
      'Send the request again. If the error occurs often, check the connection and proxies that buffer bodies, and ' +
      'compress the file with gzip, or split it unless it is the file of a feed.',
    example: { message: 'The body took too long; send the request again.' },
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    meaning:
      'A listing, or a row of an import, can be up to 1 MiB (1,048,576 bytes). An import can have any number of ' +
      'rows, but with `atomic=true` at most 10,000 rows and 64 MiB uncompressed. An atomic import can change at most ' +
      '24 MiB on SQLite, where other writes wait for it, and 192 MiB on PostgreSQL (the listings before and after ' +
      'the change, and their search words). All other bodies, such as the one for signing in to the dashboard, can ' +
      'be up to 16 KiB (16,384 bytes). Operations that need no body ignore it, unless they accept an ' +
      '`Idempotency-Key`. If a body is sent in more than 1,000 chunks (`Transfer-Encoding: chunked`), they must have 16 ' +
      'bytes or more on average. Nothing was written, except that a non-atomic import keeps the rows that it had ' +
      'already saved.',
    remedy:
      'Send less: photos are sent as URLs, not as images. Send several files instead of one atomic import, or leave ' +
      'out `atomic=true`. If the message names chunks, send larger ones.',
    commands: [`printf '%01100000d' 0 | curl -i $API/listings ${KEY} ${JSON_BODY} --data-binary @-`],
    example: { message: 'The body is larger than 1048576 bytes; send less.' },
  },
  unsupported_media_type: {
    status: 415,
    title: 'The media type is not supported',
    meaning: '`Content-Type` is missing, or the media type, charset, or compression is not supported.',
    remedy:
      'Send the body as the message says. `curl -d` sends `application/x-www-form-urlencoded` unless you set ' +
      '`Content-Type`.',
    commands: [`curl -i $API/listings ${KEY} -d '{"address":"12 Elm Street","beds":3,"baths":2}'`],
    example: { message: 'Send the body in UTF-8, with Content-Type: application/json.' },
  },
  validation_failed: {
    status: 422,
    title: 'Fields are not valid',
    meaning:
      'The body is JSON, but fields are not valid. `details` lists up to 100 of them, with a path such as ' +
      '`photos[2].url` and one of the codes below. A document with more than 5,000 members and elements is not ' +
      'checked further. For a CSV file, the error means that the header row is missing or not valid; a header row ' +
      'can have up to 500 columns. Nothing was stored.',
    remedy:
      'Fix the fields listed in `details`, and send the request again. Values are never truncated, rounded, or guessed.',
    commands: [`curl -i $API/listings ${KEY} ${JSON_BODY} -d '{"address":" ","beds":2.5,"baths":2}'`],
    example: {
      message: '2 fields are not valid; see details.',
      details: [
        { field: 'address', code: 'blank', message: 'Must not be blank.' },
        { field: 'beds', code: 'not_an_integer', message: 'Must be a whole number.' },
      ],
    },
  },
  external_id_taken: {
    status: 409,
    title: 'Another listing has this externalId',
    meaning:
      'An `externalId` identifies one listing of the account. The `externalId` in the request already belongs to the ' +
      'listing in `listingId`.',
    remedy:
      'To change that listing, `PATCH` it or use `PUT /v1/listings/external/{externalId}`, which creates or ' +
      'replaces a listing. To create a second listing, use another `externalId`.',
    commands: [
      `curl -i $API/listings ${KEY} ${JSON_BODY} -d '{"externalId":"MLS-20931","address":"14 Elm Street","beds":3,"baths":2}'`,
    ],
    example: {
      message: `Listing ${EXAMPLE_ID} already has this externalId; change that listing or use a different externalId.`,
      members: { listingId: EXAMPLE_ID },
    },
  },
  import_failed: {
    status: 422,
    title: 'The file was imported only in part or not at all',
    meaning:
      'With `atomic=true`, at least one row is not valid: `details` lists the first 100 errors with their `line`, ' +
      'and nothing was imported. The error also occurs if the file cannot be read: for example, the file is declared ' +
      'as gzip but is not gzip, is in UTF-16, was cut off, or has 10,000 consecutive blank lines. ' +
      'Reading then stopped at `line`. If the import was not atomic, ' +
      'rows that were saved before that line are kept, and `created`, `updated`, `unchanged`, and `failed` count all ' +
      "rows before that line. Nothing is saved from an atomic import or a feed's file.",
    remedy:
      'Fix the file and send the whole file again. Rows with an `externalId` or `id` that were already saved then ' +
      'count as unchanged. Remove other rows that were already saved; otherwise, their listings are created a second ' +
      'time.',
    commands: [
      "printf 'address,beds,baths\\n12 Elm Street,3,2\\n14 Elm Street,2.5,2\\n' | " +
        `curl -i $API/imports?atomic=true ${KEY} -H "Content-Type: text/csv" --data-binary @-`,
    ],
    example: {
      message: 'One row cannot be imported, so no rows were imported; see details.',
      details: [{ line: 3, field: 'beds', code: 'not_an_integer', message: '"2.5" must be a whole number.' }],
    },
  },
} satisfies Partial<Record<ErrorCode, ErrorEntry>>;
