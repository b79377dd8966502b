import { z } from 'zod';
import type { ErrorExample } from '../errors/entry.ts';
import { HTTP_1_0_IMPORT_MESSAGE } from '../errors/requests.ts';
import { JSON_TYPE } from '../media-types.ts';
import { type OperationBody, operation } from '../operation.ts';
import { IDEMPOTENCY_KEY } from '../request-headers.ts';
import { failedRow, fileWarnings } from '../schemas/feeds.ts';
import { count, namedObject } from '../schemas/fields.ts';
import { importRow } from '../schemas/file-rows.ts';
import { booleanParameter, choiceParameter } from '../schemas/parameters.ts';
import { readingParameters } from '../schemas/reading-parameters.ts';
import { CHANGE_ERRORS, created, INPUT_ERRORS } from './common.ts';

export const NDJSON_TYPE = 'application/x-ndjson';

const importQuery = z.strictObject({
  atomic: booleanParameter(
    'Saves all rows or none, up to 10,000 rows and 64 MiB uncompressed: if a row is not valid, the response is 422 ' +
      'and nothing is changed. The listings before and after the change, with their search words, can take up to 24 ' +
      'MiB on SQLite and 192 MiB on PostgreSQL; a larger import gets 413. Only an atomic import accepts an ' +
      '`Idempotency-Key`; a dry run does not.',
  ).optional(),
  mode: choiceParameter(
    ['merge', 'replace'],
    'How a row changes the listing that it names: `merge` changes only the fields that the row has (default); ' +
      '`replace` replaces the listing as PUT does, so absent fields are removed.',
    'merge',
  ).optional(),
  dryRun: booleanParameter('Writes nothing, and reports what the import would do.').optional(),
  progress: booleanParameter(
    'With `Accept: application/x-ndjson`, at most two lines a second report how many rows have been processed: ' +
      '`{"rows":8400}`. Failed rows are not sent as lines; the last line is the report with up to 10,000 errors, or ' +
      'the error that stopped the import. `progress` cannot be combined with `atomic`.',
  ).optional(),
  ...readingParameters,
});

export type ImportQuery = z.output<typeof importQuery>;

const importReport = namedObject('ImportReport', {
  created: count('New listings.'),
  updated: count('Rows that changed a listing.'),
  unchanged: count('Rows that match their listing.'),
  failed: count('Rows that were not imported; see `errors`.'),
  repeated: count('Rows that have the same `externalId` as an earlier row, and so change the same listing.'),
  cleaned: count('Values that `clean` or `values` converted, in rows that did not fail.'),
  errors: z
    .array(z.looseObject(failedRow.shape))
    .describe('The first failed rows, at most 100; with `progress=true`, at most 10,000.'),
  warnings: fileWarnings,
});

const rows = [
  created,
  { externalId: 'MLS-20932', address: '14 Elm Street', city: 'Austin', beds: 4, baths: 3, status: 'pending' },
  { externalId: 'MLS-20933', address: '16 Elm Street', city: 'Austin', beds: 2, baths: 1, currency: 'USD' },
];

export const EXAMPLE_FAILURE = {
  line: 3,
  externalId: 'MLS-20933',
  code: 'validation_failed',
  message: 'One field is not valid; see details.',
  details: [
    {
      field: 'listPrice',
      code: 'inconsistent',
      message: 'Is required together with currency, unless closePrice is given.',
    },
  ],
};

const NO_ROWS = { created: 0, updated: 0, unchanged: 0, failed: 0, repeated: 0, cleaned: 0, errors: [] };
const report = { ...NO_ROWS, created: 1, unchanged: 1, failed: 1, errors: [EXAMPLE_FAILURE] };

export const KEY_WITHOUT_ATOMIC =
  'An import accepts an Idempotency-Key only with atomic=true. Give each row an externalId instead; then the file can be ' +
  'sent again at any time.';

export const UNKNOWN_COLUMN: ErrorExample = {
  message:
    'The column "adress" cannot be imported: There is no such column; did you mean address? To name the field of a ' +
    'column, send map[COLUMN]=FIELD; to skip unknown columns, set ignoreUnknown=true.',
  details: [{ field: 'adress', code: 'unknown_field', message: 'There is no such column; did you mean address?' }],
};

