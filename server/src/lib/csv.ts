import { isUtf8 } from 'node:buffer';
import { finished } from 'node:stream/promises';
import { parse } from 'csv-parse';
import { chooseSeparator, FirstLine, type Separator } from './csv-separator.ts';
import { BrokenFileError, EmptyRecords, type FileRecord, type Splitter } from './records.ts';

/** A record's cells; undefined for a cell that is not UTF-8. */
export type Cells = (string | undefined)[];

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');
const LINE_BREAK = /\r\n|\r|\n/g;
/** Twenty times the maximum number of columns. The parser limits a record's bytes but not its cells. */
const CELLS_MAX = 10_000;

/**
 * Splits a CSV file (RFC 4180, with any line breaks) into records and skips blank lines. A quote inside an unquoted
 * cell is an ordinary character. The first line decides which separator the file has.
 */
export class CsvSplitter implements Splitter<Cells> {
  readonly #recordBytesMax: number;
  readonly #isKnown: (name: string) => boolean;
  readonly #firstLine = new FirstLine();
  #parser: ReturnType<typeof createParser> | undefined;
  /** Known once the first record is there. */
  separator: Separator = ',';
  #records: FileRecord<Cells>[] = [];
  readonly #empty = new EmptyRecords();
  #line = 1;
  #fault: unknown;
  /** The file's first bytes, until they are known to be a byte order mark or not. */
  #start: Buffer | undefined = Buffer.alloc(0);

  /** @param isKnown whether a column has this name, to find the separator */
  constructor(recordBytesMax: number, isKnown: (name: string) => boolean = () => false) {
    this.#recordBytesMax = recordBytesMax;
    this.#isKnown = isKnown;
  }

  get line(): number {
    return this.#line;
  }

  *push(chunk: Buffer): Generator<FileRecord<Cells>> {
    const bytes = this.#start === undefined ? chunk : this.#withoutMark(chunk);
    if (bytes.length > 0) this.#parse(bytes);
    if (this.#openCells().length > CELLS_MAX) this.#endHere();
    yield* this.#take();
  }

  async end(): Promise<Iterable<FileRecord<Cells>>> {
    const parser = this.#parser ?? this.#begin(this.#firstLine.bytes);
    if (this.#start !== undefined) parser.write(this.#start);
    parser.end();
    await finished(parser.resume()).catch(() => {});
    return this.#take();
  }

  #parse(bytes: Buffer): void {
    if (this.#parser !== undefined) {
      this.#parser.write(bytes);
      return;
    }
    const start = this.#firstLine.add(bytes);
    if (start !== undefined) this.#begin(start);
  }

  #begin(start: Buffer): ReturnType<typeof createParser> {
    this.separator = chooseSeparator(start, this.#isKnown);
    const parser = createParser(this.#recordBytesMax, this.separator, (cells) => this.#add(cells));
    this.#parser = parser;
    if (start.length > 0) parser.write(start);
    return parser;
  }

  #withoutMark(chunk: Buffer): Buffer {
    const start = Buffer.concat([this.#start ?? chunk, chunk]);
    const isMark = BYTE_ORDER_MARK.subarray(0, start.length).equals(start.subarray(0, BYTE_ORDER_MARK.length));
    const isOpen = isMark && start.length < BYTE_ORDER_MARK.length;
    this.#start = isOpen ? start : undefined;
    if (isOpen) return Buffer.alloc(0);
    return isMark ? start.subarray(BYTE_ORDER_MARK.length) : start;
  }

  #add(cells: string[]): null {
    if (this.#fault !== undefined) return null;
    const isBlank = cells.length === 1 && cells[0] === '';
    try {
      this.#empty.note(cells.every((cell) => cell.trim() === ''));
    } catch (error) {
      this.#fault = error;
    }
    if (!isBlank) this.#records.push({ line: this.#line, content: cells.map(decode) });
    this.#line += 1;
    for (const cell of cells) this.#line += cell.match(LINE_BREAK)?.length ?? 0;
    return null;
  }

  /** The cells of the unfinished record. In a file that contains only commas, they would fill the memory. */
  #openCells(): string[] {
    const record: unknown = Reflect.get(Object(Reflect.get(Object(this.#parser), 'state')), 'record');
    return Array.isArray(record) ? record : [];
  }

  /** Keeps the start of the overlong record, which may be the header. */
  #endHere(): void {
    if (this.#fault !== undefined) return;
    const line = this.#line;
    this.#records.push({ line, content: this.#openCells().map(decode) });
    this.#fault = new BrokenFileError(`The row that begins on line ${line} has more than ${CELLS_MAX} cells`);
  }

  *#take(): Generator<FileRecord<Cells>> {
    const records = this.#records;
    this.#records = [];
    yield* records;
    if (this.#fault !== undefined) throw this.#fault;
    if (this.#parser?.errored) throw new BrokenFileError(this.#describe(this.#parser.errored));
  }

  #describe(error: Error): string {
    const isTooLong = 'code' in error && error.code === 'CSV_MAX_RECORD_SIZE';
    const fault = isTooLong ? `is longer than ${this.#recordBytesMax} bytes` : 'is still open when the file ends';
    return `The row that begins on line ${this.#line} ${fault}: look for an unclosed quote`;
  }
}

function createParser(recordBytesMax: number, delimiter: Separator, onRecord: (cells: string[]) => null) {
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: recordBytesMax,
    // One character per byte: with UTF-8, the parser would silently replace invalid bytes.
    encoding: 'latin1',
    // The stream has no output, so it parses each chunk synchronously.
    on_record: onRecord,
  });
  // Errors are not handled here: `errored` is checked after each chunk.
  parser.on('error', () => {});
  return parser;
}

/** Decodes a cell that has one character per byte. */
function decode(cell: string): string | undefined {
  if (!/[\x80-\xff]/.test(cell)) return cell;
  const bytes = Buffer.from(cell, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : undefined;
}
