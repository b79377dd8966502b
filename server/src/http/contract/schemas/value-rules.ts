import { toIssues } from './issues.ts';
import { type KeyedIssue, keyedTexts } from './keyed.ts';
import { decodeCell, withoutGuards } from './listing-csv.ts';
import { listingInput } from './listings.ts';
import { fieldOf, findTarget, type Target, toOurChoice, unknownTarget } from './targets.ts';

/** The maximum number of words, and the maximum length of a word and of its value. */
const WORDS_MAX = 200;
const LENGTH_MAX = 100;

const listingSchemas = new Map(Object.entries(listingInput.shape));
const WITHOUT_DEFAULT: ReadonlySet<string> = new Set(['externalId', 'photos', 'metadata']);

/** A word that `values` defines, and the field for which it is defined. */
export interface WordMeaning {
  target: Target;
  /** In lower case, as `toWord` returns it. */
  word: string;
}

/** Normalizes a word, so case and extra white space do not matter. */
export function toWord(text: string): string {
  return text.normalize('NFC').trim().replaceAll(/\s+/g, ' ').toLowerCase();
}

/** Reads a key such as `status:Under contract`; returns undefined if there is no such field. */
export function parseWord(key: string): WordMeaning | undefined {
  const at = key.indexOf(':');
  const target = findWritten(key.slice(0, Math.max(at, 0)));
  return target && { target, word: toWord(key.slice(at + 1)) };
}

/** The target of a name; undefined if there is no such field, or if the server sets it. */
function findWritten(name: string): Target | undefined {
  const target = findTarget(name);
  const isWritten = target !== undefined && (target.member !== undefined || listingSchemas.has(fieldOf(target.key)));
  return isWritten ? target : undefined;
}

/** Converts a value of `values` or `defaults` to JSON. */
export function decodeMeaning(target: Target, given: string): unknown {
  const text = withoutGuards(given);
  if (target.member !== undefined) return text || null;
  return decodeCell(fieldOf(target.key), toOurChoice(target, text));
}

/** Returns the same string for all spellings of a word in a field. */
export function wordKey(key: string): string {
  const { target, word = '' } = parseWord(key) ?? {};
  return target === undefined ? key : `${target.key}.${target.member ?? ''}:${word}`;
}

export const valueWords = keyedTexts({
  max: WORDS_MAX,
  identify: wordKey,
  findIssue(key, text) {
    const meaning = parseWord(key);
    if (meaning === undefined) return findNameIssue(key);
    const { target, word } = meaning;
    if (word === '') return { code: 'blank', message: 'Must have a word after the field, as in status:Sold.' };
    if (Math.max(word.length, text.length) > LENGTH_MAX) return TOO_LONG;
    return text === '' ? undefined : findValueIssue(target, text);
  },
  description:
    'Defines what a word means in a field: `values[status:Under contract]=pending`. Case does not matter, the value ' +
    `is written as in a CSV cell, and an empty value means that the field has no value. At most ${WORDS_MAX} words.`,
  example: { 'status:Under contract': 'pending', 'listPrice:Ask': '' },
});

export const defaultValues = keyedTexts({
  max: listingSchemas.size,
  findIssue(key, text) {
    const target = findTarget(key);
    if (target === undefined || !listingSchemas.has(key) || WITHOUT_DEFAULT.has(key)) return findNameIssue(`${key}:`);
    return text === '' ? { code: 'blank', message: 'Must have a value.' } : findValueIssue(target, text);
  },
  description:
    'The value of a field in rows that do not have one: `defaults[stateOrProvince]=TX`. A default currency or unit ' +
    "applies to amounts without one, instead of the account's: `defaults[currency]=EUR`.",
  example: { stateOrProvince: 'TX', currency: 'EUR' },
});

const TOO_LONG: KeyedIssue = {
  code: 'too_long',
  message: `A word and its value can each have at most ${LENGTH_MAX} characters.`,
};

function findNameIssue(key: string): KeyedIssue {
  const [name = ''] = key.split(':');
  if (!key.includes(':')) return { code: 'invalid_format', message: 'Must be FIELD:WORD, as in status:Sold.' };
  if (WITHOUT_DEFAULT.has(name)) return { code: 'invalid_choice', message: `${name} cannot have a default.` };
  return { code: 'invalid_choice', message: unknownTarget(name, '.') };
}

function findValueIssue(target: Target, text: string): KeyedIssue | undefined {
  const schema = target.member === undefined ? listingSchemas.get(fieldOf(target.key)) : undefined;
  const { error } = schema?.safeParse(decodeMeaning(target, text), { reportInput: true }) ?? {};
  return toIssues(error?.issues ?? [])[0];
}
