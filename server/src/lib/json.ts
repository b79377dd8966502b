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

export type PropertyPath = (string | number)[];

/** No accepted document needs more than four levels. */
const DEPTH_MAX = 32;

/**
 * A listing has at most 400 values. A row with all RESO fields and a hundred media items has a few thousand.
 * Larger documents are only checked for syntax: building the half million values that fit in a mebibyte takes
 * at least 0.1 s.
 */
export const VALUES_MAX = 5_000;

/** The value of a document with more than `VALUES_MAX` values; no schema accepts it. */
export const TOO_MANY_VALUES = Symbol('too many values');

/**
 * Parses JSON (RFC 8259), more strictly than `JSON.parse`: duplicate members and deep nesting are errors, and
 * `__proto__` is an ordinary member. A number that a double does not preserve, such as `1e400` or 2^53+1, becomes the
 * result of `toInexact`; no schema accepts NaN. Duplicates are found only among the first `VALUES_MAX` values.
 * @throws {JsonError} with the position of the first error
 */
export function parseJson(text: string, toInexact: (source: string) => unknown = () => Number.NaN): unknown {
  try {
    return new Parser(text, toInexact).parseDocument();
  } catch (error) {
    if (error !== TOO_MANY_VALUES) throw error;
    checkSyntax(text);
    return TOO_MANY_VALUES;
  }
}

class Parser {
  readonly #text: string;
  readonly #toInexact: (source: string) => unknown;
  #position = 0;
  #depth = 0;
  #valueCount = 0;

  constructor(text: string, toInexact: (source: string) => unknown) {
    this.#text = text;
    this.#toInexact = toInexact;
  }

  /** @throws {JsonError}, or `TOO_MANY_VALUES` at the first value beyond the limit */
  parseDocument(): unknown {
    this.#skipWhitespace();
    const value = this.#parseValue();
    this.#skipWhitespace();
    if (this.#position < this.#text.length) fail('Expected the end of the document', this.#position);
    return value;
  }

  #parseValue(): unknown {
    this.#valueCount += 1;
    if (this.#valueCount > VALUES_MAX) throw TOO_MANY_VALUES;
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
      setMember(object, name, this.#parseValue());
      this.#separate(CODE.closeBrace);
    }
    return object;
  }

  #parseName(object: Record<string, unknown>): string {
    const start = this.#position;
    if (this.#text.charCodeAt(start) !== CODE.quote) fail('Expected a member name in double quotes', start);
    const name = this.#parseString();
    if (Object.hasOwn(object, name)) fail('Duplicate member name', start);
    this.#position = endOfSeparator(this.#text, this.#position, CODE.colon);
    return name;
  }

  #parseArray(): unknown[] {
    const array: unknown[] = [];
    this.#enter();
    while (!this.#leaves(CODE.closeBracket)) {
      array.push(this.#parseValue());
      this.#separate(CODE.closeBracket);
    }
    return array;
  }

  #enter(): void {
    this.#position = endOfOpening(this.#text, this.#position, this.#depth);
    this.#depth += 1;
  }

  #leaves(end: number): boolean {
    if (this.#text.charCodeAt(this.#position) !== end) return false;
    this.#position += 1;
    this.#depth -= 1;
    return true;
  }

  #separate(end: number): void {
    this.#skipWhitespace();
    if (this.#text.charCodeAt(this.#position) === end) return;
    this.#position = endOfComma(this.#text, this.#position, end);
  }

  #parseString(): string {
    const start = this.#position;
    const plainEnd = endOfPlainCharacters(this.#text, start + 1);
    if (this.#text.charCodeAt(plainEnd) === CODE.quote) {
      this.#position = plainEnd + 1;
      return this.#text.slice(start + 1, plainEnd);
    }
    this.#position = endOfString(this.#text, start);
    const value: string = JSON.parse(this.#text.slice(start, this.#position));
    return value;
  }

  #parseLiteral<T>(word: string, value: T): T {
    this.#position = endOfLiteral(this.#text, this.#position, word);
    return value;
  }

  #parseNumber(): unknown {
    const start = this.#position;
    this.#position = endOfRequiredNumber(this.#text, start);
    const source = this.#text.slice(start, this.#position);
    const value = Number(source);
    if (!isExact(source, value)) return this.#toInexact(source);
    return value === 0 ? 0 : value;
  }

  #skipWhitespace(): void {
    this.#position = endOfWhitespace(this.#text, this.#position);
  }
}

