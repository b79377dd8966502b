import { randomUUID } from 'node:crypto';
import {
  arrayOf,
  freshJson,
  json,
  list,
  MEBIBYTE,
  type Member,
  members,
  numbered,
  objectOf,
  type Row,
  type Scene,
} from './member.ts';
import { uploads } from './uploads.ts';
import { visitors } from './visitors.ts';

const LINE_LENGTH = 12_500;
const WORDS =
  'bright corner home open kitchen new roof window quiet street walk park school large garden old tree shed a b';
const LIST = 'GET /listings';
const MANY = { lanes: 64 };
const CROWD = { lanes: 200 };
const asLines = () => ['Accept: application/x-ndjson'];
const packed = () => ['Accept-Encoding: gzip, br'];
const listing = ({ listingId }: Scene) => `GET /listings/${listingId}`;
const waiting = ({ sequence }: Scene) => `GET /events?wait=60&after=${sequence}`;

const PARAMETERS = Array.from({ length: LINE_LENGTH }, (_, index) => `${index.toString(36)}=`).join('&');
const UNKNOWN_PARAMETERS = PARAMETERS.slice(0, LINE_LENGTH).replace(/&[^&]*$/, '');

const READS: readonly Row[] = [
  ['unknown-parameters', `${LIST}?${UNKNOWN_PARAMETERS}`],
  ['search-nothing', `${LIST}?limit=20&q=zzzz`, undefined, MANY],
  ['search-everything', `${LIST}?limit=20&q=a`, undefined, MANY],
  ['search-by-price', `${LIST}?limit=20&q=a&sort=-listPrice`, undefined, MANY],
  ['search-twenty-words', `${LIST}?limit=20&q=${WORDS.replaceAll(' ', '+')}`, undefined, MANY],
  ['search-the-world', `${LIST}?limit=20&near=0,0&radius=20000km`, undefined, MANY],
  ['count', `${LIST}?limit=1&count=true&q=a`, undefined, MANY],
  ['too-many-searches', `${LIST}?q=a&sort=-listPrice&fields=id`, undefined, { lanes: 600, told: 'unavailable' }],
  ['search-all-sorted', `${LIST}?q=a&sort=-listPrice`, undefined, { lanes: 32 }],
  ['pages-of-1000', `${LIST}?limit=1000`, undefined, { lanes: 32 }],
  ['complete-lists', LIST, undefined, CROWD],
  ['complete-lists-packed', LIST, undefined, { ...CROWD, headers: packed }],
  ['complete-lists-read-slowly', LIST, undefined, { ...CROWD, manner: 'sip', headers: asLines }],
  ['complete-lists-never-read', LIST, undefined, { ...CROWD, manner: 'deaf', headers: asLines }],
  ['complete-lists-left', `${LIST}?sort=listPrice`, undefined, { lanes: 100, manner: 'leave' }],
  ['head-lists', 'HEAD /listings', undefined, MANY],
  ['long-polls', waiting, undefined, { lanes: 500 }],
  ['events-from-0', 'GET /events?limit=1000', undefined, { lanes: 50 }],
  ['accept-monster', `${LIST}?limit=1`, undefined, { headers: () => [`Accept: ${list('a/b;q=0.1')}`] }],
  ['if-none-match-monster', listing, undefined, { headers: () => [`If-None-Match: ${list('W/"9"')}`] }],
  ['long-cursor', `${LIST}?limit=1&cursor=${'a'.repeat(LINE_LENGTH)}`, undefined, { told: 'invalid_cursor' }],
  ['forbidden-bodies', 'POST /listings', json(() => objectOf(65_000, 'adress')), { told: 'insufficient_scope' }],
];

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

/** Attacks with bodies of nearly a megabyte each. */
const BODIES: readonly Row[] = [
  ['post-unknown-members', CREATE, json(() => objectOf(65_000, 'adress')), { lanes: 4, told: 'too_long' }],
  ['post-digits', CREATE, json(() => `{"listPrice":${'1'.repeat(MEBIBYTE - 100)}}`), INVALID],
  ['post-deep', CREATE, json(() => '['.repeat(MEBIBYTE - 100)), BROKEN],
  ['post-marks', CREATE, json(() => `{"address":"${'\u0327\u0301\u0323\u0316'.repeat(120_000)}"}`), INVALID],
  ['post-same-members', CREATE, json(() => `{${'"beds":1,'.repeat(80_000)}"baths":1}`), BROKEN],
  ['post-metadata', CREATE, json(() => `{"address":"1 Elm Street","metadata":${objectOf(70_000, 'm')}}`), INVALID],
  ['post-photos', CREATE, json(() => `{"photos":${arrayOf(80_000, '{"url":1}')}}`), INVALID],
];

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

/** Attacks that enlarge the account come last. */
export const corpus: readonly Member[] = [
  ...members('read', READS),
  ...visitors,
  ...members('full', [...BODIES, ...LOOPS]),
  ...uploads,
];
