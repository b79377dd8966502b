import { isAscii, isUtf8 } from 'node:buffer';
import { CellCutter, type CutRecord } from './csv-cells.ts';
import { chooseSeparator, FirstLine, type Separator } from './csv-separator.ts';
import { BrokenFileError, EmptyRecords, type FileRecord, type Splitter } from './records.ts';

/** A record's cells; undefined for a cell that is not UTF-8. */
export type Cells = (string | undefined)[];

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');
const LINE_BREAK = /\r\n|\r|\n/g;
/** Twenty times the maximum number of columns. */
const CELLS_MAX = 10_000;

/** Splits a CSV file into records and skips blank lines. The first line determines the separator. */
export class CsvSplitter implements Splitter<Cells> {
  readonly #recordBytesMax: number;
  readonly #isKnown: (name: string) => boolean;
  readonly #firstLine = new FirstLine();
  #cutter: CellCutter | undefined;
  /** A comma until the first line has been read, which determines the separator. */
  separator: Separator = ',';
  #records: FileRecord<Cells>[] = [];
  readonly #empty = new EmptyRecords();
  #line = 1;
  /** Whether the chunks that contain the unfinished record have only ASCII characters so far. */
  #isAscii = true;
  #fault: unknown;
  /** The file's first bytes, until it is known whether they are a byte order mark; then undefined. */
  #start: Buffer | undefined = Buffer.alloc(0);

  /** @param isKnown whether a string is a known column name; helps to choose the separator */
  constructor(recordBytesMax: number, isKnown: (name: string) => boolean = () => false) {
    this.#recordBytesMax = recordBytesMax;
    this.#isKnown = isKnown;
  }

  get line(): number {
    return this.#line;
  }

  *push(chunk: Buffer): Generator<FileRecord<Cells>> {
    const bytes = this.#start === undefined ? chunk : this.#withoutMark(chunk);
    if (bytes.length > 0) this.#cut(bytes);
    yield* this.#take();
  }

  async end(): Promise<Iterable<FileRecord<Cells>>> {
    const cutter = this.#cutter ?? this.#begin(this.#firstLine.bytes);
    if (this.#start !== undefined) this.#write(cutter, this.#start);
    if (!cutter.end()) this.#fail('is still open when the file ends: look for an unclosed quote');
    return this.#take();
  }

  #cut(bytes: Buffer): void {
    const start = this.#cutter === undefined ? this.#firstLine.add(bytes) : undefined;
    if (this.#cutter !== undefined) this.#write(this.#cutter, bytes);
    else if (start !== undefined) this.#begin(start);
  }

  #begin(start: Buffer): CellCutter {
    this.separator = chooseSeparator(start, this.#isKnown);
    const cutter = new CellCutter(this.separator, (record) => this.#add(record));
    this.#cutter = cutter;
    this.#write(cutter, start);
    return cutter;
  }

  #write(cutter: CellCutter, bytes: Buffer): void {
    const isPlain = isAscii(bytes);
    this.#isAscii &&= isPlain;
    // Latin-1 has one character per byte; decoding UTF-8 here would replace bytes that are not valid.
    cutter.write(bytes.toString('latin1'));
    if (cutter.length < bytes.length) this.#isAscii = isPlain;
    if (cutter.length > this.#recordBytesMax) this.#failTooLong();
    if (cutter.cells.length > CELLS_MAX) this.#endHere(cutter.cells);
  }

  #withoutMark(chunk: Buffer): Buffer {
    const start = Buffer.concat([this.#start ?? chunk, chunk]);
    const isMark = BYTE_ORDER_MARK.subarray(0, start.length).equals(start.subarray(0, BYTE_ORDER_MARK.length));
    const isOpen = isMark && start.length < BYTE_ORDER_MARK.length;
    this.#start = isOpen ? start : undefined;
    if (isOpen) return Buffer.alloc(0);
    return isMark ? start.subarray(BYTE_ORDER_MARK.length) : start;
  }

  #add({ cells, hasQuotes, length }: CutRecord): void {
    if (length > this.#recordBytesMax) this.#failTooLong();
    if (this.#fault !== undefined) return;
    const isBlank = cells.length === 1 && cells[0] === '';
    try {
      this.#empty.note(cells.every((cell) => cell.trim() === ''));
    } catch (error) {
      this.#fault = error;
    }
    if (!isBlank) this.#records.push({ line: this.#line, content: this.#isAscii ? cells : cells.map(decode) });
    this.#line += 1;
    if (hasQuotes) for (const cell of cells) this.#line += cell.match(LINE_BREAK)?.length ?? 0;
  }

  /** Keeps the beginning of a record with too many cells, since the record may be the header. */
  #endHere(cells: string[]): void {
    if (this.#fault !== undefined) return;
    this.#records.push({ line: this.#line, content: cells.map(decode) });
    this.#fail(`has more than ${CELLS_MAX} cells`);
  }

  #failTooLong(): void {
    this.#fail(`is longer than ${this.#recordBytesMax} bytes: look for an unclosed quote`);
  }

  #fail(fault: string): void {
    this.#fault ??= new BrokenFileError(`The row that begins on line ${this.#line} ${fault}`);
  }

  *#take(): Generator<FileRecord<Cells>> {
    const records = this.#records;
    this.#records = [];
    yield* records;
    if (this.#fault !== undefined) throw this.#fault;
  }
}

/** Decodes the UTF-8 in a cell whose characters are bytes. */
function decode(cell: string): string | undefined {
  if (!/[\x80-\xff]/.test(cell)) return cell;
  const bytes = Buffer.from(cell, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : undefined;
}
