import { randomUUID } from 'node:crypto';
import { freshJson, json, type Member, members, type Row, type Scene } from './member.ts';
import { arrayOf, list, MEBIBYTE, numbered, objectOf } from './texts.ts';

const LISTING = { address: '1 Elm Street', beds: 3, baths: 2 };
const CREATE = 'POST /listings';
const LANES = { lanes: 32 };
const INVALID = { lanes: 4, told: 'validation_failed' };
const BROKEN = { lanes: 4, told: 'invalid_json' };

export const LARGE = {
  ...LISTING,
  photos: numbered(100, `https://example.com/${'a'.repeat(1_960)}`).map((url) => ({ url, caption: 'b'.repeat(200) })),
};

const small = json(() => JSON.stringify(LISTING));
const beds = json(() => '{"beds":3}');
const freshBeds = freshJson((turn) => `{"beds":${turn % 99}}`);
const patch = ({ listingId }: Scene) => `PATCH /listings/${listingId}`;
const patchLarge = ({ largeId }: Scene) => `PATCH /listings/${largeId}`;
const put = (_: Scene, turn: number) => `PUT /listings/external/P-${turn % 500}`;
const newKey = () => [`Idempotency-Key: ${randomUUID()}`];
const sameKey = () => ['Idempotency-Key: same'];

/** Nearly a megabyte each. */
const BODIES: readonly Row[] = [
  ['post-unknown-members', CREATE, json(() => objectOf(65_000, 'adress')), { lanes: 4, told: 'too_long' }],
  ['post-digits', CREATE, json(() => `{"listPrice":${'1'.repeat(MEBIBYTE - 100)}}`), INVALID],
  ['post-deep', CREATE, json(() => '['.repeat(MEBIBYTE - 100)), BROKEN],
  ['post-marks', CREATE, json(() => `{"address":"${'\u0327\u0301\u0323\u0316'.repeat(120_000)}"}`), INVALID],
  ['post-same-members', CREATE, json(() => `{${'"beds":1,'.repeat(80_000)}"baths":1}`), BROKEN],
  ['post-metadata', CREATE, json(() => `{"address":"1 Elm Street","metadata":${objectOf(70_000, 'm')}}`), INVALID],
  ['post-photos', CREATE, json(() => `{"photos":${arrayOf(80_000, '{"url":1}')}}`), INVALID],
];

/** Repeated writes. */
const LOOPS: readonly Row[] = [
  ['create-loop', CREATE, small, LANES],
  ['create-large-loop', CREATE, json(() => JSON.stringify(LARGE))],
  ['patch-large-with-new-keys', patchLarge, beds, { ...LANES, headers: newKey }],
  ['patch-large-loop', patchLarge, freshBeds, LANES],
  ['put-loop', put, small, LANES],
  ['same-idempotency-key', CREATE, small, { lanes: 100, headers: sameKey }],
  ['if-match-monster', patch, beds, { headers: () => [`If-Match: ${list('"1"')}`] }],
  ['post-too-large', CREATE, small, { missingBytes: 2 * MEBIBYTE, told: 'payload_too_large' }],
  ['trickled-bodies', CREATE, json(() => '{'), { lanes: 200, manner: 'trickle', missingBytes: 50_000 }],
];

export const writes: readonly Member[] = members('full', [...BODIES, ...LOOPS]);
