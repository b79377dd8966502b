import { cleanArea } from './areas.ts';
import { cleanChoice, cleanCountry, cleanCurrency, cleanUnit } from './choices.ts';
import { cleanBathPart, cleanBaths, cleanBeds } from './counts.ts';
import { cleanDate, type DateOrder } from './dates.ts';
import { cleanNumber, type DecimalSeparator, isZero } from './numbers.ts';
import { cleanPrice } from './prices.ts';
import type { Cleaned, Unit } from './result.ts';

export interface CleaningOptions {
  /** Without it, numeric dates are ambiguous. */
  dates: DateOrder | undefined;
  /** Without it, a number such as 267.500 is ambiguous. */
  decimal: DecimalSeparator | undefined;
  /** Whether the file might contain decimal commas, because its columns are separated by semicolons. */
  hasDecimalComma: boolean;
}

export type ValueKind =
  | 'price'
  | 'area'
  | 'beds'
  | 'baths'
  | 'bathPart'
  | 'year'
  | 'latitude'
  | 'longitude'
  | 'date'
  | 'status'
  | 'propertyType'
  | 'unit'
  | 'currency'
  | 'country'
  | 'custom'
  | 'line'
  | 'text';

/** Longer values are returned unchanged, because the rules are for short values. */
const LENGTH_MAX = 100;

/** What files contain when there is no value. In text fields, some of these words are real values. */
const EMPTY = new Set(
  'n/a na n.a. n.a n/a. none null nil - -- --- – — ? . unknown unk undefined nan tbd tba #n/a #value! #ref! #null! #div/0! blank (blank) (none)'.split(
    ' ',
  ),
).union(new Set(['not available', 'not applicable', 'not known']));
const EMPTY_TEXTS = new Set(
  'n/a n.a. null - -- --- – — #n/a #value! #ref! #null! #name? #div/0! undefined (blank) (none)'.split(' '),
);
const EMPTY_PRICES = new Set([
  ...['poa', 'price on request', 'price on application', 'price upon request', 'call for price', 'contact for price'],
  ...['contact agent', 'call agent', 'on request', 'upon request', 'undisclosed', 'not disclosed'],
]);

/** The `²` of units such as m². */
const SQUARE = /(?<=[a-z])²/gi;
/** Footnote marks, circled numbers, and fractions, which NFKC would append to the digits before them. */
const MARKS = /\p{No}/u;

/** Reads values as people write them, in linear time. `unit` is the unit in the name of an area column, if any. */
export function cleanValue(kind: ValueKind, given: string, options: CleaningOptions, unit?: Unit): Cleaned {
  if ((kind === 'custom' || kind === 'line') && /[\r\n\t]/.test(given))
    return { text: given.replaceAll(/[\r\n\t]+/g, ' ').trim() };
  if (given.length > LENGTH_MAX) return { text: given };
  const squared = kind === 'area' || kind === 'unit' ? given.replaceAll(SQUARE, '2') : given;
  const plain = squared.replaceAll('½', ' 1/2').replaceAll('¼', ' 1/4').replaceAll('¾', ' 3/4');
  if (MARKS.test(plain)) return { text: given };
  const text = plain
    .normalize('NFKC')
    .replaceAll(/[\s\u200b\ufeff]+/g, ' ')
    .replaceAll('\u2212', '-')
    .trim();
  if (text === '') return { text: '' };
  const known = kind === 'country' ? cleanCountry(text) : undefined;
  if (known !== undefined) return known;
  if (isEmpty(kind, text.toLowerCase())) return { text: '' };
  return clean(kind, text, options, unit) ?? { text: given };
}

function isEmpty(kind: ValueKind, text: string): boolean {
  if (kind === 'text' || kind === 'line' || kind === 'custom') return EMPTY_TEXTS.has(text);
  return EMPTY.has(text) || (kind === 'price' && EMPTY_PRICES.has(text));
}

function clean(kind: ValueKind, text: string, options: CleaningOptions, unit: Unit | undefined): Cleaned | undefined {
  switch (kind) {
    case 'price':
      return cleanPrice(text, options);
    case 'area':
      return cleanArea(text, unit, options);
    case 'beds':
      return cleanBeds(text, options);
    case 'baths':
      return cleanBaths(text, options);
    case 'bathPart':
      return cleanBathPart(text, options);
    case 'year':
      return cleanYear(text, options);
    case 'latitude':
      return cleanCoordinate(text, 'NS');
    case 'longitude':
      return cleanCoordinate(text, 'EW');
    case 'date':
      return cleanDate(text, options.dates);
    case 'status':
    case 'propertyType':
      return cleanChoice(kind, text);
    case 'unit':
      return cleanUnit(text);
    case 'currency':
      return cleanCurrency(text);
    case 'custom':
      return cleanAnswer(text);
    default:
      return undefined;
  }
}

function cleanYear(text: string, options: CleaningOptions): Cleaned | undefined {
  const number = cleanNumber(text, { ...options, hasDecimalComma: false });
  return number !== undefined && 'text' in number && isZero(number.text) ? { text: '' } : number;
}

/** Reads coordinates such as `30.2672° N`. */
function cleanCoordinate(text: string, directions: string): Cleaned | undefined {
  const [, degrees = '', direction = ''] = /^(-?[\d.,]+) ?°? ?([NSEW])?$/i.exec(text) ?? [];
  const letter = direction.toUpperCase();
  if (degrees === '' || !directions.includes(letter) || (letter !== '' && degrees.startsWith('-'))) return undefined;
  const number = cleanNumber(degrees, { hasDecimalComma: false, isSmall: true });
  const isNegative = letter === 'S' || letter === 'W';
  return number !== undefined && 'text' in number && isNegative ? { text: `-${number.text}` } : number;
}

/** Reads values such as `Yes` and `No`. */
function cleanAnswer(text: string): Cleaned | undefined {
  const word = text.toLowerCase();
  if (word === 'yes' || word === 'true') return { text: 'true' };
  return word === 'no' || word === 'false' ? { text: 'false' } : undefined;
}
