import { z } from 'zod';
import { emptyCounts } from '../../../model/feeds.ts';
import { JSON_TYPE } from '../media-types.ts';
import { operation } from '../operation.ts';
import { failedRow, feedRun } from '../schemas/feeds.ts';
import { namedObject } from '../schemas/fields.ts';
import { cursorParameter, integerParameter } from '../schemas/parameters.ts';
import { okReply, pageReply } from './common.ts';
import { EXAMPLE_FAILURE, NDJSON_TYPE } from './imports.ts';

const CSV_TYPE = 'text/csv';
const LIMIT_MAX = 100;
export const RUNS_LIMIT_DEFAULT = 20;

export const EXAMPLE_RUN = {
  id: 'run_01kt3vwq8r5f0x4m2n7p9s1d6h',
  feed: 'mls',
  startedAt: '2026-01-31T09:30:00.000Z',
  finishedAt: '2026-01-31T09:30:02.512Z',
  outcome: 'succeeded',
  ...emptyCounts(),
  rows: 3,
  created: 1,
  updated: 1,
  failed: 1,
  sequenceFrom: 1,
  sequenceTo: 3,
  errors: [EXAMPLE_FAILURE],
};

export const NO_FEED = {
  message: 'There is no feed with this name in the account; sending its first file creates it.',
};

const runsQuery = z.strictObject({
  limit: integerParameter(1, LIMIT_MAX, `Maximum number of runs; default ${RUNS_LIMIT_DEFAULT}.`, 20).optional(),
  cursor: cursorParameter('The `nextCursor` of the previous page, unchanged.'),
});

export const listRunsOperation = operation('account', 'get', '/feeds/{name}/runs', {
  operationId: 'listFeedRuns',
  summary: 'List the runs of a feed',
  description:
    'The runs of the last 90 days, newest first. A dry run is not recorded. A page can have fewer runs than `limit` ' +
    'even if more follow.',
  query: runsQuery,
  replies: [pageReply('The runs.', 'FeedRunList', feedRun, [EXAMPLE_RUN])],
  errors: ['invalid_query', 'invalid_cursor', 'not_found'],
  errorExamples: { not_found: NO_FEED },
});

export const retrieveRunOperation = operation('account', 'get', '/feeds/{name}/runs/{runId}', {
  operationId: 'retrieveFeedRun',
  summary: 'Retrieve a run of a feed',
  description: 'A run from the last 90 days, including a run in progress with its counts so far.',
  replies: [okReply('The run.', feedRun, EXAMPLE_RUN)],
  errors: ['not_found'],
  errorExamples: { not_found: NO_FEED },
});

const FAILED = {
  ...EXAMPLE_FAILURE,
  values: { externalId: 'MLS-20933', address: '16 Elm Street', city: 'Austin', beds: 2, baths: 1, currency: 'USD' },
};

const storedRow = failedRow
  .extend({
    values: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe("The row's own values, keyed by the names in the file; null if they are not kept."),
  })
  .meta({ id: 'StoredFailedRow' });

export const listRunErrorsOperation = operation('account', 'get', '/feeds/{name}/runs/{runId}/errors', {
  operationId: 'listFeedRunErrors',
  summary: 'List the failed rows of a run',
  description:
    "The failed rows of a run with their own values, in the order of the file, kept for 90 days. In CSV, the row's " +
    'own columns follow `line`, `code`, `message`, and `details`. If the file or the `map` of the feed has a column ' +
    'with one of these four names, the service puts `error_` before its own column name, as in `error_line`. You can ' +
    "correct the rows and send the file to `/imports` with the feed's `map`, `clean`, and other parameters for " +
    'reading the file, and with `ignoreUnknown=true`, which skips the four columns. So that an import reads the values ' +
    'of a CSV file as the run did, the response has the separator of that file. At most 496 of the own columns are ' +
    'included; the other formats have all values. Up to 100,000 rows and 64 MiB are kept per run, and 256 MiB per ' +
    'account; beyond that, further failed rows of a run are only counted, and the ' +
    "failed rows of the account's oldest runs are removed.",
  types: [JSON_TYPE, NDJSON_TYPE, CSV_TYPE],
  replies: [
    {
      status: 200,
      description: 'The failed rows.',
      schema: namedObject('FailedRowList', { data: z.array(storedRow) }),
      example: { data: [FAILED] },
      media: {
        [NDJSON_TYPE]: {
          schema: z.string().describe('A failed row per line, then a line that marks the end.'),
          example: `${JSON.stringify(FAILED)}\n{"end":true,"count":1}\n`,
        },
        [CSV_TYPE]: {
          schema: z.string().describe('A header row, then the failed rows (RFC 4180, with the separator of the file).'),
          example:
            'line,code,message,details,externalId,address,city,beds,baths,currency\r\n' +
            '3,validation_failed,One field is not valid; see details.,"listPrice: Is required together with currency, ' +
            'unless closePrice is given.",MLS-20933,16 Elm Street,Austin,2,1,USD\r\n',
        },
      },
    },
  ],
  errors: ['not_found'],
  errorExamples: { not_found: NO_FEED },
});
