import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatCount, formatMs, formatRatio, formatTable } from '../formats.ts';
import type { Target } from '../targets.ts';
import type { SearchResult, SearchResults } from './bench.ts';
import { drawPicture } from './picture.ts';
import type { Group } from './rows.ts';
import { CONNECTIONS } from './turns.ts';

const ROOT = join(import.meta.dirname, '../../..');
const PAGE = `\
# Performance

Reads and searches of one account, compared with a peer: the same API, written by hand with Fastify
and SQLite, with a table and the indexes that these searches need (\`bench/src/peer/\`). Both servers
have the same listings and send the same responses, which is checked before they are measured.

Pages have 20 listings. Requests differ in their values, so responses do not come from a cache,
except in the row *newest, repeated*. The complete list uses one connection, and all other rows use
${CONNECTIONS}. *÷ newest* and *÷ Fastify* are the throughput divided by that of the newest page and of the
peer. *Neighbor* is the p99 of another account's requests during the run. Each server runs on one
core, and the client runs on another.

\`npm run bench -- --search --peers --listings N\` takes these measurements with N listings, and writes
this page.`;
const HEADINGS = '|requests/s|p99, ms|Fastify, requests/s|p99, ms|÷ newest|÷ Fastify|neighbor, ms'.split('|');
const SIZES = [10_000, 100_000, 1_000_000];
/** The size of the account that the chart shows, if it was measured. */
const USUAL_SIZE = 100_000;

/** Writes docs/performance.md and its chart, with the newest results that include the peer for each account size. */
export function writePage(): void {
  const lines = readFileSync(join(ROOT, 'bench/results/search.jsonl'), 'utf8').trim().split('\n');
  const all: SearchResults[] = lines.map((line) => JSON.parse(line));
  const newest = SIZES.flatMap(
    (size) => all.findLast(({ listings, rows }) => listings === size && rows[0]?.peer) ?? [],
  );
  const pictured = newest.find(({ listings }) => listings === USUAL_SIZE) ?? newest[0];
  if (pictured === undefined) return;
  const title = `Requests per second in an account of ${formatCount(pictured.listings)} listings`;
  writeFileSync(join(ROOT, 'docs/images/searches.svg'), drawPicture(title, pictured.rows));
  const page = [PAGE, `![${title}](images/searches.svg)`, ...newest.map(formatResults)];
  writeFileSync(join(ROOT, 'docs/performance.md'), `${page.join('\n\n')}\n`);
}

export function formatResults({ date, commit, machine, rounds, seconds, listings, rows }: SearchResults): string {
  const disturbed = rows.filter(({ isQuiet }) => !isQuiet).length;
  const cells = [HEADINGS, HEADINGS.map((_, column) => (column === 0 ? '---' : '---:')), ...rows.map(formatRow)];
  return `\
## ${formatCount(listings)} listings

${date.slice(0, 10)}, commit ${commit}, ${machine.cpu}, Node.js ${machine.node}; medians of ${rounds} rounds of ${seconds} s.
${disturbed === 0 ? 'The machine was otherwise idle.' : `Other processes disturbed ${disturbed} of ${rows.length} rows.`}

${formatTable(cells.map(([name, ...figures]) => [`| ${name}`, '|', ...figures.map((figure) => `${figure} |`)]))}`;
}

function formatRow({ name, unit, service, peer, ofNewest, ofPeer, neighbourP99Ms }: SearchResult): string[] {
  return [
    unit === 'listings' ? `${name} (${unit}/s)` : name,
    ...[formatCount(service.perSecond), formatMs(service.p99Ms)],
    ...[peer === undefined ? '-' : formatCount(peer.perSecond), formatMs(peer?.p99Ms)],
    unit === 'listings' ? '-' : formatRatio(ofNewest),
    ofPeer === undefined ? '-' : formatRatio(ofPeer),
    formatMs(neighbourP99Ms),
  ];
}

/** Minimum throughputs relative to the newest page, in accounts of up to 100,000 listings and in larger ones. */
const OF_NEWEST: Partial<Record<Group, [number, number]>> = {
  filter: [0.4, 0.35],
  'place or word': [0.2, 0.15],
  'three conditions': [0.1, 0.05],
};
const COUNTS_PER_SECOND = [300, 40] as const;
const OF_PEER = 1.2;
const NEIGHBOUR_P99_MS = 20;

export function listSearchTargets({ listings, rows }: SearchResults): Target[] {
  const size = listings <= USUAL_SIZE ? 0 : 1;
  const targets = rows.flatMap(({ name, group, service, ofNewest, ofPeer, neighbourP99Ms, isQuiet }): Target[] => {
    const atLeast = { limit: 'at least', unit: '', isQuiet } as const;
    const counts = group === 'count' ? COUNTS_PER_SECOND[size] : Number.NaN;
    return [
      { ...atLeast, name: `${name} ÷ newest`, value: OF_NEWEST[group]?.[size] ?? Number.NaN, got: ofNewest },
      { ...atLeast, name, value: counts, unit: '/s', got: service.perSecond },
      { ...atLeast, name: `${name} ÷ peer`, value: OF_PEER, got: ofPeer },
      {
        ...atLeast,
        name: `p99 of a neighbor: ${name}`,
        limit: 'at most',
        value: NEIGHBOUR_P99_MS,
        unit: 'ms',
        got: neighbourP99Ms,
      },
    ];
  });
  return targets.filter(({ value, got }) => !Number.isNaN(value) && got !== undefined);
}
