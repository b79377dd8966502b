import { z } from 'zod';
import { FEED_OUTCOMES, LIMIT_PATTERN, MISSING_MODES, parseLimit } from '../../../model/feeds.ts';
import { addIssue, choice, count, expected, integer, namedObject, time } from './fields.ts';
import { keyedRecord } from './keyed.ts';
import { feedName } from './listings.ts';
import { columnMap } from './reading-parameters.ts';
import { defaultValues, valueWords } from './value-rules.ts';

const LIMIT_MESSAGE = 'Must be a percentage such as "20%", or a whole number such as "200", as a string.';

/** A percentage or a number, as a string. */
export function limitText(description: string, example: string) {
  return z
    .string({ error: LIMIT_MESSAGE })
    .transform((given, context) =>
      parseLimit(given) === undefined ? addIssue(context, 'invalid_format', LIMIT_MESSAGE) : given,
    )
    .meta({ pattern: LIMIT_PATTERN.source, description, example });
}

export const MISSING_MAX =
  "How many of the feed's listings can be missing from the file: a number, or a percentage of the feed's listings, " +
  'which always allows at least 5. Of the listings that were missing before, only those that the run would change are ' +
  'counted. If more are missing, nothing is changed. Default `20%`.';
export const FAILED_MAX =
  'How many rows can fail: a number, or a percentage of the rows. If more fail, the guard stops the run. Default `5%`.';
export const MISSING =
  "What happens to the feed's listings that are not in the file: `keep` leaves them as they are, `withdraw` sets " +
  'their status to `withdrawn`, and `delete` deletes them. Default `keep`.';

const HOURS_MAX = 8_784;

const settings = {
  map: keyedRecord(columnMap, 'The field of each column, by column name; an empty string skips the column.', {
    Price: 'listPrice',
    Agent: '',
  }),
  values: keyedRecord(
    valueWords,
    'What words mean in a field, by `FIELD:WORD`; an empty string means that the field has no value.',
    { 'status:Under contract': 'pending' },
  ),
  defaults: keyedRecord(defaultValues, 'The value of each field in rows that do not have one.', {
    stateOrProvince: 'TX',
  }),
  missing: choice(MISSING_MODES, MISSING),
  missingMax: limitText(MISSING_MAX, '10%'),
  failedMax: limitText(FAILED_MAX, '5%'),
  clean: z
    .boolean(expected('true or false'))
    .describe('Whether values such as `$450,000` and `1,250 sq ft` are accepted and converted.'),
  dates: choice(['mdy', 'dmy'], 'The order of dates such as `03/04/2026`. If null, such dates are errors.').nullable(),
  decimal: choice(
    ['comma', 'point'],
    'The decimal separator of numbers: `267.500` is 267500 (`comma`) or 267.5 (`point`). If null, `clean` rejects ' +
      'such numbers.',
  ).nullable(),
  ignoreUnknown: z
    .boolean(expected('true or false'))
    .describe(
      'Whether unknown columns are skipped. A CSV file that lacks a column of an earlier file is still rejected if ' +
        'it has new unknown columns, because one of them could be the missing column with a new name.',
    ),
  expectedEveryHours: integer(1, HOURS_MAX, 'A feed is late if no run has succeeded for this many hours.').nullable(),
};

export const feedSettings = z.strictObject(settings, expected('an object'));

function patchOf(description: string, example: object) {
  return z.record(z.string(), z.string().nullable()).nullable().optional().meta({ description, example });
}

/** A merge patch (RFC 7396); `null` restores a default. */
export const feedPatch = z
  .strictObject({
    map: patchOf(
      'Merged column by column; null removes a column. If two columns map to the same field, the new column replaces ' +
        'the old one.',
      { Price: 'listPrice' },
    ),
    values: patchOf('Merged entry by entry; null removes the entry for a word.', {
      'status:Under contract': 'pending',
    }),
    defaults: patchOf('Merged field by field; null removes a default.', { stateOrProvince: 'TX' }),
    missing: settings.missing.nullable().optional(),
    missingMax: settings.missingMax.nullable().optional(),
    failedMax: settings.failedMax.nullable().optional(),
    clean: settings.clean.nullable().optional(),
    dates: settings.dates.optional(),
    decimal: settings.decimal.optional(),
    ignoreUnknown: settings.ignoreUnknown.nullable().optional(),
    expectedEveryHours: settings.expectedEveryHours.optional(),
  })
  .meta({ id: 'FeedPatch' });

