import { isBrowserPage } from './options.ts';
import type { Operation } from './transport.ts';
import type { ImportRow } from './types.ts';
import { toBody, toWholeBody } from './upload.ts';

export type ImportFormat = 'ndjson' | 'csv' | 'json';

/** A row, or an arbitrary chunk of a file. */
type Part = ImportRow | string | Uint8Array;

/**
 * Rows, or the content of a file. A string is content, not a file name; a Node.js stream, such as
 * `fs.createReadStream(…)`, is an async iterable.
 */
export type ImportSource =
  | string
  | Uint8Array
  | Blob
  | ReadableStream<Uint8Array>
  | Iterable<Part>
  | AsyncIterable<Part>;

export interface ImportFileOptions {
  /**
   * Default: determined by the name or type of a `File` or `Blob`, or by the first character of a string (a string
   * of CSV needs `format`); NDJSON for all other sources.
   */
  format?: ImportFormat | undefined;
  /** Saves all rows or none; at most 10,000 rows and 64 MiB. */
  atomic?: boolean | undefined;
  /** Changes nothing, and reports what the import would do. */
  dryRun?: boolean | undefined;
}

const TYPES: Record<ImportFormat, string> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  json: 'application/json',
};

/** Rows are sent in chunks of about this many characters. The first row after `CHUNK_WAIT_MS` ends a chunk. */
const CHUNK_LENGTH = 64 * 1024;
const CHUNK_WAIT_MS = 100;

/** Prepares an import: headers, body, and whether it can be retried. */
export function toImportFile(
  source: ImportSource,
  options: ImportFileOptions,
): Pick<Operation, 'headers' | 'body' | 'repeat'> {
  checkSource(source);
  const { format = formatOf(source), atomic, dryRun } = options;
  const headers = { 'Content-Type': TYPES[format], ...(isGzip(source) && { 'Content-Encoding': 'gzip' }) };
  const open = opener(source, format);
  // The body is buffered so that the import can be retried with its Idempotency-Key. A dry run does not need a key.
  if (atomic) return { headers, body: toWholeBody(open), ...(dryRun && { repeat: 'always' }) };
  const repeat = dryRun ? 'always' : 'unread';
  // Not all browsers can stream a body; some send the string "[object ReadableStream]" instead.
  const body = isBrowserPage() ? toWholeBody(open, Infinity) : toBody(open);
  return { headers, body, repeat: isRepeatable(source) ? repeat : 'never' };
}

/** @throws {TypeError} for common mistakes: a file name, or a single row */
function checkSource(source: ImportSource): void {
  if (typeof source === 'string') {
    if (/^\s*([{[]|$)|[\r\n]/.test(source)) return;
    throw new TypeError('Pass the content of a file; this string has no line break.');
  }
  const given = Object(source);
  if (given instanceof Blob || given instanceof ReadableStream) return;
  if (Symbol.iterator in given || Symbol.asyncIterator in given) return;
  throw new TypeError('Pass rows or a file; pass a single row as [row].');
}

function opener(source: ImportSource, format: ImportFormat): () => AsyncIterable<Uint8Array> {
  if (source instanceof Blob) return () => readStream(source.stream());
  if (source instanceof ReadableStream) return () => readStream(source);
  const parts = typeof source === 'string' || source instanceof Uint8Array ? [source] : source;
  return () => toBytes(parts, format);
}

/** An object that is its own iterator can be read only once. */
function isRepeatable(source: ImportSource): boolean {
  if (typeof source === 'string' || source instanceof Blob) return true;
  return Symbol.iterator in source && Object(source[Symbol.iterator]()) !== source;
}

/** Uses a reader, because some platforms cannot iterate over streams. */
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
    const isDue = text.length >= CHUNK_LENGTH || performance.now() - sentAtMs >= CHUNK_WAIT_MS;
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
  if (format !== 'ndjson') throw new TypeError(`Objects are sent as ndjson, not ${format}. Omit format.`);
  return `${JSON.stringify(part)}\n`;
}

/** @throws {TypeError} if the format is unknown, because a CSV file sent as NDJSON would fail on every line */
function formatOf(source: ImportSource): ImportFormat {
  const hint = hintOf(source);
  if (/csv$/i.test(hint)) return 'csv';
  if (/(^|\/)json$/i.test(hint)) return 'json';
  if (/(ndjson|jsonl)$/i.test(hint)) return 'ndjson';
  throw new TypeError("The format is unknown. Set format to 'csv', 'json', or 'ndjson'.");
}

function hintOf(source: ImportSource): string {
  if (typeof source === 'string') return TEXT_FORMATS[source.trim().charAt(0)] ?? '';
  if (!(source instanceof Blob)) return 'ndjson';
  return /\.(csv|json|ndjson|jsonl)(\.gz)?$/i.exec(nameOf(source))?.[1] ?? source.type.split(';')[0] ?? '';
}

/** The format that a string's first character indicates. An empty string is a file without rows. */
const TEXT_FORMATS: Record<string, ImportFormat> = { '{': 'ndjson', '[': 'json', '': 'ndjson' };

function isGzip(source: ImportSource): boolean {
  return source instanceof Blob && /\.gz$/i.test(nameOf(source));
}

/** Does not use the global `File`, because some platforms do not have it. */
function nameOf(blob: Blob): string {
  return 'name' in blob ? String(blob.name) : '';
}
