import { EmptyRecords, type FileRecord, RecordBuffer, type Splitter } from './records.ts';

const LINE_FEED = 0x0a;
const BLANK = new Set([0x20, 0x09, 0x0d]);

/** Splits a file at line feeds and skips blank lines. */
export class LineSplitter implements Splitter<Buffer> {
  readonly #pending: RecordBuffer;
  readonly #empty = new EmptyRecords();
  #line = 1;

  constructor(lineBytesMax: number) {
    this.#pending = new RecordBuffer(lineBytesMax);
  }

  get line(): number {
    return this.#line;
  }

  *push(chunk: Buffer): Generator<FileRecord<Buffer>> {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      const line = this.#finish(chunk.subarray(start, end));
      if (line !== undefined) yield line;
      start = end + 1;
    }
    this.#pending.add(chunk.subarray(start));
  }

  async end(): Promise<Iterable<FileRecord<Buffer>>> {
    const content = this.#pending.take(Buffer.alloc(0));
    return content !== undefined && isBlank(content) ? [] : [{ line: this.#line, content }];
  }

  #finish(rest: Buffer): FileRecord<Buffer> | undefined {
    const content = this.#pending.take(rest);
    const line = this.#line;
    this.#line += 1;
    const isEmpty = content !== undefined && isBlank(content);
    this.#empty.note(isEmpty);
    return isEmpty ? undefined : { line, content };
  }
}

function isBlank(bytes: Buffer): boolean {
  for (let index = 0; index < bytes.length; index += 1) if (!BLANK.has(bytes[index] ?? 0)) return false;
  return true;
}
