import { JsonError, parseJson } from './json.ts';
import { BrokenFileError } from './records.ts';

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The maximum for all members but the array. They describe the file's origin, which takes a few hundred bytes. */
const LENGTH_MAX = 16 * 1024;

/** Reads an object in which one member, with a given name, is an array, and the other members are small. */
export class JsonEnvelope {
  readonly #member: string;
  /** The object without the elements of the array. */
  #text = Buffer.alloc(0);
  #depth = 0;
  #isString = false;
  #isEscaped = false;
  /** The beginning of the latest string, and the name of the member that is being read. */
  #string = '';
  #name: string | undefined;
  #hasArray = false;

  constructor(member: string) {
    this.#member = JSON.stringify(member);
  }

  /**
   * Reads until the array begins or the object ends.
   * @returns the next position, and whether the array begins there; undefined if the chunk ends first
   * @throws {BrokenFileError} without an offset
   */
  read(chunk: Buffer, start: number): { end: number; isArray: boolean } | undefined {
    for (let position = start; position < chunk.length; position += 1) {
      const byte = chunk[position] ?? 0;
      const isArray = this.#beginsArray(byte);
      const isEnd = byte === CLOSING_BRACE && this.#depth === 1 && !this.#isString;
      this.#pass(byte);
      if (!isArray && !isEnd) continue;
      this.#keep(chunk.subarray(start, position + 1));
      if (isEnd) this.#requireJson();
      else this.#closeArray();
      return { end: position + 1, isArray };
    }
    this.#keep(chunk.subarray(start));
    return undefined;
  }

  #beginsArray(byte: number): boolean {
    return byte === OPENING_BRACKET && this.#depth === 1 && !this.#isString && this.#name === this.#member;
  }

  /** Adds the array's closing bracket to the text, which does not include the elements. */
  #closeArray(): void {
    if (this.#hasArray) throw new BrokenFileError(`The object has two members named ${this.#member}`);
    this.#hasArray = true;
    this.#depth -= 1;
    this.#name = undefined;
    this.#keep(Buffer.from(']'));
  }

  #pass(byte: number): void {
    if (this.#isString) this.#passString(byte);
    else if (byte === QUOTE) {
      this.#isString = true;
      this.#string = '"';
    } else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) this.#depth += 1;
    else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) this.#depth -= 1;
    else if (this.#depth === 1 && byte === COLON) this.#name = this.#string;
    else if (this.#depth === 1 && byte === COMMA) this.#name = undefined;
  }

  #passString(byte: number): void {
    if (this.#string.length <= this.#member.length) this.#string += String.fromCharCode(byte);
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isString = false;
  }

  #keep(bytes: Buffer): void {
    if (this.#text.length + bytes.length > LENGTH_MAX) {
      throw new BrokenFileError(`The members other than ${this.#member} have more than ${LENGTH_MAX} bytes`);
    }
    this.#text = Buffer.concat([this.#text, bytes]);
  }

  #requireJson(): void {
    if (!this.#hasArray)
      throw new BrokenFileError(`The file must be a JSON array, or an object whose ${this.#member} member is an array`);
    try {
      parseJson(this.#text.toString());
    } catch (error) {
      if (error instanceof JsonError) throw new BrokenFileError(`Outside of ${this.#member}: ${error.message}`);
      throw error;
    }
  }
}
