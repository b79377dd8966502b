import { z } from 'zod';
import { toNfc } from '../../../lib/nfc.ts';
import { NEWEST_FIRST, type Order, type Search, SORT_FIELDS } from '../../../model/search.ts';
import { WORD_LENGTH_MAX } from '../../../model/search-terms.ts';
import { cutWords } from '../../../model/words.ts';
import { addIssue, findTextIssue } from './fields.ts';
import { conditionsOf, filterParameters } from './filters.ts';
import { choiceParameter } from './parameters.ts';
import { boxParameter, nearParameter, radiusParameter } from './places.ts';

/** Far more characters than users type. The limit bounds the cost of the search. */
const WORDS_LENGTH_MAX = 200;
/** Normalization turns one character into up to six letters, such as ㌖ into キロメートル. */
const LONG_WORD = `Must not contain a word of more than ${WORD_LENGTH_MAX} characters after Unicode normalization (NFKD).`;

const ORDERS = new Map<string, Order>(
  ([...SORT_FIELDS, 'distance'] as const).flatMap((by) => [
    [by, { by, isDescending: false }],
    [`-${by}`, { by, isDescending: true }],
  ]),
);

const wordsParameter = z
  .string()
  .transform((given, context): string[] => {
    const issue = findTextIssue(toNfc(given).trim(), WORDS_LENGTH_MAX, true);
    if (issue !== undefined) return addIssue(context, issue.code, issue.message);
    const words = [...new Set(cutWords(given))].sort();
    if (words.some(({ length }) => length > WORD_LENGTH_MAX)) return addIssue(context, 'too_long', LONG_WORD);
    return words.length > 0 ? words : addIssue(context, 'blank', 'Must contain a letter or a digit.');
  })
  .meta({
    maxLength: WORDS_LENGTH_MAX,
    description:
      'Listings in which each of these words begins a word of `address`, `unitNumber`, `city`, `postalCode`, ' +
      '`externalId`, or `description`; case and accents are ignored, and punctuation separates words.',
    example: 'elm str',
  })
  .optional();

export const searchParameters = {
  ...filterParameters,
  bbox: boxParameter,
  near: nearParameter,
  radius: radiusParameter,
  q: wordsParameter,
  sort: choiceParameter(
    [...ORDERS.keys()],
    'The field to sort by, with `-` for descending order; default newest first. Listings without the field come last in ' +
      'both orders, and ties are sorted newest first. `distance` is the distance from `near`; if `near` is given, it ' +
      'is the default.',
    '-listPrice',
  )
    .transform((name) => ORDERS.get(name))
    .optional(),
};

export const SEARCH_PARTNERS = [
  ['near', 'radius'],
  ['radius', 'near'],
  ['sort', 'near', 'distance'],
] as const;

const searchQuery = z.object(searchParameters);

/** Normalizes a query, so equivalent queries result in the same search. */
export function toSearch(query: z.output<typeof searchQuery>): Search {
  const { bbox, near, radius, q = [], sort } = query;
  const circle = near !== undefined && radius !== undefined ? { ...near, radiusMetres: radius } : undefined;
  const natural: Order = circle === undefined ? NEWEST_FIRST : { by: 'distance', isDescending: false };
  return { conditions: conditionsOf(query), box: bbox, circle, words: q, order: sort ?? natural };
}
