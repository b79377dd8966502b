import { z } from 'zod';
import { MISSING_MODES } from '../../../model/feeds.ts';
import { operation } from '../operation.ts';
import { FAILED_MAX, feedPlan, feedRun, limitText, MISSING, MISSING_MAX } from '../schemas/feeds.ts';
import { booleanParameter, choiceParameter } from '../schemas/parameters.ts';
import { readingParameters } from '../schemas/reading-parameters.ts';
import { okReply } from './common.ts';
import { EXAMPLE_RUN } from './feed-runs.ts';
import { fileBody, UNKNOWN_COLUMN } from './imports.ts';

const putFeedQuery = z.strictObject({
  missing: choiceParameter(MISSING_MODES, MISSING, 'withdraw').optional(),
  missingMax: limitText(MISSING_MAX, '10%').optional(),
  failedMax: limitText(FAILED_MAX, '5%').optional(),
  dryRun: booleanParameter('Writes nothing, and returns the plan. A read-only key is enough.').optional(),
  plan: z
    .string()
    .meta({
      description:
        'The `planId` of a dry run with the same file, or of a `feed_guard` error. Exactly that plan is applied, ' +
        'whatever the limits are. If the file or the listings have changed since, the response is 409 `feed_guard`.',
      example: 'q0WmP3dVtV7mWv0lS9nT3hbHN0XzAxa3QzdndxOHI1ZjB4NG0ybjdwOXMxZDZo',
    })
    .optional(),
  ...readingParameters,
});

export type PutFeedQuery = z.output<typeof putFeedQuery>;

const rows = [
  { externalId: 'MLS-20931', address: '12 Elm Street', city: 'Austin', beds: 3, baths: 2, listPrice: 450000 },
  { externalId: 'MLS-20932', address: '14 Elm Street', city: 'Austin', beds: 4, baths: 3, status: 'pending' },
];

export const NO_IDEMPOTENCY_KEY =
  'A feed does not accept an Idempotency-Key: sending the same file again changes nothing, or completes an interrupted ' +
  'run.';

export const putFeedOperation = operation('account', 'put', '/feeds/{name}', {
  operationId: 'putFeed',
  summary: 'Send the whole file of a feed',
  description:
    "Makes the feed's listings match the file, and creates the feed if it is new. The body is a file as in an " +
    "import, and each row needs an `externalId`. A row creates a listing, changes the feed's listing with the same " +
    '`externalId`, or adopts the listing with that `externalId` if it does not belong to a feed. If it belongs to ' +
    'another feed, it is not changed, and the row fails with `belongs_to_feed`. A row merges as in an import; an ' +
    '`id` in a row is ignored. The whole file is read and compared with the listings before the first change. If the ' +
    'file is empty or cut short, or if too many listings are missing or too many rows fail, the response is 409 ' +
    '`feed_guard`, and nothing is changed. Rows above a quota also fail. If listings or quotas change during the ' +
    'run, and too many rows fail as a result, the response is also 409 `feed_guard`; earlier changes then remain, ' +
    'and missing listings are not withdrawn or deleted. Sending the same file again changes nothing, or completes an ' +
    'interrupted run. Parameters override the settings of the feed; `map`, `values`, and `defaults` add to them, and ' +
    'if two columns map to the same field, the new column replaces the old one.',
  query: putFeedQuery,
  body: fileBody(
    rows,
    'externalId,address,city,beds,baths,status,listPrice\r\n' +
      'MLS-20931,12 Elm Street,Austin,3,2,,450000\r\n' +
      'MLS-20932,14 Elm Street,Austin,4,3,pending,\r\n',
  ),
  replies: [
    okReply('The finished run; with `dryRun=true`, the plan.', z.union([feedRun, feedPlan]), {
      ...EXAMPLE_RUN,
      rows: 2,
      failed: 0,
      errors: [],
    }),
  ],
  errors: [
    'invalid_json',
    'invalid_query',
    'invalid_idempotency_key',
    'insufficient_scope',
    'request_timeout',
    'unsupported_media_type',
    'validation_failed',
    'import_failed',
    'feed_guard',
    'feed_busy',
    'too_many_imports',
    'outcome_unknown',
    'storage_full',
    'quota_exceeded',
  ],
  errorExamples: {
    invalid_idempotency_key: { message: NO_IDEMPOTENCY_KEY },
    validation_failed: { ...UNKNOWN_COLUMN, members: { runId: EXAMPLE_RUN.id, line: 1 } },
    request_timeout: { message: 'No data arrived for too long; send the file again.' },
    invalid_json: {
      message: 'Expected an element after the comma, at byte 73.',
      members: { runId: EXAMPLE_RUN.id, line: 2, offset: 73 },
    },
    import_failed: {
      message: 'Content-Encoding is gzip, but the body is not valid gzip or was cut off; compress it again.',
      members: { runId: EXAMPLE_RUN.id, line: 1 },
    },
    quota_exceeded: {
      message: 'The account has 100 feeds, which is the maximum; delete one that is no longer used.',
      members: { quota: 'feeds', limit: 100 },
    },
  },
});
