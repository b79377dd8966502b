import type { PlainError, RowIssue, ValidationIssue } from '../../model/errors.ts';
import { PROPERTY_TYPES, STATUSES } from '../../model/listings.ts';
import { suggest } from '../../model/suggest.ts';
import { UNITS } from '../contract/schemas/listing-patch.ts';
import { isOptional } from '../contract/schemas/listings.ts';

/** The maximum length of a value that is quoted in a message. */
const SHOWN_LENGTH_MAX = 40;

const CHOICES: Readonly<Record<string, readonly string[]>> = { status: STATUSES, propertyType: PROPERTY_TYPES };

/**
 * Fields whose values can be quoted in messages, which feeds store. These values are short and not
 * personal. In addition, a value that is not a number is quoted for any field that must be a number.
 */
const QUOTED: ReadonlySet<string> = new Set([
  ...['beds', 'baths', 'yearBuilt', 'latitude', 'longitude', 'onMarketDate', 'closeDate', 'country'],
  ...['status', 'propertyType', ...UNITS.flat(2)],
]);
/** Example numbers for fields that are not prices. */
const NUMBERS: Readonly<Record<string, string>> = {
  ...{ beds: '3', baths: '2', livingArea: '1850', lotSizeArea: '0.25', yearBuilt: '1998' },
  ...{ latitude: '30.2672', longitude: '-97.7431' },
};
/** Codes whose messages describe the value, such as "Must be …", so the quoted value can become their subject. */
const OF_VALUES: ReadonlySet<string> = new Set(['invalid_choice', 'invalid_format', 'not_an_integer', 'out_of_range']);

/** Quotes invalid values in messages if that is allowed, because a cell has no type that a message could name. */
export function explainTexts(error: PlainError, fields: Record<string, unknown>, isClean: boolean): PlainError {
  const details = error.details?.map((issue): RowIssue | ValidationIssue => {
    const value = fields[issue.field];
    const text = Number.isFinite(value) ? String(value) : value;
    return typeof text === 'string' ? { ...issue, message: explain(issue, text, isClean) } : issue;
  });
  return { ...error, details };
}

function explain({ field, code, message }: ValidationIssue | RowIssue, text: string, isClean: boolean): string {
  const shown = `"${text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX).toWellFormed()}…` : text}"`;
  if (code === 'invalid_type') {
    // Values of `metadata` are never quoted, because feeds store messages.
    if (!message.startsWith('Must be a number')) return 'The cell is not JSON; write it as the API returns it.';
    const problem = `${shown} is not a number such as ${NUMBERS[field] ?? '450000'}`;
    const isWord = isClean && isOptional(field) && text.length <= SHOWN_LENGTH_MAX && !/\d/.test(text);
    if (isWord) return `${problem}; if it means that there is no value, set values[${field}:${text}]=.`;
    const hint = isClean ? '.' : '; to read values such as $450,000 and 1,250 sq ft, set clean=true.';
    return `${problem}${hint}`;
  }
  if (!QUOTED.has(field) || !OF_VALUES.has(code) || message.startsWith('"')) return message;
  const choices = CHOICES[field];
  if (code !== 'invalid_choice' || choices === undefined || text.length > SHOWN_LENGTH_MAX) {
    return `${shown} ${message.charAt(0).toLowerCase()}${message.slice(1)}`;
  }
  const meant = suggest(text, choices);
  const how = `set values[${field}:${text}]=${meant ?? 'CHOICE'}.`;
  return meant === undefined
    ? `${message.slice(0, -1)}; to define what ${shown} means, ${how}`
    : `${message.slice(0, -1)}; for ${shown}, did you mean ${meant}? If so, ${how}`;
}
