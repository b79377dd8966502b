import { isBrowserPage } from './options.ts';
import type { Operation } from './transport.ts';
import type { ImportRow } from './types.ts';
import { toBody, toWholeBody } from './upload.ts';

export type ImportFormat = 'ndjson' | 'csv' | 'json';

/** A row; or a piece of a file, wherever it was cut. */
type Part = ImportRow | string | Uint8Array;

/** Rows, or a file, of which a text is the content and not the name: `fs.createReadStream(…)` is an iterable of its pieces. */
export type ImportSource =
  | string
  | Uint8Array
  | Blob
  | ReadableStream<Uint8Array>
  | Iterable<Part>
  | AsyncIterable<Part>;

export interface ImportFileOptions {
  /** Of a file; default: what its name, its type or the beginning of a text says. Objects, and pieces, are NDJSON without it. */
  format?: ImportFormat | undefined;
  /** All rows or none; at most 10,000. */
  atomic?: boolean | undefined;
  /** Reports what would happen and changes nothing. */
  dryRun?: boolean | undefined;
}

const TYPES: Record<ImportFormat, string> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  json: 'application/json',
};

/** Rows go out together, but those that have come do not wait for more. */
const PIECE_LENGTH = 64 * 1024;
const PIECE_MS = 100;

/** How an import is sent, and when it may be sent again. */
export function toImportFile(
  source: ImportSource,
  options: ImportFileOptions,
): Pick<Operation, 'headers' | 'body' | 'repeat'> {
  checkSource(source);
  const { format = formatOf(source), atomic, dryRun } = options;
  const headers = { 'Content-Type': TYPES[format], ...(isGzip(source) && { 'Content-Encoding': 'gzip' }) };
  const open = opener(source, format);
  // Kept whole, it can be sent again with its Idempotency-Key; a dry run has none and needs none.
  if (atomic) return { headers, body: toWholeBody(open), ...(dryRun && { repeat: 'always' }) };
  const repeat = dryRun ? 'always' : 'unread';
  // Browsers cannot send a stream, and some would send its name instead.
  const body = isBrowserPage() ? toWholeBody(open, Infinity) : toBody(open);
  return { headers, body, repeat: canOpenAgain(source) ? repeat : 'never' };
}

/** @throws {TypeError} for what JavaScript lets pass: the name of a file, one row alone */
function checkSource(source: ImportSource): void {
  if (typeof source === 'string') {
    if (/^\s*([{[]|$)|[\r\n]/.test(source)) return;
    throw new TypeError('A text is the content of a file: this one has no line end. To send a file, open it.');
  }
  const given = Object(source);
  if (given instanceof Blob || given instanceof ReadableStream) return;
  if (Symbol.iterator in given || Symbol.asyncIterator in given) return;
  throw new TypeError('An import takes rows in an array or an iterable, or a file; give one row as [row].');
}

function opener(source: ImportSource, format: ImportFormat): () => AsyncIterable<Uint8Array> {
  if (source instanceof Blob) return () => readStream(source.stream());
  if (source instanceof ReadableStream) return () => readStream(source);
  const parts = typeof source === 'string' || source instanceof Uint8Array ? [source] : source;
  return () => toBytes(parts, format);
}

/** What is its own iterator can be read once. */
function canOpenAgain(source: ImportSource): boolean {
  if (typeof source === 'string' || source instanceof Blob) return true;
  return Symbol.iterator in source && Object(source[Symbol.iterator]()) !== source;
}

/** Not every platform can iterate over streams. */
async function* readStream(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = stream.getReader();
  try {
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      if (value !== undefined) yield value;
    }
  } finally {
    await reader.cancel();
  }
}

async function* toBytes(
  parts: Iterable<Part> | AsyncIterable<Part>,
  format: ImportFormat,
): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder();
  let text = '';
  let sentAtMs = performance.now();
  for await (const part of parts) {
    const bytes = part instanceof Uint8Array ? part : undefined;
    text += bytes === undefined ? toText(part, format) : '';
    const isDue = text.length >= PIECE_LENGTH || performance.now() - sentAtMs >= PIECE_MS;
    if (text !== '' && (isDue || bytes !== undefined)) {
      yield encoder.encode(text);
      text = '';
      sentAtMs = performance.now();
    }
    if (bytes !== undefined) yield bytes;
  }
  if (text !== '') yield encoder.encode(text);
}

function toText(part: Part, format: ImportFormat): string {
  if (typeof part === 'string') return part;
  if (format !== 'ndjson') throw new TypeError(`Objects are sent as ndjson, not as ${format}: leave format out.`);
  return `${JSON.stringify(part)}\n`;
}

/** @throws {TypeError} where nothing tells: a CSV file that is taken for NDJSON has a fault in each line */
function formatOf(source: ImportSource): ImportFormat {
  const hint = hintOf(source);
  if (/csv$/i.test(hint)) return 'csv';
  if (/(^|\/)json$/i.test(hint)) return 'json';
  if (/(ndjson|jsonl)$/i.test(hint)) return 'ndjson';
  throw new TypeError("Neither its name nor its type tells the file's format; give format: 'csv', 'json' or 'ndjson'.");
}

function hintOf(source: ImportSource): string {
  if (typeof source === 'string') return TEXT_FORMATS[source.trim().charAt(0)] ?? '';
  if (!(source instanceof Blob)) return 'ndjson';
  return /\.(csv|json|ndjson|jsonl)(\.gz)?$/i.exec(nameOf(source))?.[1] ?? source.type.split(';')[0] ?? '';
}

/** By how they begin; an empty text is a file without rows. */
const TEXT_FORMATS: Record<string, ImportFormat> = { '{': 'ndjson', '[': 'json', '': 'ndjson' };

function isGzip(source: ImportSource): boolean {
  return source instanceof Blob && /\.gz$/i.test(nameOf(source));
}

/** Node 18 and what is like it know no global `File`. */
function nameOf(blob: Blob): string {
  return 'name' in blob ? String(blob.name) : '';
}
