import { JsonEnvelope } from './json-envelope.ts';
import { BrokenFileError, type FileRecord, RecordBuffer, type Splitter } from './records.ts';

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];
/** JSON's white space (RFC 8259 §2). */
const WHITE_SPACE: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const SPACE = Buffer.from(' ');
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/**
 * Splits a JSON array into its elements, as JSON text. It only finds where elements end and does not validate
 * them. The array can also be a member of an object, as in RESO Common Format and OData.
 */
export class JsonArraySplitter implements Splitter<Buffer> {
  readonly #pending: RecordBuffer;
  readonly #member: string;
  /** The position of the current chunk in the file, in bytes. */
  #offset = 0;
  #element = 1;
  #place: 'before' | 'envelope' | 'inside' | 'after' = 'before';
  #envelope: JsonEnvelope | undefined;
  #envelopeOffset = 0;
  /** State within an element. */
  #depth = 0;
  #isString = false;
  #isEscaped = false;
  /** Whether white space was removed after the latest part. */
  #isSpaced = false;

  /** @param member the name of the array in an object */
  constructor(elementBytesMax: number, member: string) {
    this.#pending = new RecordBuffer(elementBytesMax);
    this.#member = member;
  }

  get line(): number {
    return this.#element;
  }

  *push(chunk: Buffer): Generator<FileRecord<Buffer>> {
    let position = this.#place === 'before' ? this.#enter(chunk) : 0;
    position = this.#passEnvelope(chunk, position);
    while (this.#place === 'inside') {
      const wasBetween = this.#isBetween;
      const end = this.#findEnd(chunk, position);
      const part = this.#trim(chunk.subarray(position, end < 0 ? chunk.length : end), wasBetween);
      if (end < 0) {
        this.#pending.add(part);
        break;
      }
      yield* this.#finish(part, chunk[end], this.#offset + end);
      position = this.#passEnvelope(chunk, end + 1);
    }
    if (this.#place === 'after') this.#expectNothing(chunk, position);
    this.#offset += chunk.length;
  }

  async end(): Promise<Iterable<FileRecord<Buffer>>> {
    if (this.#place === 'after') return [];
    const where = this.#place === 'before' ? 'before an array begins' : 'inside the array: it is truncated';
    throw new BrokenFileError(`The file ends ${where}`, this.#offset);
  }

  /** @returns the position after the opening bracket or of the opening brace, or the end of the chunk */
  #enter(chunk: Buffer): number {
    for (const [index, byte] of chunk.entries()) {
      const offset = this.#offset + index;
      if (byte === OPENING_BRACKET) {
        this.#place = 'inside';
        return index + 1;
      }
      if (byte === OPENING_BRACE) {
        this.#place = 'envelope';
        this.#envelope = new JsonEnvelope(this.#member);
        this.#envelopeOffset = offset;
        return index;
      }
      if (!WHITE_SPACE.has(byte) && byte !== BYTE_ORDER_MARK[offset]) {
        throw new BrokenFileError(
          `The file must be a JSON array, or an object whose "${this.#member}" member is an array`,
          offset,
        );
      }
    }
    return chunk.length;
  }

  /** Reads the members of an object around the array. @returns the position after them */
  #passEnvelope(chunk: Buffer, start: number): number {
    if (this.#place !== 'envelope') return start;
    try {
      const found = this.#envelope?.read(chunk, start);
      if (found === undefined) return chunk.length;
      this.#place = found.isArray ? 'inside' : 'after';
      return found.end;
    } catch (error) {
      if (error instanceof BrokenFileError) throw new BrokenFileError(error.message, this.#envelopeOffset);
      throw error;
    }
  }

  /** The index of the comma or bracket after the element; negative if it is not in this chunk. */
  #findEnd(chunk: Buffer, start: number): number {
    for (let position = start; position < chunk.length; position += 1) {
      const byte = chunk[position];
      if (this.#isString) this.#passString(byte);
      else if (byte === QUOTE) this.#isString = true;
      else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) this.#depth += 1;
      else if (this.#depth === 0 && (byte === COMMA || byte === CLOSING_BRACKET)) return position;
      else if (this.#depth > 0 && (byte === CLOSING_BRACE || byte === CLOSING_BRACKET)) this.#depth -= 1;
    }
    return -1;
  }

  #passString(byte: number | undefined): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isString = false;
  }

  get #isBetween(): boolean {
    return this.#depth === 0 && !this.#isString;
  }

  /** Removes any amount of white space around an element. `part` is an element or a part of one. */
  #trim(part: Buffer, wasBetween: boolean): Buffer {
    const start = wasBetween ? skipWhiteSpace(part, 0) : 0;
    let end = part.length;
    if (this.#isBetween) while (end > start && isWhiteSpace(part[end - 1])) end -= 1;
    if (start > 0) this.#isSpaced = true;
    // Without a space between them, the parts of an invalid element could form a valid one.
    if (start < end && this.#isSpaced && !this.#pending.isEmpty) this.#pending.add(SPACE);
    if (start < end) this.#isSpaced = end < part.length;
    return part.subarray(start, end);
  }

  *#finish(rest: Buffer, closing: number | undefined, offset: number): Generator<FileRecord<Buffer>> {
    const taken = this.#pending.take(rest);
    this.#isSpaced = false;
    if (closing === CLOSING_BRACKET) this.#place = this.#envelope === undefined ? 'after' : 'envelope';
    if (taken.content.length === 0) {
      if (this.#element === 1 && closing === CLOSING_BRACKET) return;
      throw new BrokenFileError('Expected an element after the comma', offset);
    }
    yield { line: this.#element, ...taken };
    this.#element += 1;
  }

  #expectNothing(chunk: Buffer, start: number): void {
    const index = skipWhiteSpace(chunk, start);
    if (index === chunk.length) return;
    throw new BrokenFileError('Unexpected data after the end of the array', this.#offset + index);
  }
}

function skipWhiteSpace(bytes: Buffer, start: number): number {
  let position = start;
  while (position < bytes.length && isWhiteSpace(bytes[position])) position += 1;
  return position;
}

function isWhiteSpace(byte: number | undefined): boolean {
  return WHITE_SPACE.has(byte);
}