/**
 * Checks everything that the parser checks, except duplicate member names. Its loop takes half as long as the parser,
 * because it does not call functions for what is usually absent, such as white space.
 * @throws {JsonError} with the position of the first error
 */
function checkSyntax(text: string): void {
  /** The closing characters of the enclosing objects and arrays, outermost first. */
  const outerEnds: number[] = [];
  /** The closing character of the innermost object or array; -1 outside of all of them. */
  let end = -1;
  let position = endOfWhitespace(text, 0);
  for (;;) {
    if (end === CODE.closeBrace) position = endOfName(text, position);
    const code = text.charCodeAt(position);
    if (code === CODE.openBrace || code === CODE.openBracket) {
      position = endOfOpening(text, position, outerEnds.length);
      outerEnds.push(end);
      end = code === CODE.openBrace ? CODE.closeBrace : CODE.closeBracket;
      if (text.charCodeAt(position) !== end) continue;
    } else {
      position = endOfScalar(text, position, code);
    }
    for (;;) {
      if (text.charCodeAt(position) <= CODE.space) position = endOfWhitespace(text, position);
      if (text.charCodeAt(position) !== end) break;
      position += 1;
      end = outerEnds.pop() ?? -1;
    }
    if (outerEnds.length === 0) break;
    if (text.charCodeAt(position) !== CODE.comma) fail('Expected ","', position);
    position += 1;
    if (text.charCodeAt(position) <= CODE.space) position = endOfWhitespace(text, position);
    if (text.charCodeAt(position) === end) fail('Expected another element after the comma', position);
  }
  if (position < text.length) fail('Expected the end of the document', position);
}

function endOfName(text: string, start: number): number {
  if (text.charCodeAt(start) !== CODE.quote) fail('Expected a member name in double quotes', start);
  return endOfSeparator(text, endOfString(text, start), CODE.colon);
}

function endOfScalar(text: string, start: number, code: number): number {
  switch (code) {
    case CODE.quote:
      return endOfString(text, start);
    case CODE.t:
      return endOfLiteral(text, start, 'true');
    case CODE.f:
      return endOfLiteral(text, start, 'false');
    case CODE.n:
      return endOfLiteral(text, start, 'null');
    default:
      return endOfRequiredNumber(text, start);
  }
}

// Each of these functions returns the end of a token, including the white space after an opening bracket or a
// separator, and throws a `JsonError` if it finds a different token.

function endOfOpening(text: string, start: number, depth: number): number {
  if (depth >= DEPTH_MAX) fail(`More than ${DEPTH_MAX} levels of nesting`, start);
  return endOfWhitespace(text, start + 1);
}

function endOfComma(text: string, start: number, end: number): number {
  const next = endOfSeparator(text, start, CODE.comma);
  if (text.charCodeAt(next) === end) fail('Expected another element after the comma', next);
  return next;
}

function endOfSeparator(text: string, start: number, separator: number): number {
  const position = endOfWhitespace(text, start);
  if (text.charCodeAt(position) !== separator) fail(`Expected "${String.fromCharCode(separator)}"`, position);
  return endOfWhitespace(text, position + 1);
}

function endOfString(text: string, start: number): number {
  let position = endOfPlainCharacters(text, start + 1);
  for (;;) {
    const next = text.charCodeAt(position);
    if (next === CODE.quote) return position + 1;
    if (next !== CODE.backslash)
      fail(Number.isNaN(next) ? 'The text ends inside a string' : 'Unescaped control character', position);
    position = endOfPlainCharacters(text, endOfRequiredEscape(text, position));
  }
}

function endOfRequiredEscape(text: string, start: number): number {
  const end = endOfEscape(text, start);
  if (end === start) {
    const isUnicode = text.charCodeAt(start + 1) === CODE.u;
    fail(isUnicode ? 'Expected four hexadecimal digits' : 'Unknown escape', start);
  }
  return end;
}

function endOfLiteral(text: string, start: number, word: string): number {
  if (!text.startsWith(word, start)) fail('Expected a value', start);
  return start + word.length;
}

function endOfRequiredNumber(text: string, start: number): number {
  const end = endOfNumber(text, start);
  if (end === start) fail(start < text.length ? 'Expected a value' : 'Expected a value, but the text ends', start);
  return end;
}

function fail(message: string, position: number): never {
  throw new JsonError(message, position);
}

/** Assigning `__proto__` would replace the prototype instead of adding a member. */
function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[name] = value;
  }
}
