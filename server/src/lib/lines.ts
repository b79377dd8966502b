import { type FileRecord, RecordBuffer, type Splitter } from './records.ts';

const LINE_FEED = 0x0a;
const BLANK = new Set([0x20, 0x09, 0x0d]);

/** Cuts a file at its line feeds; blank lines are counted and left out. */
export class LineSplitter implements Splitter<Buffer> {
  readonly #pending: RecordBuffer;
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
      yield* this.#finish(chunk.subarray(start, end));
      start = end + 1;
    }
    this.#pending.add(chunk.subarray(start));
  }

  /** A last line may lack its line feed. */
  async end(): Promise<Iterable<FileRecord<Buffer>>> {
    return this.#finish(Buffer.alloc(0));
  }

  *#finish(rest: Buffer): Generator<FileRecord<Buffer>> {
    const content = this.#pending.take(rest);
    if (content === undefined || !isBlank(content)) yield { line: this.#line, content };
    this.#line += 1;
  }
}

function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (!BLANK.has(byte)) return false;
  return true;
}