/** The body of an operation that reads a file; `csv` is the example for CSV. */
export function fileBody(example: object[], csv: string): OperationBody {
  return {
    types: [NDJSON_TYPE, 'text/csv', JSON_TYPE],
    encodings: ['gzip'],
    schema: z.array(importRow),
    example,
    texts: { [NDJSON_TYPE]: example.map((row) => `${JSON.stringify(row)}\n`).join(''), 'text/csv': csv },
  };
}

export const importOperation = operation('account', 'post', '/imports', {
  operationId: 'createImport',
  summary: 'Import many listings',
  description:
    'Creates and changes any number of listings while the file arrives. A row with the `externalId` or `id` of a ' +
    'listing changes that listing: an absent member or column leaves the field as it is, and `null` or an empty cell ' +
    'removes it. With `mode=replace`, the row replaces the listing. `feed`, `version`, `createdAt`, and `updatedAt` ' +
    'are ignored, so importing an export changes nothing. Columns and members can have the field names or the names ' +
    'of the RESO Data Dictionary (`ListPrice`, `BedroomsTotal`, …); `map` assigns fields to other names. A CSV file ' +
    'begins with a row of column names, separated by commas, semicolons, or tabs; its cells of `photos` and ' +
    '`metadata` are JSON. A JSON file is an array, or an object with the array `value`, as in RESO Common Format. ' +
    'Without `atomic=true`, valid rows are imported even if others fail; with `Accept: application/x-ndjson`, each ' +
    'failed row is a line of the response, which must then be read while the file is sent; over HTTP/1.0, such a ' +
    'request gets 505, and no row is imported. The body can be ' +
    'compressed (`Content-Encoding: gzip`); a row can be up to 1 MiB. If the file cannot be read to its end, the ' +
    'error reports the rows that were read; send the file again, and rows with an `externalId` or `id` that were ' +
    'already imported count as unchanged. On each machine, an account can run four imports at a time, including dry ' +
    'runs and feed runs; a fifth gets 429 `too_many_imports`. After its first minute, a body must send at least 30 ' +
    'KiB every 30 seconds.',
  query: importQuery,
  partners: [
    ['dates', 'clean'],
    ['decimal', 'clean'],
  ],
  types: [JSON_TYPE, NDJSON_TYPE],
  requestHeaders: [IDEMPOTENCY_KEY],
  body: fileBody(
    rows,
    'externalId,address,city,beds,baths,status,listPrice,currency\r\n' +
      'MLS-20931,12 Elm Street,Austin,3,2,,450000,\r\n' +
      'MLS-20933,"16 Elm Street, rear",Austin,2,1,,,USD\r\n' +
      'MLS-20932,14 Elm Street,Austin,4,3,pending,,\r\n',
  ),
  replies: [
    {
      status: 200,
      description: 'The import report.',
      schema: importReport,
      example: report,
      media: {
        [NDJSON_TYPE]: {
          schema: z.string().describe('Each failed row on a line, then the report on the last line.'),
          example: [...report.errors, report].map((line) => `${JSON.stringify(line)}\n`).join(''),
        },
      },
    },
  ],
  errors: [
    'invalid_json',
    'invalid_query',
    ...CHANGE_ERRORS,
    ...INPUT_ERRORS,
    'import_failed',
    'too_many_imports',
    'http_version_not_supported',
  ],
  errorExamples: {
    invalid_idempotency_key: { message: KEY_WITHOUT_ATOMIC },
    validation_failed: { ...UNKNOWN_COLUMN, members: { ...NO_ROWS, line: 1 } },
    payload_too_large: {
      message: 'An atomic import can have at most 10000 rows; send several files, or omit atomic=true.',
    },
    request_timeout: { message: 'No data arrived for too long; send the file again.' },
    http_version_not_supported: { message: HTTP_1_0_IMPORT_MESSAGE },
    invalid_json: {
      message: 'Expected an element after the comma, at byte 73.',
      members: { ...NO_ROWS, unchanged: 1, line: 2, offset: 73 },
    },
  },
});
