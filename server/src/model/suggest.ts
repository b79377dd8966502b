import { closest, distance } from 'fastest-levenshtein';
import {
  CHOICE_HINTS,
  CHOICE_WORDS,
  FIELD_SYNONYMS,
  OPERATOR_SYNONYMS,
  PARAMETER_SYNONYMS,
  toPlain,
} from './synonyms.ts';

const SYNONYMS = [FIELD_SYNONYMS, PARAMETER_SYNONYMS, CHOICE_WORDS, CHOICE_HINTS];

const LENGTH_MAX = 100;
/** A name that can start with `-` for descending order, or end with an operator in brackets. */
const AFFIXED = /^(-?)([^[]*)(.*)$/s;

/**
 * Returns the known name that was probably meant. The given name can be another spelling of it, such as
 * `list_price`, a synonym, a typo in which at most a third of the letters differ, or its first letters.
 * `price[min]` means `listPrice[gte]`.
 */
export function suggest(given: string, known: readonly string[]): string | undefined {
  const [, sign = '', base = '', suffix = ''] = AFFIXED.exec(given.slice(0, LENGTH_MAX).toLowerCase()) ?? [];
  const operator = OPERATOR_SYNONYMS.get(suffix) ?? suffix;
  const name = sign + base + operator;
  const plain = toPlain(base);
  const bases = known
    .filter((candidate) => candidate.startsWith(sign) && candidate.endsWith(operator))
    .map((candidate) => candidate.slice(sign.length, candidate.length - operator.length));
  const meant = bases.find((candidate) => toPlain(candidate) === plain) ?? bases.find((one) => isSynonym(plain, one));
  if (meant !== undefined && plain !== '') return sign + meant + operator;
  const single = operator === '[]' ? known.find((candidate) => candidate.toLowerCase() === base) : undefined;
  return single ?? findMistyped(name, known) ?? findLonger(name, known);
}

const START_LENGTH_MIN = 3;

function findLonger(name: string, known: readonly string[]): string | undefined {
  if (name.length < START_LENGTH_MIN) return undefined;
  const longer = known.filter((candidate) => candidate.toLowerCase().startsWith(name) && !candidate.includes('['));
  return longer.sort((one, other) => one.length - other.length)[0];
}

/** The names of fields and their synonyms, as `toPlain` returns them. */
const FIELD_WORDS = new Set(
  Object.entries(FIELD_SYNONYMS).flatMap(([field, words]) => [toPlain(field), ...words.split(' ')]),
);

export function isFieldWord(name: string): boolean {
  return FIELD_WORDS.has(toPlain(name));
}

function isSynonym(plain: string, candidate: string): boolean {
  return SYNONYMS.some((words) => Object.hasOwn(words, candidate) && words[candidate]?.split(' ').includes(plain));
}

function findMistyped(name: string, known: readonly string[]): string | undefined {
  const distanceMax = Math.floor(name.length / 3);
  // The distance is at least the difference in length.
  const similar = known.filter((candidate) => Math.abs(candidate.length - name.length) <= distanceMax);
  if (similar.length === 0) return undefined;
  const nearest = closest(
    name,
    similar.map((candidate) => candidate.toLowerCase()),
  );
  if (distance(name, nearest) > distanceMax) return undefined;
  return known.find((candidate) => candidate.toLowerCase() === nearest);
}
