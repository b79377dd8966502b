import { randomUUID } from 'node:crypto';
import { type Draft, JSON_TYPE, kept, type Member, type More, plain, request, type Scene } from './member.ts';
import { jsonOf, numbered } from './uploads.ts';

const MEBIBYTE = 1024 * 1024;
const LISTING = { address: '1 Elm Street', beds: 3, baths: 2 };
const HEADER_BYTES = 15_000;

/** A listing of 225 KB, as large as photos make it. */
export const LARGE = {
  ...LISTING,
  photos: numbered(100, `https://example.com/${'a'.repeat(1_960)}`).map((url) => ({ url, caption: 'b'.repeat(200) })),
};

/** Bodies of nearly a megabyte. */
const BODIES: readonly (readonly [name: string, make: () => string, told?: string])[] = [
  ['post-unknown-members', () => jsonOf(numbered(65_000, 'adress')), 'validation_failed'],
  ['post-digits', () => `{"listPrice":${'1'.repeat(MEBIBYTE - 100)}}`],
  ['post-deep', () => '['.repeat(MEBIBYTE - 100), 'invalid_json'],
  ['post-marks', () => `{"address":"${'\u0327\u0301\u0323\u0316'.repeat(120_000)}"}`, 'validation_failed'],
  ['post-same-members', () => `{${numbered(80_000, '"beds":1', false)}}`, 'invalid_json'],
  [
    'post-metadata',
    () => JSON.stringify({ ...LISTING, metadata: JSON.parse(jsonOf(numbered(70_000, 'm'))) }),
    'validation_failed',
  ],
];

const small = (body: object): Draft => kept(() => plain(JSON.stringify(body)));
const anew = () => [`Idempotency-Key: ${randomUUID()}`];
const listing = ({ listingId }: Scene) => `/listings/${listingId}`;

/** Writes, one after the other. */
const LOOPS: readonly (readonly [
  name: string,
  method: string,
  path: Parameters<typeof request>[2],
  draft: Draft | undefined,
  more: More,
])[] = [
  ['create-loop', 'POST', '/listings', small(LISTING), { lanes: 32 }],
  ['create-large-loop', 'POST', '/listings', small(LARGE), { lanes: 8 }],
  [
    'patch-large-with-new-keys',
    'PATCH',
    ({ largeId }) => `/listings/${largeId}`,
    small({ beds: 3 }),
    { lanes: 32, headers: anew },
  ],
  [
    'patch-large-loop',
    'PATCH',
    ({ largeId }) => `/listings/${largeId}`,
    (turn) => plain(JSON.stringify({ beds: turn % 99 })),
    { lanes: 32 },
  ],
  ['put-loop', 'PUT', (_, turn) => `/listings/external/P-${turn % 500}`, small(LISTING), { lanes: 32 }],
  [
    'same-idempotency-key',
    'POST',
    '/listings',
    small(LISTING),
    { lanes: 100, headers: () => ['Idempotency-Key: same'] },
  ],
  ['if-match-monster', 'PATCH', listing, small({ beds: 1 }), { headers: () => [`If-Match: ${list('"1"')}`] }],
  [
    'post-too-large',
    'POST',
    '/listings',
    kept(() => plain(' '.repeat(1_000))),
    { missingBytes: 2 * MEBIBYTE, told: 'payload_too_large' },
  ],
  [
    'trickled-bodies',
    'POST',
    '/listings',
    kept(() => plain('{', JSON_TYPE)),
    { lanes: 200, manner: 'trickle', missingBytes: 50_000 },
  ],
];

export const writes: readonly Member[] = [
  ...BODIES.map(([name, make, told]) =>
    request(
      [name, 'full'],
      'POST',
      '/listings',
      kept(() => plain(make())),
      { lanes: 4, ...(told && { told }) },
    ),
  ),
  ...LOOPS.map(([name, method, path, draft, more]) => request([name, 'full'], method, path, draft, more)),
];

/** A header's value as long as it may be. */
export function list(value: string): string {
  return `${value},`.repeat(HEADER_BYTES / (value.length + 1)).slice(0, -1);
}
