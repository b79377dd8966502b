import { gzipSync } from 'node:zlib';
import {
  array,
  arrayOf,
  csv,
  json,
  MEBIBYTE,
  type Member,
  members,
  ndjson,
  ndjsonStart,
  numbered,
  objectOf,
  type Row,
  rows,
} from './member.ts';

const HEADER = 'address,beds,baths\n';
/** Metadata of 2 KB. */
const MUCH = { a: 'a'.repeat(500), b: 'b'.repeat(500), c: 'c'.repeat(500), d: 'd'.repeat(500) };
const LONG_ROW = `{"address":"a","beds":1,"baths":1${' '.repeat(8_000)}}\n`;
const FOUR = { lanes: 4 };
const MISSING = { missingBytes: 100 * MEBIBYTE };
const TOO_MANY = { told: 'too_many_imports', lanes: 50, ...MISSING };
const EMPTY = { told: 'import_failed', ...FOUR };
const INVALID = { told: 'validation_failed', ...FOUR };
const CROWD = { told: 'too_many_imports', lanes: 16 };

const IMPORT = 'POST /imports';
const ATOMIC = `${IMPORT}?atomic=true`;
const DRY_RUN = `${IMPORT}?dryRun=true`;

const HELD: readonly Row[] = [
  [
    'held-atomic-photos',
    ATOMIC,
    ndjsonStart(() => `{"photos":${arrayOf(99, '0')}}\n`.repeat(9_999)),
    { ...TOO_MANY, lanes: 7, missingBytes: MEBIBYTE },
  ],
  ['held-long-lines', IMPORT, ndjsonStart(() => 'a'.repeat(MEBIBYTE - 1)), { ...TOO_MANY, lanes: 150 }],
  ['held-failing-rows', IMPORT, ndjsonStart(() => '{}\n'.repeat(10_000)), TOO_MANY],
  ['held-dry-runs', DRY_RUN, ndjsonStart(() => rows(100)), TOO_MANY],
  ['trickled-uploads', IMPORT, json(() => '['), { ...TOO_MANY, lanes: 100, manner: 'trickle' }],
];

const IDS = `${'id,'.repeat(40_000)}\n`;

/** Attacks with files that are small when compressed, but much larger when decompressed. */
const BOMBS: readonly Row[] = [
  ['csv-same-columns', `${IMPORT}?ignoreUnknown=true`, csv(() => ','.repeat(160_000) + IDS), INVALID],
  ['csv-unknown-columns', IMPORT, csv(() => `${numbered(65_000, 'adress')}\n`), INVALID],
  ['csv-blank-lines', IMPORT, csv(() => HEADER + '\n'.repeat(MEBIBYTE)), EMPTY],
  ['csv-one-record-of-commas', IMPORT, csv(() => HEADER + ','.repeat(MEBIBYTE)), FOUR],
  ['csv-open-quote', IMPORT, csv(() => `${HEADER}"${'a'.repeat(2 * MEBIBYTE)}`)],
  ['ndjson-one-line', IMPORT, ndjson(() => 'a'.repeat(4 * MEBIBYTE))],
  ['ndjson-blank-lines', IMPORT, ndjson(() => '\n'.repeat(4 * MEBIBYTE)), EMPTY],
  ['ndjson-failing-rows', IMPORT, ndjson(() => '{}\n'.repeat(MEBIBYTE / 3)), FOUR],
  ['ndjson-unknown-members', IMPORT, ndjson(() => `${objectOf(1_000, 'adress')}\n`.repeat(60))],
  ['array-white-space', IMPORT, array(() => `[${' '.repeat(4 * MEBIBYTE)}`)],
  ['packed-twice', IMPORT, ndjson(() => gzipSync(Buffer.alloc(64 * MEBIBYTE))), { told: 'import_failed' }],
  ['atomic-failing-rows', ATOMIC, ndjson(() => '{"photos":[0]}\n'.repeat(9_999)), FOUR],
  ['atomic-64-mebibytes', ATOMIC, ndjson(() => rows(9_900, { description: 'a'.repeat(4_000), metadata: MUCH })), FOUR],
  ['atomic-too-large', ATOMIC, ndjson(() => LONG_ROW.repeat(9_000)), { lanes: 2, told: 'payload_too_large' }],
  ['dry-run-loop', DRY_RUN, ndjson(() => rows(2_000)), CROWD],
  ['left-blank-lines', IMPORT, csv(() => HEADER + '\n'.repeat(4 * MEBIBYTE)), { manner: 'leave' }],
  ['left-dry-runs', DRY_RUN, ndjson(() => rows(40_000)), { manner: 'leave', lanes: 2, untold: 'too_many_imports' }],
];

const EVEN = ndjson(() => rows(10_000, { beds: 1 }, (index) => `A-${index}`));
const ODD = ndjson(() => rows(10_000, { beds: 2 }, (index) => `A-${index}`));
const updates = (turn: number) => (turn % 2 === 0 ? EVEN : ODD)(turn);

const FEED = 'PUT /feeds/mls';
const FEEDS: readonly Row[] = [
  ['feed-changes', FEED, updates, { lanes: 8, told: 'feed_busy' }],
  // This attack comes before the account reaches its limit of feeds.
  ['left-feed-runs', 'PUT /feeds/left', ndjson(() => rows(40_000, {}, String)), { ...FOUR, manner: 'leave' }],
  ['feed-of-many-names', (_, turn) => `PUT /feeds/f-${turn}`, ndjson(() => '{}'), { lanes: 8, told: 'quota_exceeded' }],
  ['feed-failing-rows', `${FEED}?failedMax=100%25`, ndjson(() => '{}\n'.repeat(MEBIBYTE / 3)), FOUR],
  ['feed-dry-runs', `${FEED}?dryRun=true`, ndjson(() => rows(2_000, {}, String)), CROWD],
];

const WRITTEN: readonly Row[] = [
  ['atomic-creates', ATOMIC, ndjson(() => rows(10_000)), FOUR],
  ['atomic-updates', ATOMIC, updates, { lanes: 8 }],
  ['import-creates', IMPORT, ndjson(() => rows(2_000)), { lanes: 8 }],
  ['left-atomic-creates', ATOMIC, ndjson(() => rows(10_000)), { lanes: 8, manner: 'leave' }],
];

export const uploads: readonly Member[] = members('full', [...HELD, ...BOMBS, ...WRITTEN, ...FEEDS]);
