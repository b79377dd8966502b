import { UNITS } from '../contract/schemas/listing-patch.ts';
import { findTarget, type Target } from '../contract/schemas/targets.ts';
import { decodeMeaning, parseWord, toWord } from '../contract/schemas/value-rules.ts';
import type { ReadingOptions } from './reading.ts';

/** A word has up to 100 characters, but can be written with more white space. */
const TEXT_LENGTH_MAX = 400;

const AMOUNTS: ReadonlyMap<string, readonly string[]> = new Map(UNITS);

/** What the words of a file mean, and the values that its rows have by default. */
export class ValueRules {
  /** The values that words stand for, as JSON, by field and word. */
  readonly #words = new Map<string, Map<string, unknown>>();
  readonly #defaults: [field: string, value: unknown][] = [];

  constructor({ values, defaults }: Pick<ReadingOptions, 'values' | 'defaults'>) {
    for (const [key, text] of values) {
      const { target, word } = parseWord(key) ?? {};
      if (target === undefined || word === undefined) continue;
      const words = this.#words.getOrInsertComputed(keyOf(target), () => new Map());
      words.set(word, decodeMeaning(target, text));
    }
    for (const [field, text] of defaults) {
      const target = findTarget(field);
      if (target !== undefined) this.#defaults.push([target.key, decodeMeaning(target, text)]);
    }
  }

  /** What a string means in a field, as JSON; undefined if the string is not a word with a meaning. */
  read(target: Target, text: unknown): unknown {
    if (this.#words.size === 0 || typeof text !== 'string' || text.length > TEXT_LENGTH_MAX) return undefined;
    return this.#words.get(keyOf(target))?.get(toWord(text));
  }

  /** Adds the defaults of fields without a value. A unit gets its default only if one of its amounts has a value. */
  complete(fields: Record<string, unknown>): void {
    for (const [field, value] of this.#defaults) {
      const amounts = AMOUNTS.get(field);
      if (isGiven(fields[field]) || amounts?.every((amount) => !isGiven(fields[amount]))) continue;
      fields[field] = value;
    }
  }
}

export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function keyOf({ key, member }: Target): string {
  return member === undefined ? key : `${key}.${member}`;
}
