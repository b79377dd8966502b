import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { type BulkRound, type BulkRow, summarizeBulk } from './bulk.ts';
import { type ListingBody, listingSource } from './listings.ts';
import { watchNeighbours } from './neighbours.ts';
import { type Place, say } from './place.ts';
import { residentBytesOf, watchPeak } from './process-stats.ts';
import type { Scenario } from './scenario-kinds.ts';
import { type Account, createAccount, type Service, startService } from './service.ts';

export const IMPORT_ROWS = 100_000;
export const IMPORT = `import of ${IMPORT_ROWS.toLocaleString('en-US')} CSV rows`;
const SEED = 7;

/**
 * Imports a file into an empty account. Each round uses a new account and restarts the service.
 * @param neighbours the requests of other accounts during the import
 */
export async function measureImports(place: Place, neighbours: readonly Scenario[]): Promise<BulkRow> {
  const file = makeFile(makeListings(IMPORT_ROWS));
  const rounds: BulkRound[] = [];
  for (let round = 1; round <= place.rounds; round += 1) {
    say(`round ${round} of ${place.rounds} with an import`);
    const account = await createAccount(place, `Bench import ${round}`);
    const service = await startService(place);
    let measured = { perSecond: Number.NaN, firstByteMs: undefined, memoryGrowthBytes: Number.NaN };
    const watched = await watchNeighbours(service, neighbours, place.seconds, async () => {
      measured = await importFile(service, account, file);
    });
    rounds.push({ readyMs: service.readyMs, measured, watched });
    await service.stop();
  }
  return summarizeBulk(IMPORT, rounds);
}

async function importFile({ port, pid }: Service, { key }: Account, file: Buffer) {
  const memoryBefore = residentBytesOf(pid) ?? Number.NaN;
  const startedAt = performance.now();
  const { result, peakBytes } = await watchPeak(pid, () => sendFile(port, key, 'POST', '/v1/imports', file));
  const seconds = (performance.now() - startedAt) / 1000;
  if (JSON.parse(result).created !== IMPORT_ROWS) {
    throw new Error(`${IMPORT}: got ${result.slice(0, 1000)}`);
  }
  return { perSecond: IMPORT_ROWS / seconds, firstByteMs: undefined, memoryGrowthBytes: peakBytes - memoryBefore };
}

/** Sends a CSV file. @returns the body of the response */
export async function sendFile(
  port: number,
  key: string,
  method: 'POST' | 'PUT',
  path: string,
  file: Buffer,
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'text/csv', 'Content-Length': file.length };
  request({ host: '127.0.0.1', port, method, path, headers, agent: false }, resolve).once('error', reject).end(file);
  return text(await promise);
}

export function makeListings(rows: number): ListingBody[] {
  return Array.from({ length: rows }, listingSource(SEED, 'IMPORTED'));
}

/** Formats listings as CSV, as a spreadsheet would save them. */
export function makeFile(listings: readonly ListingBody[]): Buffer {
  const columns = [...new Set(listings.flatMap((listing) => Object.keys(listing)))];
  const pieces = [Buffer.from(`${columns.join()}\r\n`)];
  for (const listing of listings)
    pieces.push(Buffer.from(`${columns.map((column) => toCell(listing[column])).join()}\r\n`));
  return Buffer.concat(pieces);
}

function toCell(value: ListingBody[string]): string {
  if (value === undefined) return '';
  const cell = typeof value === 'string' ? value : JSON.stringify(value);
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
