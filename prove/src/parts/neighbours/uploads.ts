import { gzipSync } from 'node:zlib';
import { CSV, JSON_TYPE, kept, type Member, type More, NDJSON, packed, packedStart, request } from './member.ts';

const MEBIBYTE = 1024 * 1024;
/** Metadata of 2 KB. */
const MUCH = { a: 'a'.repeat(500), b: 'b'.repeat(500), c: 'c'.repeat(500), d: 'd'.repeat(500) };
const HEADER = 'address,beds,baths\n';
/** One of a body that never ends. */
const ENDLESS: More = { missingBytes: 100 * MEBIBYTE };

/** Files of a few kilobytes on the wire that unpack to a megabyte or more, sent again and again. */
const BOMBS: readonly (readonly [
  name: string,
  type: string,
  make: () => string | Buffer,
  more?: More,
  query?: string,
])[] = [
  [
    'csv-same-columns',
    CSV,
    () => `${','.repeat(160_000)}${'id,'.repeat(40_000)}\n`,
    { lanes: 4 },
    '?ignoreUnknown=true',
  ],
  [
    'csv-unknown-columns',
    CSV,
    () => `${numbered(65_000, 'adress').join(',')}\n`,
    { lanes: 4, told: 'validation_failed' },
  ],
  ['csv-blank-lines', CSV, () => HEADER + '\n'.repeat(MEBIBYTE), { lanes: 4, told: 'import_failed' }],
  ['csv-one-record-of-commas', CSV, () => HEADER + ','.repeat(MEBIBYTE), { lanes: 4 }],
  ['csv-open-quote', CSV, () => `${HEADER}"${'a'.repeat(2 * MEBIBYTE)}`],
  ['ndjson-one-line', NDJSON, () => 'a'.repeat(4 * MEBIBYTE)],
  ['ndjson-blank-lines', NDJSON, () => '\n'.repeat(4 * MEBIBYTE), { lanes: 4, told: 'import_failed' }],
  ['ndjson-failing-rows', NDJSON, () => '{}\n'.repeat(MEBIBYTE / 3), { lanes: 4 }],
  ['ndjson-unknown-members', NDJSON, () => `${jsonOf(numbered(1_000, 'adress'))}\n`.repeat(60)],
  ['array-white-space', JSON_TYPE, () => `[${' '.repeat(4 * MEBIBYTE)}`],
  ['packed-twice', NDJSON, () => gzipSync(Buffer.alloc(64 * MEBIBYTE), { level: 9 }), { told: 'import_failed' }],
  ['atomic-failing-rows', NDJSON, () => '{"photos":[0]}\n'.repeat(9_999), { lanes: 4 }, '?atomic=true'],
  [
    'atomic-64-mebibytes',
    NDJSON,
    () => rows(9_900, { description: 'a'.repeat(4_000), metadata: MUCH }),
    { lanes: 4 },
    '?atomic=true',
  ],
  [
    'atomic-too-large',
    NDJSON,
    () => `{"address":"a","beds":1,"baths":1${' '.repeat(8_000)}}\n`.repeat(9_000),
    { lanes: 2, told: 'payload_too_large' },
    '?atomic=true',
  ],
  ['dry-run-loop', NDJSON, () => rows(2_000), { lanes: 16, told: 'too_many_imports' }, '?dryRun=true'],
  ['left-blank-lines', CSV, () => HEADER + '\n'.repeat(4 * MEBIBYTE), { manner: 'leave' }],
  ['left-dry-runs', NDJSON, () => rows(10_000), { manner: 'leave' }, '?dryRun=true'],
];

/** Files whose ends never come. */
const HELD: readonly (readonly [name: string, type: string, make: () => string, more: More, query?: string])[] = [
  [
    'held-atomic-photos',
    NDJSON,
    () => `{"photos":[${numbered(99, '0', false)}]}\n`.repeat(9_999),
    { lanes: 7, missingBytes: MEBIBYTE },
    '?atomic=true',
  ],
  ['held-long-lines', NDJSON, () => 'a'.repeat(MEBIBYTE - 1), { lanes: 150, told: 'too_many_imports' }],
  ['held-failing-rows', NDJSON, () => '{}\n'.repeat(10_000), { lanes: 50, told: 'too_many_imports' }],
  ['held-dry-runs', NDJSON, () => rows(100), { lanes: 50, told: 'too_many_imports' }, '?dryRun=true'],
  ['trickled-uploads', CSV, () => HEADER, { lanes: 100, manner: 'trickle', told: 'too_many_imports' }],
];

/** Files that are written, each time with other values. */
const WRITTEN: readonly (readonly [name: string, make: (turn: number) => string, more: More, query?: string])[] = [
  ['atomic-creates', () => rows(10_000), { lanes: 4 }, '?atomic=true'],
  [
    'atomic-updates',
    (turn) => rows(10_000, { beds: turn % 100 }, (index) => `A-${index}`),
    { lanes: 8 },
    '?atomic=true',
  ],
  ['import-creates', () => rows(2_000), { lanes: 8 }],
  ['left-atomic-creates', () => rows(10_000), { lanes: 8, manner: 'leave' }, '?atomic=true'],
];

export const uploads: readonly Member[] = [
  ...HELD.map(([name, type, make, more, query = '']) =>
    request(
      [name, 'full'],
      'POST',
      `/imports${query}`,
      kept(() => packedStart(type, make())),
      { ...ENDLESS, ...more },
    ),
  ),
  ...BOMBS.map(([name, type, make, more, query = '']) =>
    request(
      [name, 'full'],
      'POST',
      `/imports${query}`,
      kept(() => packed(type, make())),
      more,
    ),
  ),
  ...WRITTEN.map(([name, make, more, query = '']) => {
    const drafts = [kept(() => packed(NDJSON, make(0))), kept(() => packed(NDJSON, make(1)))];
    return request(
      [name, 'full'],
      'POST',
      `/imports${query}`,
      (turn) => drafts[turn % 2]?.(turn) ?? packed(NDJSON, make(turn)),
      more,
    );
  }),
];

/** Listings, a line each. */
function rows(count: number, more: object = {}, externalIdOf?: (index: number) => string): string {
  const lines = Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      ...{ address: `${index} Elm Street`, beds: 3, baths: 2 },
      ...(externalIdOf && { externalId: externalIdOf(index) }),
      ...more,
    }),
  );
  return lines.join('\n');
}

export function numbered(count: number, text: string, isNumbered = true): string[] {
  return Array.from({ length: count }, (_, index) => (isNumbered ? `${text}${index}` : text));
}

/** An object with such members. */
export function jsonOf(names: readonly string[]): string {
  return `{${names.map((name) => `"${name}":0`).join(',')}}`;
}