const counts = {
  rows: count('Rows of the file.'),
  created: count('New listings.'),
  updated: count('Rows that change a listing, including by adopting it.'),
  unchanged: count('Rows that match their listing.'),
  missing: count("The feed's listings that are not in the file."),
  withdrawn: count('Missing listings whose status becomes `withdrawn`.'),
  deleted: count('Missing listings that are deleted.'),
  failed: count('Rows with an error.'),
  cleaned: count('Values that `clean` or `values` converted.'),
};

export const failedRow = z
  .looseObject({
    line: z.int().meta({
      minimum: 1,
      description: 'The line on which the row begins or, for a JSON array, the element; both are counted from 1.',
    }),
    externalId: z.string().optional(),
    code: z.string(),
    message: z.string(),
    details: z.array(z.object({ field: z.string(), code: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'FailedRow' });

export const fileWarnings = z
  .array(namedObject('FileWarning', { field: z.string(), message: z.string() }))
  .optional()
  .describe(
    "The unit or currency fields, such as `currency`, for which some amounts name a value other than the account's " +
      'default, others name none, and `defaults` has none. Only in the response to a file with `clean`, and only if ' +
      'there are such fields.',
  );

export const feedRun = namedObject('FeedRun', {
  id: z.string().meta({ example: 'run_01kt3vwq8r5f0x4m2n7p9s1d6h' }),
  feed: feedName,
  startedAt: time(),
  finishedAt: time().nullable(),
  outcome: z
    .enum(FEED_OUTCOMES)
    .describe(
      '`stopped_by_guard`: nothing was changed, unless too many rows failed while the plan was being applied; see ' +
        '`error`. `interrupted`: the process was killed, or could not write to the database for too long. `failed`: ' +
        'see `error`. After these outcomes, the counted changes remain; send the file again to complete the run.',
    ),
  ...counts,
  sequenceFrom: z
    .int()
    .nullable()
    .describe("The account's sequence before the run's first change; null until the file has been read."),
  sequenceTo: z
    .int()
    .nullable()
    .describe("The account's sequence after the run's last change so far; null until the file has been read."),
  errors: z.array(failedRow).describe('The first failed rows, at most 100.'),
  error: z.object({ code: z.string(), message: z.string() }).optional().describe('Why the run failed or was stopped.'),
  warnings: fileWarnings,
});

const fromTo = z.object({ from: z.unknown().optional(), to: z.unknown().optional() });

const guardReason = namedObject('GuardReason', {
  reason: z.enum(['empty', 'cut', 'missing', 'failed']),
  message: z.string(),
  count: z.int().optional(),
  limit: z.int().optional(),
});

export const feedPlan = namedObject('FeedPlan', {
  feed: feedName,
  planId: z.string().describe('Identifies these changes; see the `plan` parameter.'),
  ...counts,
  guard: z.array(guardReason).describe('Why a run without `plan` would be stopped; empty if it would not be.'),
  warnings: fileWarnings,
  examples: z
    .object({
      create: z.array(z.object({ line: z.int(), externalId: z.string(), address: z.string() })),
      update: z.array(
        z.object({
          line: z.int(),
          externalId: z.string(),
          listingId: z.string(),
          changes: z
            .record(z.string(), fromTo)
            .describe('The changed fields; `description`, `photos`, and `metadata` without their values.'),
        }),
      ),
      missing: z.array(z.object({ listingId: z.string(), externalId: z.string().nullable(), address: z.string() })),
      failed: z.array(failedRow),
    })
    .describe('Up to 1,000 changes of each kind; fewer updates and failed rows if they are longer than 2 MiB.'),
});

export const feed = namedObject('Feed', {
  name: feedName,
  ...settings,
  listings: count('Listings that belong to the feed.'),
  createdAt: time(),
  lastRun: feedRun.nullable(),
  lastSuccessAt: time().nullable(),
  lastSuccessAgeSeconds: z.int().nullable().describe('Seconds since `lastSuccessAt`.'),
  isLate: z.boolean().describe('Whether no run has succeeded for `expectedEveryHours` hours.'),
  lateSince: time().nullable(),
});
