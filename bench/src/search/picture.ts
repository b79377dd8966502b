import { formatCount } from '../formats.ts';
import type { SearchResult } from './bench.ts';

const WIDTH = 860;
/** Where the bars begin and end. The rest is room for names and figures. */
const [LEFT, RIGHT] = [265, 790];
const [TOP, ROW_HEIGHT, BAR_HEIGHT] = [58, 34, 12];
/** Colors with enough contrast on white and on black. */
const [TEXT, SERVICE, PEER] = ['#737d87', '#2f81f7', '#bf6a02'];
/** The ends of the logarithmic scale, in requests per second. */
const [LEAST, MOST] = [1, 100_000];
const TICKS = [1, 10, 100, 1000, 10_000, 100_000];

/** Draws the requests per second of the service and its peer as bars (SVG). */
export function drawPicture(title: string, results: readonly SearchResult[]): string {
  const rows = results.filter(({ unit }) => unit === 'requests');
  const height = TOP + ROW_HEIGHT * rows.length;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height + 8}" font-family="system-ui, sans-serif" font-size="12" fill="${TEXT}">
<title>${title}</title>
<text x="0" y="16" font-size="14" font-weight="600">${title}</text>
<rect x="0" y="28" width="12" height="12" fill="${SERVICE}"/><text x="18" y="38">Property Listings</text>
<rect x="140" y="28" width="12" height="12" fill="${PEER}"/><text x="158" y="38">Fastify by hand</text>
${TICKS.map((tick) => drawTick(tick, height)).join('\n')}
${rows.map((row, index) => drawRow(row, TOP + ROW_HEIGHT * index)).join('\n')}
</svg>
`;
}

function drawTick(tick: number, height: number): string {
  const x = position(tick);
  return `<path d="M${x} 46V${height}" stroke="${TEXT}" stroke-opacity="0.3"/><text x="${x}" y="40" text-anchor="middle">${formatCount(tick)}</text>`;
}

function drawRow({ name, service, peer }: SearchResult, y: number): string {
  const bars = [
    drawBar(service.perSecond, y, SERVICE),
    peer === undefined ? '' : drawBar(peer.perSecond, y + BAR_HEIGHT, PEER),
  ];
  return `<text x="${LEFT - 8}" y="${y + BAR_HEIGHT + 4}" text-anchor="end">${name}</text>${bars.join('')}`;
}

function drawBar(perSecond: number, y: number, color: string): string {
  const end = position(perSecond);
  return `<rect x="${LEFT}" y="${y}" width="${end - LEFT}" height="${BAR_HEIGHT - 1}" fill="${color}"/><text x="${end + 5}" y="${y + BAR_HEIGHT - 2}" font-size="11">${formatCount(perSecond)}</text>`;
}

function position(perSecond: number): number {
  const share = Math.log(Math.max(perSecond, LEAST) / LEAST) / Math.log(MOST / LEAST);
  return Math.round(LEFT + share * (RIGHT - LEFT));
}
