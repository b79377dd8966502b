import type { ListQuery, PropertyListings } from '@property-listings/client';
import { formatBytes, formatCount, ProgressLine } from './progress.ts';
import { toLine } from './terminal.ts';

const LINE_FEED = 10;
const QUOTE = 34;

/** Starts to show progress. If it would not be visible, returns undefined, and does not request the total. */
export async function startProgress(
  { listings }: PropertyListings,
  query: ListQuery,
  format: string,
  file: string | undefined,
): Promise<ExportProgress | undefined> {
  // Hide the progress if the list itself goes to the terminal, because the two would mix.
  if (!process.stderr.isTTY || (file === undefined && process.stdout.isTTY)) return undefined;
  if (format === 'geojson') return new ExportProgress(format, undefined);
  const { total } = await listings.list({ ...query, fields: ['id'], limit: 1, count: true });
  return new ExportProgress(format, total);
}

/** Counts the bytes that an export has written and, in formats with one listing per line or row, the listings. */
class ExportProgress {
  readonly #line = new ProgressLine('Exporting');
  readonly #format: string;
  readonly #total: number | undefined;
  #lines = 0;
  #bytes = 0;
  #isQuoted = false;

  constructor(format: string, total: number | undefined) {
    this.#format = format;
    this.#total = total;
  }

  async *watch(pieces: AsyncIterable<string | Uint8Array>): AsyncGenerator<string | Uint8Array> {
    try {
      for await (const piece of pieces) {
        yield piece;
        this.#count(typeof piece === 'string' ? Buffer.from(piece) : piece);
      }
    } finally {
      this.#line.clear();
    }
  }

  describe(file: string): string {
    const listings = this.#format === 'geojson' ? '' : `${formatCount(this.#listings)} listings, `;
    return `Exported ${listings}${formatBytes(this.#bytes)} to ${toLine(file)}.`;
  }

  get #listings(): number {
    // Subtract the CSV header, the last NDJSON line, or the JSON brackets.
    return Math.max(0, this.#lines - (this.#format === 'json' ? 2 : 1));
  }

  #count(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    if (this.#format === 'geojson') {
      this.#line.show({ done: this.#bytes, total: undefined, format: formatBytes });
      return;
    }
    this.#lines += this.#format === 'csv' ? this.#countCsvRows(bytes) : countLines(bytes);
    this.#line.show({ done: this.#listings, total: this.#total, format: formatCount });
  }

  /** A line feed inside quotes is part of a cell. */
  #countCsvRows(bytes: Uint8Array): number {
    let rows = 0;
    for (const byte of bytes) {
      if (byte === QUOTE) this.#isQuoted = !this.#isQuoted;
      else if (byte === LINE_FEED && !this.#isQuoted) rows += 1;
    }
    return rows;
  }
}

function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) lines += 1;
  return lines;
}
