import { CODE, endOfEscape, endOfNumber, endOfPlainCharacters, endOfWhitespace, isExact } from './json-tokens.ts';

/** Invalid JSON, or JSON that different parsers read differently. */
export class JsonError extends Error {
  /** The offset of the error in UTF-16 code units. */
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.position = position;
  }
}

export interface ParsedJson {
  value: unknown;
  /** Paths of numbers that a double cannot hold exactly, such as `1e400` or 2^53+1. */
  inexactNumbers: PropertyPath[];
}

export type PropertyPath = (string | number)[];

/** No accepted document needs more than four levels. */
const DEPTH_MAX = 32;

/**
 * A listing has at most 400 values. A row with all RESO fields and a hundred media items has a few thousand. Larger
 * documents are only checked for syntax: building the half million values that fit in a mebibyte takes at least 0.1 s.
 */
export const VALUES_MAX = 5_000;

/** The value of a document with more than `VALUES_MAX` values; no schema accepts it. */
export const TOO_MANY_VALUES = Symbol('too many values');

/**
 * Parses JSON (RFC 8259), more strictly than `JSON.parse`: duplicate members and deep nesting are errors, inexact
 * numbers are reported, and `__proto__` is an ordinary member. Duplicates are only found among the first `VALUES_MAX`
 * values.
 * @throws {JsonError} with the position of the first error
 */
export function parseJson(text: string): ParsedJson {
  const parser = new Parser(text);
  const value = parser.parseDocument();
  return parser.isKeeping
    ? { value, inexactNumbers: parser.inexactNumbers }
    : { value: TOO_MANY_VALUES, inexactNumbers: [] };
}

class Parser {
  readonly inexactNumbers: PropertyPath[] = [];
  readonly #text: string;
  readonly #path: PropertyPath = [];
  #position = 0;
  #valueCount = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Whether to build values; false once there are too many. */
  get isKeeping(): boolean {
    return this.#valueCount <= VALUES_MAX;
  }

  parseDocument(): unknown {
    this.#skipWhitespace();
    const value = this.#parseValue();
    this.#skipWhitespace();
    if (this.#position < this.#text.length) this.#fail('Expected the end of the document');
    return value;
  }

  #parseValue(): unknown {
    this.#valueCount += 1;
    switch (this.#text.charCodeAt(this.#position)) {
      case CODE.openBrace:
        return this.#parseObject();
      case CODE.openBracket:
        return this.#parseArray();
      case CODE.quote:
        return this.#parseString();
      case CODE.t:
        return this.#parseLiteral('true', true);
      case CODE.f:
        return this.#parseLiteral('false', false);
      case CODE.n:
        return this.#parseLiteral('null', null);
      default:
        return this.#parseNumber();
    }
  }

  #parseObject(): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    this.#enter();
    while (!this.#leaves(CODE.closeBrace)) {
      const name = this.#parseName(object);
      this.#path.push(name);
      const value = this.#parseValue();
      this.#path.pop();
      if (this.isKeeping) setMember(object, name, value);
      this.#separate(CODE.closeBrace);
    }
    return object;
  }

  #parseName(object: Record<string, unknown>): string {
    const start = this.#position;
    if (this.#text.charCodeAt(start) !== CODE.quote) this.#fail('Expected a member name in double quotes');
    const name = this.#parseString();
    if (this.isKeeping && Object.hasOwn(object, name)) {
      this.#fail('Duplicate member name', start);
    }
    this.#skipWhitespace();
    this.#expect(CODE.colon);
    this.#skipWhitespace();
    return name;
  }

  #parseArray(): unknown[] {
    const array: unknown[] = [];
    this.#enter();
    while (!this.#leaves(CODE.closeBracket)) {
      this.#path.push(array.length);
      const value = this.#parseValue();
      this.#path.pop();
      if (this.isKeeping) array.push(value);
      this.#separate(CODE.closeBracket);
    }
    return array;
  }

  #enter(): void {
    if (this.#path.length >= DEPTH_MAX) this.#fail(`More than ${DEPTH_MAX} levels of nesting`);
    this.#position += 1;
    this.#skipWhitespace();
  }

  #leaves(end: number): boolean {
    if (this.#text.charCodeAt(this.#position) !== end) return false;
    this.#position += 1;
    return true;
  }

  #separate(end: number): void {
    this.#skipWhitespace();
    if (this.#text.charCodeAt(this.#position) === end) return;
    this.#expect(CODE.comma);
    this.#skipWhitespace();
    if (this.#text.charCodeAt(this.#position) === end) this.#fail('Expected another element after the comma');
  }

  #parseString(): string {
    const start = this.#position;
    let isEscaped = false;
    for (;;) {
      this.#position = endOfPlainCharacters(this.#text, this.#position + (isEscaped ? 0 : 1));
      const next = this.#text.charCodeAt(this.#position);
      if (next === CODE.quote) break;
      if (next !== CODE.backslash) {
        this.#fail(Number.isNaN(next) ? 'The text ends inside a string' : 'Unescaped control character');
      }
      this.#skipEscape();
      isEscaped = true;
    }
    this.#position += 1;
    if (!this.isKeeping) return '';
    if (!isEscaped) return this.#text.slice(start + 1, this.#position - 1);
    const value: string = JSON.parse(this.#text.slice(start, this.#position));
    return value;
  }

  #skipEscape(): void {
    const end = endOfEscape(this.#text, this.#position);
    if (end === this.#position) {
      const isUnicode = this.#text.charCodeAt(end + 1) === CODE.u;
      this.#fail(isUnicode ? 'Expected four hexadecimal digits' : 'Unknown escape');
    }
    this.#position = end;
  }

  #parseLiteral<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#position)) this.#fail('Expected a value');
    this.#position += word.length;
    return value;
  }

  #parseNumber(): number {
    const start = this.#position;
    this.#position = endOfNumber(this.#text, start);
    if (this.#position === start) {
      this.#fail(start < this.#text.length ? 'Expected a value' : 'Expected a value, but the text ends');
    }
    if (!this.isKeeping) return 0;
    const source = this.#text.slice(start, this.#position);
    const value = Number(source);
    if (!isExact(source, value)) this.inexactNumbers.push([...this.#path]);
    return value === 0 ? 0 : value;
  }

  #skipWhitespace(): void {
    this.#position = endOfWhitespace(this.#text, this.#position);
  }

  #expect(code: number): void {
    if (this.#text.charCodeAt(this.#position) !== code) this.#fail(`Expected "${String.fromCharCode(code)}"`);
    this.#position += 1;
  }

  #fail(message: string, position = this.#position): never {
    throw new JsonError(message, position);
  }
}

/** Assigning `__proto__` would replace the prototype instead of adding a member. */
function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[name] = value;
  }
}
