import type { ParsedJson } from '../../../lib/json.ts';
import { isObject } from '../../../lib/merge-patch.ts';
import { AppError, type PlainError, toPlainError, type ValidationIssue } from '../../../model/errors.ts';
import type { ListingInput } from '../../../model/listings.ts';
import { fieldName, ISSUES_MAX, invalidFields, type KnownFields, toIssues } from './issues.ts';
import { isOptional, listingFields, listingInput } from './listings.ts';

const FIELDS: KnownFields = {
  accepted: Object.keys(listingFields),
  readOnly: new Set(['id', 'version', 'createdAt', 'updatedAt']),
};

/**
 * Checks a body that is to become a listing; `found` are faults of it that are known already. Without `hasDetails` the
 * error only says that there are faults: to work them out takes longer than to find that there are some.
 * @throws {AppError} `validation_failed` with every fault there is
 */
export function parseListing(
  { value, inexactNumbers }: ParsedJson,
  found: ValidationIssue[] = [],
  hasDetails = true,
): ListingInput {
  if (!hasDetails && !hasRequired(value)) throw ROW_FAULT;
  const given = withoutNulls(value);
  const result = listingInput.safeParse(given, { reportInput: true });
  if (!result.success && !hasDetails) throw ROW_FAULT;
  const inexact = inexactNumbers.slice(0, ISSUES_MAX + 1).map((path) => ({
    field: fieldName(path),
    code: 'out_of_range' as const,
    message: 'Has more digits than can be kept; a number may have 15.',
  }));
  if (result.success && inexact.length === 0 && found.length === 0) {
    const issues = findLonelyFields(result.data);
    if (issues.length === 0) return result.data;
    throw invalidFields(issues);
  }
  const seen = new Set(inexact.map(({ field }) => field));
  const others = toIssues(result.error?.issues ?? [], FIELDS).filter(({ field }) => !seen.has(field));
  throw invalidFields([...found, ...others, ...inexact, ...findLonelyFields(given)]);
}

/** Made once: to find out where an error is made takes longer than to check a row. */
const ROW_FAULT = new AppError('validation_failed', 'Fields of the row are not valid.');

const PLAIN_ROW_FAULT = toPlainError(ROW_FAULT);

/** An error of a row as plain data: the same again and again where it is that one, so that it is passed between threads once. */
export function toRowIssue(error: AppError): PlainError {
  return error === ROW_FAULT ? PLAIN_ROW_FAULT : toPlainError(error);
}

/** What every listing has: most rows that fail do not, and this is seen ten times as fast. */
function hasRequired(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { address, beds, baths } = value;
  return typeof address === 'string' && typeof beds === 'number' && typeof baths === 'number';
}

/**
 * Checks a body that is to become the listing with this external id, which it may repeat.
 * @throws {AppError} `validation_failed` with every fault there is
 */
export function parseListingOf(externalId: string, { value, inexactNumbers }: ParsedJson): ListingInput {
  if (!isObject(value)) return parseListing({ value, inexactNumbers });
  const input = parseListing({ value: { externalId, ...withoutNulls(value) }, inexactNumbers });
  if (input.externalId === externalId) return input;
  const message = 'Must be the one in the path, or be left out.';
  throw invalidFields([{ field: 'externalId', code: 'inconsistent', message }]);
}

/** `null` for an optional field means that it was not given. */
function withoutNulls<T>(value: T): T | object {
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  if (!entries.some(([name, member]) => member === null && isOptional(name))) return value;
  return Object.fromEntries(entries.filter(([name, member]) => member !== null || !isOptional(name)));
}

/** Fields that mean nothing without another: [field, its partner]. */
const PARTNERS: [keyof ListingInput, keyof ListingInput][] = [
  ['currency', 'listPrice'],
  ['livingAreaUnits', 'livingArea'],
  ['lotSizeUnits', 'lotSizeArea'],
  ['latitude', 'longitude'],
  ['longitude', 'latitude'],
];

function findLonelyFields(given: unknown): ValidationIssue[] {
  const has = (name: string) => typeof given === 'object' && given !== null && name in given;
  return PARTNERS.filter(([field, partner]) => has(field) && !has(partner)).map(([field, partner]) => ({
    field: partner,
    code: 'inconsistent',
    message: `Is required together with ${field}.`,
  }));
}
