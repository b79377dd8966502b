import type { ErrorCode } from '../../../model/errors.ts';
import { type ErrorEntry, EXAMPLE_ID, JSON_BODY, KEY } from './entry.ts';

/** Errors of what a request carries. */
export const BODY_ERRORS = {
  invalid_json: {
    status: 400,
    title: 'The body is not valid JSON',
    meaning:
      'The body could not be read as JSON in UTF-8, or has more than 32 levels. A member that is given twice counts as ' +
      'well: one of the two values would be lost. `offset` is the byte where the fault begins, counted from 0.',
    remedy: 'Look at the byte at `offset`. Let a library write the JSON instead of putting texts together.',
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
      'The headers took longer than 10 seconds, or no byte of the body came for 30 seconds, or the body of one listing ' +
      'was not whole after a minute, or the body of an import brought less than 30 KiB in 30 seconds after its first ' +
      'minute. Nothing was done; of an import, the rows that had come stay imported, unless it is atomic.',
    remedy:
      'Send the request again. If it happens often, look at the connection, or at a proxy that holds bodies back; send ' +
      'a file in parts, or packed with gzip.',
    example: { message: 'The body took too long; send the request again.' },
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    meaning:
      'The body of a request about one listing may have 1 MiB (1,048,576 bytes). So may a row of an import, which may have ' +
      'any number of them; but with `atomic=true` 10,000 and 64 MiB, unpacked. Where the service runs on SQLite, an ' +
      'atomic import may also change at most 24 MiB, counted over the listings that it meets, their new versions and ' +
      'their words, as other writes wait for it; nothing was written. What the dashboard sends besides listings and ' +
      'imports, as to sign in, may have 16 KiB (16,384 bytes).',
    remedy:
      'Send less: texts are limited, and photos are sent as addresses, not as pictures. Send several files instead of ' +
      'one atomic import, or leave out `atomic=true`.',
    commands: [`printf '%01100000d' 0 | curl -i $API/listings ${KEY} ${JSON_BODY} --data-binary @-`],
    example: { message: 'The body is larger than 1048576 bytes; send less.' },
  },
  unsupported_media_type: {
    status: 415,
    title: 'The body has a type that is not taken here',
    meaning:
      'The header `Content-Type` is missing or names a type, a character set or a compression that is not taken here.',
    remedy:
      'Say what the body is with one of the types that the message names. `curl -d` says ' +
      '`application/x-www-form-urlencoded` unless it is told otherwise.',
    commands: [`curl -i $API/listings ${KEY} -d '{"address":"12 Elm Street","beds":3,"baths":2}'`],
    example: { message: 'Send the body in UTF-8, with Content-Type: application/json.' },
  },
  validation_failed: {
    status: 422,
    title: 'Fields are not valid',
    meaning:
      'The body is JSON, but what it says cannot be kept. `details` names the fields at fault, all at once up to 100, with ' +
      'a path such as `photos[2].url` and one of the codes below. A document with more than 5,000 members and elements is ' +
      'not looked at any further. Of a CSV file it is the header, which may have 500 columns. Nothing was stored.',
    remedy:
      'Mend each field that `details` names, and send the request again. Values are never cut, rounded or guessed.',
    commands: [`curl -i $API/listings ${KEY} ${JSON_BODY} -d '{"address":" ","beds":2.5,"baths":2}'`],
    example: {
      message: '2 fields are not valid; details names each.',
      details: [
        { field: 'address', code: 'blank', message: 'Must not be blank.' },
        { field: 'beds', code: 'not_an_integer', message: 'Must be a whole number.' },
      ],
    },
  },
  external_id_taken: {
    status: 409,
    title: 'Another listing has this externalId',
    meaning: 'An `externalId` stands for one listing of the account, and another one has it already: `listingId`.',
    remedy:
      'To change that listing, `PATCH` it or use `PUT /v1/listings/external/{externalId}`, which creates or replaces. To ' +
      'have a second listing, give it another `externalId`.',
    commands: [
      `curl -i $API/listings ${KEY} ${JSON_BODY} -d '{"externalId":"MLS-20931","address":"14 Elm Street","beds":3,"baths":2}'`,
    ],
    example: {
      message: `The listing ${EXAMPLE_ID} has this externalId; change that one or use another.`,
      members: { listingId: EXAMPLE_ID },
    },
  },
  import_failed: {
    status: 422,
    title: 'The file of an import cannot be imported, or not be read on',
    meaning:
      'With `atomic=true`: rows are at fault, `details` names the first hundred faults with the `line` of each, and ' +
      'nothing was imported. Otherwise: the file is not what it is said to be, such as gzip, was cut, or has 10,000 blank ' +
      'lines in a row. Then `line` is where it cannot be read on, and `created`, `updated`, `unchanged`, `failed` and ' +
      '`errors` say what came of the rows before it, which stay imported.',
    remedy: 'Mend the file and send it again from the beginning: what is there already counts as unchanged.',
    commands: [
      "printf 'address,beds,baths\\n12 Elm Street,3,2\\n14 Elm Street,2.5,2\\n' | " +
        `curl -i $API/imports?atomic=true ${KEY} -H "Content-Type: text/csv" --data-binary @-`,
    ],
    example: {
      message: 'One row cannot be imported, so none was; details says why.',
      details: [{ line: 3, field: 'beds', code: 'not_an_integer', message: 'Must be a whole number.' }],
    },
  },
} satisfies Partial<Record<ErrorCode, ErrorEntry>>;
