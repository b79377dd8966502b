import { isExact } from './exact-numbers.ts';

/** Not JSON, or JSON that no two readers would understand the same way. */
export class JsonError extends Error {
  /** Position of the fault in the text, in UTF-16 code units from 0. */
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.position = position;
  }
}

export interface ParsedJson {
  value: unknown;
  /** Paths of numbers that a double cannot hold as they were written, such as `1e400` or 2^53+1. */
  inexactNumbers: PropertyPath[];
}

export type PropertyPath = (string | number)[];

/** Deeper documents are refused: nothing we accept needs more than four levels. */
const DEPTH_MAX = 32;

/**
 * Parses JSON as RFC 8259 has it, and is stricter than `JSON.parse` where that one is silent: duplicate
 * members and deep nesting are errors, numbers that would change are reported, and `__proto__` is a
 * member like any other.
 * @throws {JsonError} with the position of the first fault
 */
export function parseJson(text: string): ParsedJson {
  const parser = new Parser(text);
  return { value: parser.parseDocument(), inexactNumbers: parser.inexactNumbers };
}

const WHITESPACE = /[ \t\n\r]*/y;
const PLAIN_CHARACTERS = /[ !#-[\]-\uffff]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERALS = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);
const ESCAPES = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

class Parser {
  readonly inexactNumbers: PropertyPath[] = [];
  readonly #text: string;
  readonly #path: PropertyPath = [];
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parseDocument(): unknown {
    this.#skip(WHITESPACE);
    const value = this.#parseValue();
    this.#skip(WHITESPACE);
    if (this.#position < this.#text.length) this.#fail('Expected the end of the document');
    return value;
  }

  #parseValue(): unknown {
    switch (this.#text[this.#position]) {
      case '{':
        return this.#parseObject();
      case '[':
        return this.#parseArray();
      case '"':
        return this.#parseString();
      case 't':
      case 'f':
      case 'n':
        return this.#parseLiteral();
      default:
        return this.#parseNumber();
    }
  }

  #parseObject(): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    this.#enter();
    while (!this.#leaves('}')) {
      const start = this.#position;
      if (this.#text[start] !== '"') this.#fail('Expected a member name in double quotes');
      const name = this.#parseString();
      if (Object.hasOwn(object, name)) this.#fail('This member name stands twice in one object', start);
      this.#skip(WHITESPACE);
      this.#expect(':');
      this.#skip(WHITESPACE);
      this.#path.push(name);
      setMember(object, name, this.#parseValue());
      this.#path.pop();
      this.#separate('}');
    }
    return object;
  }

  #parseArray(): unknown[] {
    const array: unknown[] = [];
    this.#enter();
    while (!this.#leaves(']')) {
      this.#path.push(array.length);
      array.push(this.#parseValue());
      this.#path.pop();
      this.#separate(']');
    }
    return array;
  }

  #enter(): void {
    if (this.#path.length >= DEPTH_MAX) this.#fail(`More than ${DEPTH_MAX} levels deep`);
    this.#position += 1;
    this.#skip(WHITESPACE);
  }

  #leaves(end: string): boolean {
    if (this.#text[this.#position] !== end) return false;
    this.#position += 1;
    return true;
  }

  #separate(end: string): void {
    this.#skip(WHITESPACE);
    if (this.#text[this.#position] === end) return;
    this.#expect(',');
    this.#skip(WHITESPACE);
    if (this.#text[this.#position] === end) this.#fail('Expected another element after the comma');
  }

  #parseString(): string {
    this.#position += 1;
    let value = '';
    for (;;) {
      const start = this.#position;
      this.#skip(PLAIN_CHARACTERS);
      value += this.#text.slice(start, this.#position);
      const next = this.#text[this.#position];
      if (next === '"') break;
      if (next !== '\\')
        this.#fail(next === undefined ? 'The text ends inside a string' : 'Unescaped control character');
      value += this.#parseEscape();
    }
    this.#position += 1;
    return value;
  }

  #parseEscape(): string {
    const letter = this.#text[this.#position + 1] ?? '';
    if (letter === 'u') {
      const digits = this.#text.slice(this.#position + 2, this.#position + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.#fail('Expected four hexadecimal digits');
      this.#position += 6;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const character = ESCAPES.get(letter);
    if (character === undefined) this.#fail('Unknown escape');
    this.#position += 2;
    return character;
  }

  #parseLiteral(): unknown {
    for (const [word, value] of LITERALS) {
      if (this.#text.startsWith(word, this.#position)) {
        this.#position += word.length;
        return value;
      }
    }
    return this.#fail('Expected a value');
  }

  #parseNumber(): number {
    const start = this.#position;
    this.#skip(NUMBER);
    const source = this.#text.slice(start, this.#position);
    if (source === '')
      this.#fail(start < this.#text.length ? 'Expected a value' : 'The text ends where a value should be');
    const value = Number(source);
    if (!isExact(source, value)) this.inexactNumbers.push([...this.#path]);
    return value === 0 ? 0 : value;
  }

  #skip(pattern: RegExp): void {
    pattern.lastIndex = this.#position;
    pattern.test(this.#text);
    this.#position = Math.max(this.#position, pattern.lastIndex);
  }

  #expect(character: string): void {
    if (this.#text[this.#position] !== character) this.#fail(`Expected "${character}"`);
    this.#position += 1;
  }

  #fail(message: string, position = this.#position): never {
    throw new JsonError(message, position);
  }
}

/** An assignment to `__proto__` would replace the prototype instead of adding a member. */
function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[name] = value;
  }
}
