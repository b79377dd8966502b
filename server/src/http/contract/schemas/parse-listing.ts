import { isObject } from '../../../lib/merge-patch.ts';
import type { ValidationIssue } from '../../../model/errors.ts';
import { type ListingInput, SERVER_FIELDS } from '../../../model/listings.ts';
import { invalidFields, type KnownFields, toIssues } from './issues.ts';
import { isOptional, listingFields, listingInput } from './listings.ts';

export const FIELDS: KnownFields = {
  accepted: Object.keys(listingFields),
  readOnly: new Set(SERVER_FIELDS),
};

/** `found` contains issues that are already known. @throws {AppError} `validation_failed` with all issues */
export function parseListing(value: unknown, found: ValidationIssue[] = []): ListingInput {
  const given = isObject(value) ? withoutNulls(value) : value;
  const result = listingInput.safeParse(given, { reportInput: true });
  if (result.success && found.length === 0) {
    const issues = findLonelyFields(result.data);
    if (issues.length === 0) return result.data;
    throw invalidFields(issues);
  }
  const seen = new Set(found.map(({ field }) => field));
  const others = toIssues(result.error?.issues ?? [], FIELDS);
  const fresh = [...others, ...findLonelyFields(given)].filter(({ field }) => !seen.has(field));
  throw invalidFields([...found, ...fresh]);
}

/** The body can repeat the external id. @throws {AppError} `validation_failed` with all issues */
export function parseListingOf(externalId: string, value: unknown): ListingInput {
  if (!isObject(value)) return parseListing(value);
  const given = { externalId, ...withoutNulls(value) };
  const { success, data } = listingFields.externalId.safeParse(given.externalId);
  return parseListing(given, success && data !== externalId ? [OTHER_ID] : []);
}

const OTHER_ID: ValidationIssue = {
  field: 'externalId',
  code: 'inconsistent',
  message: 'Must match the externalId in the path, or be left out.',
};

/** Removes optional fields that are `null`, because they are treated as not sent. */
export function withoutNulls(fields: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(fields);
  if (!entries.some(([name, value]) => value === null && isOptional(name))) return fields;
  return Object.fromEntries(entries.filter(([name, value]) => value !== null || !isOptional(name)));
}

/** A field, the field that it requires, and a field that can take the required field's place. */
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
