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
    const taken = this.#pending.take(Buffer.alloc(0));
    return isBlank(taken) ? [] : [{ line: this.#line, ...taken }];
  }

  #finish(rest: Buffer): FileRecord<Buffer> | undefined {
    const taken = this.#pending.take(rest);
    const isEmpty = isBlank(taken);
    this.#empty.note(isEmpty);
    const line = this.#line;
    this.#line += 1;
    return isEmpty ? undefined : { line, ...taken };
  }
}

function isBlank({ content, isTooLong }: ReturnType<RecordBuffer['take']>): boolean {
  for (let index = 0; index < content.length; index += 1) if (!BLANK.has(content[index] ?? 0)) return false;
  return !isTooLong;
}
