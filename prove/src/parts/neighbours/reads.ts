import { json, type Member, members, type Row, type Scene } from './member.ts';
import { list, objectOf } from './texts.ts';

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

const READS: readonly Row[] = [
  ['unknown-parameters', `${LIST}?${unknownParameters()}`],
  ['search-nothing', `${LIST}?limit=20&q=zzzz`, undefined, MANY],
  ['search-everything', `${LIST}?limit=20&q=a`, undefined, MANY],
  ['search-by-price', `${LIST}?limit=20&q=a&sort=-listPrice`, undefined, MANY],
  ['search-twenty-words', `${LIST}?limit=20&q=${WORDS.replaceAll(' ', '+')}`, undefined, MANY],
  ['search-the-world', `${LIST}?limit=20&near=0,0&radius=20000km`, undefined, MANY],
  ['count', `${LIST}?limit=1&count=true&q=a`, undefined, MANY],
  ['too-many-searches', `${LIST}?q=a&sort=-listPrice&fields=id`, undefined, { lanes: 400, told: 'unavailable' }],
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

/** Requests with a read-only key. */
export const reads: readonly Member[] = members('read', READS);

function unknownParameters(): string {
  const all = Array.from({ length: LINE_LENGTH }, (_, index) => `${index.toString(36)}=`).join('&');
  return all.slice(0, LINE_LENGTH).replace(/&[^&]*$/, '');
}
