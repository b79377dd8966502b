import type { MessagePort } from 'node:worker_threads';
import type { ImportRow, ValidRow } from '../../domain/imports/import-rows.ts';
import type { Cells } from '../../lib/csv.ts';
import { AppError, fromPlainError, type PlainError } from '../../model/errors.ts';
import type { FeedColumn } from '../../model/feeds.ts';
import type { Listing, ListingInput } from '../../model/listings.ts';
import { type KeepText, type StagedText, textOf } from '../../storage/open.ts';
import {
  mergeRow,
  type ParsedRow,
  type PatchError,
  toMergeError,
  toWholeListing,
} from '../contract/schemas/parse-row.ts';
import { readColumns } from './csv-header.ts';
import { CsvRowReader } from './csv-rows.ts';
import type {
  FileWarning,
  ReadBadRow,
  ReadGoodRow,
  ReadHeader,
  ReadingOptions,
  ReadingOrder,
  ReadingReport,
  ReadingRequest,
  ReadRow,
} from './reading.ts';

interface Batch {
  rows: ReadRow[];
  bytes: number;
}

/** A file in the serving thread. It sends the file's bytes to the reading thread, and receives the file's rows. */
export class FileReading {
  readonly #port: MessagePort;
  readonly #request: ReadingRequest;
  readonly #onClose: () => void;
  readonly #batches: Batch[] = [];
  /** The body; undefined until reading starts. */
  #chunks: AsyncGenerator<Buffer> | undefined;
  /** Whether the reading thread is waiting for a chunk. */
  #isReady = false;
  #end: { error: unknown } | 'end' | undefined;
  #bodyError: AppError | undefined;
  #wake: () => void = () => {};
  /** Set once all rows have been read, if it was requested. */
  fingerprint: string | undefined;
  /** Set once all rows have been read, if there are any warnings. */
  warnings: { warnings?: FileWarning[] } = {};
  /** The header of a CSV file. Set before the first row. */
  #header: ReadHeader | undefined;
  /** The names that the file's columns have in `describeValues`. */
  #names: string[] = [];
  #namesLength = 0;
  #reader: CsvRowReader | undefined;

