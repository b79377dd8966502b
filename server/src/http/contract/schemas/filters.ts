import { z } from 'zod';
import { parseTime } from '../../../lib/times.ts';
import {
  type Condition,
  FILTERS,
  type Filter,
  RANGE_OPERATORS,
  type RangeOperator,
  type SearchColumn,
} from '../../../model/search.ts';
import { foldText } from '../../../model/words.ts';
import { addIssue, date, text } from './fields.ts';
import { feedName, listingFields } from './listings.ts';
import { decimalParameter, integerParameter, integersParameter, namesParameter } from './parameters.ts';

/** The largest number that a filter accepts: the largest price or area that a listing can have. */
const NUMBER_MAX = { integer: 999_999_999_999, decimal: 999_999_999_999.99 };
/** The maximum number of values in a filter; each can cost an index lookup. */
const FILTER_VALUES_MAX = 50;
/** The length of `2026-01-31T09:30:00.000Z`. Times after the year 9999 are longer, and would sort first. */
const TIME_LENGTH = 24;

const EXAMPLES: Record<Filter['field'], string | number | string[]> = {
  status: ['active', 'pending'],
  propertyType: ['residential'],
  city: 'Austin',
  stateOrProvince: 'TX',
  postalCode: '78701',
  country: 'US',
  externalId: 'MLS-20931',
  feed: 'mls',
  beds: 3,
  baths: 2,
  listPrice: 450000,
  closePrice: 445000,
  livingArea: 1500,
  lotSizeArea: 0.25,
  yearBuilt: 1990,
  latitude: 30.2672,
  longitude: -97.7431,
  onMarketDate: '2026-11-22',
  closeDate: '2026-11-22',
  createdAt: '2026-01-01',
  updatedAt: '2026-01-31T09:30:00Z',
};

/** If a filter ignores case and accents, its schema is less strict than the field's own, so `us` finds `US`. */
const TEXTS: Record<(Filter & { type: 'text' | 'words' })['field'], z.ZodType<string, string>> = {
  city: text({ lengthMax: 50 }),
  stateOrProvince: text({ lengthMax: 50 }),
  postalCode: text({ lengthMax: 10 }),
  country: text({ lengthMax: 2 }),
  externalId: listingFields.externalId.unwrap(),
  feed: feedName,
};

const NUMBER_WORDS = { is: 'exactly', gt: 'above', gte: 'at least', lt: 'below', lte: 'at most' };
const TIME_WORDS = { gt: 'after', gte: 'at or after', lt: 'before', lte: 'at or before' };
const DATE_WORDS = { ...TIME_WORDS, gte: 'on or after', lte: 'on or before' };

const FOLDED = 'this value; case and accents are ignored, and punctuation counts as a space';

type Parameters = Record<string, z.ZodOptional<z.ZodType<Condition, string | string[]>>>;

/** The parameters of all filters, such as `beds`, `beds[gt]`, `city`, and `city[]`. */
export const filterParameters: Parameters = Object.assign({}, ...FILTERS.map(parametersOf));

function parametersOf(filter: Filter): Parameters {
  const { field, type } = filter;
  const example = EXAMPLES[field];
  switch (type) {
    case 'choice': {
      const names = namesParameter(filter.choices, `\`${field}\` is one of these values.`, example);
      return { [field]: names.transform((values) => equals(field, values)).optional() };
    }
    case 'text':
      return textsAt(filter.field, 'exactly this value', (value) => value);
    case 'words':
      return textsAt(filter.field, FOLDED, foldText);
    case 'time':
      return inRanges(field, (operator) => timeAt(field, operator));
    case 'date':
      return inRanges(field, (operator) => dateAt(field, operator));
    case 'count': {
      const description = `\`${field}\` is one of these values.`;
      const numbers = integersParameter(NUMBER_MAX.integer, FILTER_VALUES_MAX, description, [example]);
      return {
        [field]: numbers.transform((values) => equals(field, values)).optional(),
        ...inRanges(field, (operator) => numberAt(filter, operator)),
      };
    }
    default:
      return { [field]: numberAt(filter, 'is'), ...inRanges(field, (operator) => numberAt(filter, operator)) };
  }
}

function inRanges(field: string, schemaOf: (operator: RangeOperator) => Parameters[string]) {
  return Object.fromEntries(RANGE_OPERATORS.map((operator) => [`${field}[${operator}]`, schemaOf(operator)]));
}

/** The condition that a column has one of these values, which must be distinct. */
function equals(field: SearchColumn, values: readonly string[] | readonly number[]): Condition {
  const [value] = values;
  return value !== undefined && values.length === 1
    ? { field, operator: 'is', value }
    : { field, operator: 'in', value: values };
}

/** Makes two parameters, such as `city` for one value and `city[]` for several values. */
function textsAt(field: keyof typeof TEXTS, words: string, normalize: (text: string) => string): Parameters {
  const example = EXAMPLES[field];
  const one = TEXTS[field].meta({ description: `\`${field}\` is ${words}.`, example });
  const several = z
    .array(TEXTS[field])
    .max(
      FILTER_VALUES_MAX,
      `Must be given at most ${FILTER_VALUES_MAX} times; send the other values in another request.`,
    )
    .meta({
      description: `Like \`${field}\`, for up to ${FILTER_VALUES_MAX} values: \`${field}[]=…&${field}[]=…\`.`,
      example: [example],
    });
  const toCondition = (values: string[]) => equals(field, [...new Set(values.map(normalize))].sort());
  return {
    [field]: one.transform((value) => toCondition([value])).optional(),
    [`${field}[]`]: several.transform(toCondition).optional(),
  };
}

function numberAt({ field, type }: Filter, operator: 'is' | RangeOperator) {
  const isDecimal = type === 'decimal';
  const makeNumber = isDecimal ? decimalParameter : integerParameter;
  const maximum = isDecimal ? NUMBER_MAX.decimal : NUMBER_MAX.integer;
  const number = makeNumber(0, maximum, `\`${field}\` is ${NUMBER_WORDS[operator]} this value.`, EXAMPLES[field]);
  return number.transform((value): Condition => ({ field, operator, value })).optional();
}

function dateAt(field: Filter['field'], operator: RangeOperator) {
  return date(`\`${field}\` is ${DATE_WORDS[operator]} this date.`)
    .transform((value): Condition => ({ field, operator, value }))
    .optional();
}

function timeAt(field: Filter['field'], operator: RangeOperator) {
  return z
    .string()
    .transform((given, context): Condition => {
      const time = parseTime(given);
      if (time === undefined) {
        const message = 'Must be a date or a time such as 2026-01-31T09:30:00Z; encode + as %2B.';
        return addIssue(context, 'invalid_format', message);
      }
      // Stored times are whole milliseconds, so `gte` and `lt` round a fraction up.
      const isNext = !time.isExact && (operator === 'gte' || operator === 'lt');
      const value = new Date(time.timeMs + (isNext ? 1 : 0)).toISOString();
      if (value.length === TIME_LENGTH) return { field, operator, value };
      return addIssue(context, 'out_of_range', 'Must be in the years 0000 to 9999.');
    })
    .meta({
      description: `\`${field}\` is ${TIME_WORDS[operator]} this time; a date without a time is midnight UTC.`,
      example: EXAMPLES[field],
    })
    .optional();
}

/** The conditions among the parsed parameters, in the same order as in `FILTERS`. */
export function conditionsOf(query: object): Condition[] {
  return Object.values(query).filter(isCondition);
}

function isCondition(value: unknown): value is Condition {
  return typeof value === 'object' && value !== null && 'operator' in value;
}
