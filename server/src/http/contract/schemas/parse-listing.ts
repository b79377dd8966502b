import type { ParsedJson, PropertyPath } from '../../../lib/json.ts';
import { isObject } from '../../../lib/merge-patch.ts';
import { AppError, type PlainError, toPlainError, type ValidationIssue } from '../../../model/errors.ts';
import { type ListingInput, SERVER_FIELDS } from '../../../model/listings.ts';
import { fieldName, ISSUES_MAX, invalidFields, type KnownFields, toIssues } from './issues.ts';
import { isOptional, listingFields, listingInput } from './listings.ts';

export const FIELDS: KnownFields = {
  accepted: Object.keys(listingFields),
  readOnly: new Set(SERVER_FIELDS),
};

/**
 * Checks a body that becomes a listing; `found` are issues that are already known. Without
 * `hasDetails`, the error lists no issues, because collecting them takes longer than finding the
 * first.
 * @throws {AppError} `validation_failed` with all issues
 */
export function parseListing(
  { value, inexactNumbers }: ParsedJson,
  found: ValidationIssue[] = [],
  hasDetails = true,
): ListingInput {
  if (!hasDetails && !hasRequired(value)) throw INVALID_ROW;
  const given = withoutNulls(value);
  const result = listingInput.safeParse(given, { reportInput: true });
  if (!result.success && !hasDetails) throw INVALID_ROW;
  const inexact = findInexactNumbers(inexactNumbers);
  if (result.success && inexact.length === 0 && found.length === 0) {
    const issues = findLonelyFields(result.data);
    if (issues.length === 0) return result.data;
    throw invalidFields(issues);
  }
  const seen = new Set([...found, ...inexact].map(({ field }) => field));
  const others = toIssues(result.error?.issues ?? [], FIELDS);
  const fresh = [...others, ...findLonelyFields(given)].filter(({ field }) => !seen.has(field));
  throw invalidFields([...found, ...fresh, ...inexact]);
}

export function findInexactNumbers(paths: PropertyPath[]): ValidationIssue[] {
  return paths.slice(0, ISSUES_MAX + 1).map((path) => ({
    field: fieldName(path),
    code: 'out_of_range',
    message: 'Has more digits than can be stored; a number can have 15.',
  }));
}

/** Created once, because capturing a stack takes longer than checking a row. */
const INVALID_ROW = new AppError('validation_failed', 'Fields of the row are not valid.');

export const PLAIN_INVALID_ROW = toPlainError(INVALID_ROW);

/**
 * An error of a row as plain data. `INVALID_ROW` is always the same object, which a message to a
 * thread contains only once.
 */
export function toRowIssue(error: AppError): PlainError {
  return error === INVALID_ROW ? PLAIN_INVALID_ROW : toPlainError(error);
}

/** Most invalid rows fail this check, which is ten times as fast as the schema. */
function hasRequired(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { address, beds, baths } = value;
  return typeof address === 'string' && typeof beds === 'number' && typeof baths === 'number';
}

/**
 * Checks a body that becomes the listing with this external id, which the body can repeat.
 * @throws {AppError} `validation_failed` with all issues
 */
export function parseListingOf(externalId: string, { value, inexactNumbers }: ParsedJson): ListingInput {
  if (!isObject(value)) return parseListing({ value, inexactNumbers });
  const input = parseListing({ value: { externalId, ...withoutNulls(value) }, inexactNumbers });
  if (input.externalId === externalId) return input;
  const message = 'Must match the externalId in the path, or be left out.';
  throw invalidFields([{ field: 'externalId', code: 'inconsistent', message }]);
}

/** `null` for an optional field counts as not given. */
function withoutNulls<T>(value: T): T | object {
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  if (!entries.some(([name, member]) => member === null && isOptional(name))) return value;
  return Object.fromEntries(entries.filter(([name, member]) => member !== null || !isOptional(name)));
}

/** A field, the field that it requires, and the one that can stand in for that. */
const PARTNERS: [field: keyof ListingInput, partner: keyof ListingInput, other?: keyof ListingInput][] = [
  ['currency', 'listPrice', 'closePrice'],
  ['livingAreaUnits', 'livingArea'],
  ['lotSizeUnits', 'lotSizeArea'],
  ['latitude', 'longitude'],
  ['longitude', 'latitude'],
];

export function findLonelyFields(given: unknown): ValidationIssue[] {
  const has = (name = '') => isObject(given) && given[name] !== undefined;
  const lonely = PARTNERS.filter(([field, partner, other]) => has(field) && !has(partner) && !has(other));
  return lonely.map(([field, partner, other]) => ({
    field: partner,
    code: 'inconsistent',
    message: `Is required together with ${field}${other === undefined ? '' : `, unless ${other} is given`}.`,
  }));
}