  constructor(port: MessagePort, request: ReadingRequest, onClose: () => void) {
    this.#port = port;
    this.#request = request;
    this.#onClose = onClose;
    port.on('message', (report: ReadingReport) => this.#note(report));
    port.on('close', () => this.#finish({ error: threadEnded() }));
  }

  /** Like `readRows`, but yields rows that can be saved. */
  async *rows(...parameters: Parameters<FileReading['readRows']>): AsyncGenerator<ImportRow[]> {
    for await (const rows of this.readRows(...parameters))
      yield rows.map((row) => toImportRow(row, this.#request.mode));
  }

  /** Tells the reading thread which rows need not be read. Call this before `readRows`. */
  async sendKnown(known: AsyncIterable<string[]>): Promise<void> {
    if (this.#request.mediaType !== 'text/csv') return;
    for await (const hashes of known) this.#send({ is: 'known', hashes });
  }

  /** Reads the values of a known row in this thread. */
  readKnown(values: string): ReadBadRow | ReadGoodRow {
    if (this.#header === undefined) throw new Error('Only rows of CSV files can be known.');
    this.#reader ??= new CsvRowReader(this.#header, this.#request);
    return this.#reader.read({ line: 0, content: JSON.parse(values) }, true);
  }

  /** A row's own values as a JSON string, by column name for CSV; null if it could be longer than `lengthMax`. */
  describeValues(values: string, lengthMax: number): string | null {
    if (values.length + this.#namesLength > lengthMax) return null;
    if (this.#header === undefined) return values;
    const cells: Cells = JSON.parse(values);
    const named = cells.map((cell, index) => [this.#names[index] ?? columnNumber(index), cell ?? '']);
    return JSON.stringify(Object.fromEntries(named));
  }

  /** The columns that the feed's next file is compared with; undefined if this file is not CSV. */
  get columns(): FeedColumn[] | undefined {
    const { map, lastColumns = [] } = this.#request;
    return this.#header && readColumns(this.#header.cells, { map, lastColumns });
  }

  get separator(): ReadHeader['separator'] | undefined {
    return this.#header?.separator;
  }

  #takeHeader(header: ReadHeader): void {
    this.#header = header;
    this.#names = uniqueNames(header.cells);
    this.#namesLength = JSON.stringify(this.#names).length;
  }

  /**
   * Reads the bytes from `open`, and yields the file's rows in batches.
   * @param onBytes called with the decompressed size of each batch; can throw to stop reading
   * @throws {AppError} for invalid bytes or rows, with the `line`, after all rows before that line; `unavailable` if
   * the thread has ended; or the reason of `signal`, immediately
   */
  async *readRows(
    open: (signal: AbortSignal) => AsyncGenerator<Buffer>,
    signal: AbortSignal,
    onBytes: (bytes: number) => void = () => {},
  ): AsyncGenerator<ReadRow[]> {
    const over = new AbortController();
    const chunks = open(AbortSignal.any([signal, over.signal]));
    this.#chunks = chunks;
    if (this.#isReady) void this.#feed(chunks);
    const onAbort = () => this.#wake();
    signal.addEventListener('abort', onAbort);
    try {
      for (;;) {
        signal.throwIfAborted();
        const batch = this.#batches.shift();
        if (batch !== undefined) {
          onBytes(batch.bytes);
          this.#send({ is: 'taken' });
          yield batch.rows;
        } else if (this.#end === 'end') return;
        else if (this.#end !== undefined) throw this.#end.error;
        else await this.#change();
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      over.abort(new AppError('invalid_header', 'The rest of the body is not read.'));
      void chunks.return(undefined).catch(() => {});
    }
  }

  [Symbol.dispose](): void {
    this.#port.close();
    this.#onClose();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #note(report: ReadingReport): void {
    if (report.is === 'ready') {
      this.#isReady = true;
      return void (this.#chunks && this.#feed(this.#chunks));
    }
    if (report.is === 'header') this.#takeHeader(report.header);
    else if (report.is === 'batch') this.#batches.push(report);
    else if (report.is === 'end') {
      if (report.warnings.length > 0) this.warnings = { warnings: report.warnings };
      this.#finish('end', report.fingerprint);
    } else if (report.is === 'failed') this.#finish({ error: this.#explain(fromPlainError(report.error)) });
    else this.#finish({ error: new Error(`A thread that reads imports failed: ${report.stack}`) });
    this.#wake();
  }

  async #feed(chunks: AsyncGenerator<Buffer>): Promise<void> {
    this.#isReady = false;
    try {
      const { value: chunk } = await chunks.next();
      if (chunk === undefined) return this.#send({ is: 'end' });
      // Transfers the memory; if it stayed here, V8 would free it only when it collects the old generation. A part of a
      // buffer is copied first, because other chunks can be in the same buffer.
      const own = chunk.length === chunk.buffer.byteLength ? chunk : new Uint8Array(chunk);
      this.#port.postMessage({ is: 'chunk', chunk: own } satisfies ReadingOrder, [own.buffer]);
    } catch (error) {
      if (!(error instanceof AppError)) return this.#finish({ error });
      this.#bodyError = error;
      this.#send({ is: 'broken' });
    }
  }

  /** Combines the line, which the reading thread knows, with the cause, which this thread knows. */
  #explain(error: AppError): AppError {
    return this.#bodyError?.with(error.members) ?? error;
  }

  #finish(end: { error: unknown } | 'end', fingerprint?: string): void {
    this.#end ??= end;
    this.fingerprint ??= fingerprint;
    this.#wake();
  }

  #send(order: ReadingOrder): void {
    this.#port.postMessage(order);
  }
}

function toImportRow(row: ReadRow, mode: ReadingOptions['mode']): ImportRow {
  if ('issue' in row) return row;
  if ('patch' in row) return new FileRow(row, mode);
  throw new Error('Only rows of feeds can be known.');
}

/** A class, because its instances take little memory, and an import can have thousands of rows in memory. */
class FileRow implements ValidRow {
  readonly line: number;
  readonly id: string | undefined;
  readonly externalId: string | undefined;
  readonly isRepeated: boolean;
  readonly values: string | undefined;
  readonly cleaned: number;
  readonly #mode: ReadingOptions['mode'];
  readonly #lack: PlainError | undefined;
  readonly #currencyOfPrices: string | undefined;
  #patch: StagedText | PatchError;

  constructor(row: ReadGoodRow, mode: ReadingOptions['mode']) {
    this.line = row.line;
    this.id = row.id;
    this.externalId = row.externalId;
    this.isRepeated = row.isRepeated;
    this.values = row.values;
    this.cleaned = row.cleaned;
    this.#mode = mode;
    this.#lack = row.lack;
    this.#currencyOfPrices = row.currencyOfPrices;
    this.#patch = row.patch;
  }

  makeInput(current: Listing | undefined): ListingInput {
    const patch = isStaged(this.#patch) ? textOf(this.#patch) : this.#patch;
    const row = { patch, lack: this.#lack, currencyOfPrices: this.#currencyOfPrices };
    return makeInput(row, this.#mode, current);
  }

  stage(keep: KeepText): number {
    if (!isStaged(this.#patch)) return 0;
    const text = textOf(this.#patch);
    this.#patch = keep(text);
    return text.length;
  }
}

function isStaged(patch: StagedText | PatchError): patch is StagedText {
  return typeof patch === 'string' || 'read' in patch;
}

/** @throws {AppError} `validation_failed` */
export function makeInput(row: ParsedRow, mode: ReadingOptions['mode'], current?: Listing): ListingInput {
  const { patch, lack, currencyOfPrices } = row;
  const isWhole = current === undefined || mode === 'replace';
  if (isWhole && lack !== undefined) throw fromPlainError(lack);
  if (typeof patch !== 'string') throw isWhole ? fromPlainError(patch) : toMergeError(patch, current);
  return isWhole ? toWholeListing(patch) : mergeRow(JSON.parse(patch), current, currencyOfPrices);
}

/** Longer column names are truncated in the values of a failed row. */
const NAME_LENGTH_MAX = 200;

function uniqueNames(cells: ReadHeader['cells']): string[] {
  const names = new Set<string>();
  return cells.map((cell, index) => {
    const given = cell?.trim().slice(0, NAME_LENGTH_MAX) || columnNumber(index);
    const name = names.has(given) ? `${given} (${columnNumber(index)})` : given;
    names.add(name);
    return name;
  });
}

function columnNumber(index: number): string {
  return `column ${index + 1}`;
}

function threadEnded(): AppError {
  const message = 'Reading the file failed; send it again. If this happens again, report the requestId.';
  return new AppError('unavailable', message, { headers: { 'Retry-After': '1' } });
}
