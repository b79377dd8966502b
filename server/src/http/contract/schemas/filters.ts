import { z } from 'zod';
import { parseTime } from '../../../lib/times.ts';
import { type Condition, FILTERS, type Filter, RANGE_OPERATORS, type RangeOperator } from '../../../model/search.ts';
import { addIssue } from './fields.ts';
import { listingFields } from './listings.ts';
import { decimalParameter, integerParameter, namesParameter } from './parameters.ts';

/** The largest price or area that a listing can have. */
const NUMBER_MAX = { integer: 999_999_999_999, decimal: 999_999_999_999.99 };
/**
 * The length of `2026-01-31T09:30:00.000Z`. Times after the year 9999 are longer, and would sort
 * first.
 */
const TIME_LENGTH = 24;

const EXAMPLES: Record<Filter['field'], string | number | string[]> = {
  status: ['active', 'pending'],
  propertyType: ['residential'],
  city: 'Austin',
  postalCode: '78701',
  externalId: 'MLS-20931',
  beds: 3,
  baths: 2,
  listPrice: 450000,
  livingArea: 1500,
  yearBuilt: 1990,
  latitude: 30.2672,
  longitude: -97.7431,
  createdAt: '2026-01-01',
  updatedAt: '2026-01-31T09:30:00Z',
};

const NUMBER_WORDS = { gt: 'above', gte: 'at least', lt: 'below', lte: 'at most' };
const TIME_WORDS = { gt: 'after', gte: 'at or after', lt: 'before', lte: 'at or before' };

type Parameters = Record<string, z.ZodOptional<z.ZodType<Condition, string>>>;

/** The parameters of all filters: `beds`, `beds[gt]`, …. */
export const filterParameters: Parameters = Object.assign({}, ...FILTERS.map(parametersOf));

function parametersOf(filter: Filter): Parameters {
  const { field, type } = filter;
  const example = EXAMPLES[field];
  switch (type) {
    case 'choice': {
      const names = namesParameter(filter.choices, `\`${field}\` is one of these values.`, example);
      return { [field]: names.transform((value): Condition => ({ field, operator: 'in', value })).optional() };
    }
    case 'text': {
      const text = listingFields[field].unwrap().meta({ description: `\`${field}\` is exactly this value.`, example });
      return { [field]: text.transform((value): Condition => ({ field, operator: 'is', value })).optional() };
    }
    case 'time':
      return Object.fromEntries(RANGE_OPERATORS.map((operator) => [`${field}[${operator}]`, timeAt(field, operator)]));
    default:
      return Object.fromEntries([
        [field, numberAt(filter, 'is', 'exactly')],
        ...RANGE_OPERATORS.map((operator) => [
          `${field}[${operator}]`,
          numberAt(filter, operator, NUMBER_WORDS[operator]),
        ]),
      ]);
  }
}

function numberAt({ field, type }: Filter, operator: 'is' | RangeOperator, words: string) {
  const isInteger = type === 'integer';
  const makeNumber = isInteger ? integerParameter : decimalParameter;
  const maximum = isInteger ? NUMBER_MAX.integer : NUMBER_MAX.decimal;
  const number = makeNumber(0, maximum, `\`${field}\` is ${words} this value.`, EXAMPLES[field]);
  return number.transform((value): Condition => ({ field, operator, value })).optional();
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

/** The conditions among the parsed parameters, in the order of `FILTERS`. */
export function conditionsOf(query: object): Condition[] {
  return Object.values(query).filter(isCondition);
}

function isCondition(value: unknown): value is Condition {
  return typeof value === 'object' && value !== null && 'operator' in value;
}
