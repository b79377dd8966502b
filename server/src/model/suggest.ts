import { closest, distance } from 'fastest-levenshtein';
import { CHOICE_HINTS, CHOICE_WORDS, FIELD_SYNONYMS, PARAMETER_SYNONYMS, toPlain } from './synonyms.ts';

const SYNONYMS = [FIELD_SYNONYMS, PARAMETER_SYNONYMS, CHOICE_WORDS, CHOICE_HINTS];

const LENGTH_MAX = 100;
/** A name with the `-` of a descending order before it, or an operator in brackets behind it. */
const AFFIXED = /^(-?)([^[]*)(.*)$/s;

/**
 * The known name that is probably meant: the same name in another spelling such as `list_price`, a
 * synonym, or a mistyped name of which at most a third of the letters differ. `price[gte]` means
 * `listPrice[gte]`.
 */
export function suggest(given: string, known: readonly string[]): string | undefined {
  const name = given.slice(0, LENGTH_MAX).toLowerCase();
  const [, sign = '', base = '', operator = ''] = AFFIXED.exec(name) ?? [];
  const plain = toPlain(base);
  const bases = known
    .filter((candidate) => candidate.startsWith(sign) && candidate.endsWith(operator))
    .map((candidate) => candidate.slice(sign.length, candidate.length - operator.length));
  const meant = bases.find((candidate) => toPlain(candidate) === plain) ?? bases.find((one) => isSynonym(plain, one));
  return meant === undefined || plain === '' ? findMistyped(name, known) : sign + meant + operator;
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
