import { kept, type Member, type More, plain, request, type Scene } from './member.ts';
import { jsonOf, numbered } from './uploads.ts';
import { list } from './writes.ts';

const LINE_BYTES = 12_500;
const NDJSON_LIST: More = { headers: () => ['Accept: application/x-ndjson'] };
const PACKED_LIST: More = { headers: () => ['Accept-Encoding: gzip, br'] };
const TWENTY_WORDS =
  'bright corner home open kitchen new roof window quiet street short walk park school large garden old tree shed a';
const listing = ({ listingId }: Scene) => `/listings/${listingId}`;

const READS: readonly (readonly [name: string, path: Parameters<typeof request>[2], more?: More])[] = [
  ['unknown-parameters', `/listings?${parameters(3_000, (index) => `${index.toString(36)}=`)}`],
  ['search-nothing', '/listings?limit=20&q=zzzz', { lanes: 64 }],
  ['search-everything', '/listings?limit=20&q=a', { lanes: 64 }],
  ['search-by-price', '/listings?limit=20&q=a&sort=-listPrice', { lanes: 64 }],
  ['search-twenty-words', `/listings?limit=20&q=${encodeURIComponent(TWENTY_WORDS)}`, { lanes: 64 }],
  ['search-the-world', '/listings?limit=20&near=0,0&radius=20000km', { lanes: 64 }],
  ['count', '/listings?limit=1&count=true&q=a', { lanes: 64 }],
  ['too-many-searches', '/listings?q=a&sort=-listPrice&fields=id', { lanes: 400, told: 'unavailable' }],
  ['search-all-sorted', '/listings?q=a&sort=-listPrice', { lanes: 32 }],
  ['pages-of-1000', '/listings?limit=1000', { lanes: 32 }],
  ['complete-lists', '/listings', { lanes: 200 }],
  ['complete-lists-packed', '/listings', { lanes: 200, ...PACKED_LIST }],
  ['complete-lists-read-slowly', '/listings', { lanes: 200, manner: 'sip', ...NDJSON_LIST }],
  ['complete-lists-never-read', '/listings', { lanes: 200, manner: 'deaf', ...NDJSON_LIST }],
  ['complete-lists-left', '/listings?sort=listPrice', { lanes: 100, manner: 'leave' }],
  ['long-polls', ({ sequence }) => `/events?wait=60&after=${sequence}`, { lanes: 500 }],
  ['events-from-0', '/events?limit=1000', { lanes: 50 }],
  ['accept-monster', '/listings?limit=1', { headers: () => [`Accept: ${list('a/b;q=0.1')}`] }],
  ['if-none-match-monster', listing, { headers: () => [`If-None-Match: ${list('W/"9"')}`] }],
  ['long-cursor', `/listings?limit=1&cursor=${'a'.repeat(LINE_BYTES)}`, { told: 'invalid_cursor' }],
];

export const reads: readonly Member[] = [
  ...READS.map(([name, path, more]) => request([name, 'read'], 'GET', path, undefined, more)),
  request(['head-lists', 'read'], 'HEAD', '/listings', undefined, { lanes: 64 }),
  request(
    ['forbidden-bodies', 'read'],
    'POST',
    '/listings',
    kept(() => plain(jsonOf(numbered(65_000, 'adress')))),
    {
      told: 'insufficient_scope',
    },
  ),
];

/** As much as fits into a request line. */
function parameters(count: number, make: (index: number) => string): string {
  const all = Array.from({ length: count }, (_, index) => make(index)).join('&');
  return all.slice(0, LINE_BYTES).replace(/&[^&]*$/, '');
}
