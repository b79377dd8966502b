/** A record of a file that arrives in chunks. */
export interface FileRecord<T> {
  /** The line on which the record begins, from 1; in a JSON array, the number of the element. */
  line: number;
  /** Valid until the next record is requested. */
  content: T;
  /** Whether the record is longer than the limit, so that `content` is only its beginning. */
  isTooLong?: boolean;
}

export interface Splitter<T> {
  /** The `line` of the next or unfinished record. */
  readonly line: number;
  /** The records that end in this chunk. @throws {BrokenFileError} after yielding the records before the error */
  push(chunk: Buffer): Iterable<FileRecord<T>>;
  /** The records that end with the file. @throws {BrokenFileError} after yielding them, if the file is truncated */
  end(): Promise<Iterable<FileRecord<T>>>;
}

/** Thrown if a file cannot be read any further. */
export class BrokenFileError extends Error {
  /** The position of the error in bytes from 0, if known. */
  readonly offset: number | undefined;

  constructor(message: string, offset?: number) {
    super(message);
    this.offset = offset;
  }
}

/** A file with this many consecutive empty records (blank lines) is rejected: it only keeps the service busy. */
const EMPTY_RECORDS_MAX = 10_000;

export class EmptyRecords {
  #count = 0;

  /** @throws {BrokenFileError} if there are too many */
  note(isEmpty: boolean): void {
    this.#count = isEmpty ? this.#count + 1 : 0;
    if (this.#count === EMPTY_RECORDS_MAX)
      throw new BrokenFileError(`${EMPTY_RECORDS_MAX} consecutive lines are empty; remove them`);
  }
}

const CAPACITY_FIRST = 4096;

/** Collects the pieces of a record in one buffer: a thousand small buffers would take more memory. */
export class RecordBuffer {
  readonly #lengthMax: number;
  #bytes = Buffer.alloc(0);
  #length = 0;

  /** @param lengthMax in bytes; only the beginning of a longer record is kept */
  constructor(lengthMax: number) {
    this.#lengthMax = lengthMax;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  add(piece: Buffer): void {
    const start = this.#length;
    this.#length += piece.length;
    if (start < this.#lengthMax) this.#copy(piece.subarray(0, this.#lengthMax - start), start);
  }

  /** The record that ends with this piece, valid until the next `add`. */
  take(piece: Buffer): { content: Buffer; isTooLong: boolean } {
    const isWhole = this.isEmpty;
    if (!isWhole) this.add(piece);
    const length = isWhole ? piece.length : this.#length;
    this.#length = 0;
    const content = (isWhole ? piece : this.#bytes).subarray(0, Math.min(length, this.#lengthMax));
    return { content, isTooLong: length > this.#lengthMax };
  }

  #copy(piece: Buffer, start: number): void {
    const length = start + piece.length;
    if (length > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(CAPACITY_FIRST, 2 * length));
      this.#bytes.copy(larger, 0, 0, start);
      this.#bytes = larger;
    }
    piece.copy(this.#bytes, start);
  }
}
