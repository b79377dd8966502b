import { isObject } from '../../../lib/merge-patch.ts';
import { isDollar } from '../../../model/clean/prices.ts';
import {
  AppError,
  attempt,
  fromPlainError,
  type PlainError,
  toPlainError,
  type ValidationIssue,
} from '../../../model/errors.ts';
import { type Listing, type ListingInput, withoutServerFields } from '../../../model/listings.ts';
import { invalidFields, toIssues } from './issues.ts';
import { withoutUnits } from './listing-patch.ts';
import { isOptional, listingInput, REQUIRED_FIELDS } from './listings.ts';
import { findDuplicates, findNameIssue, MEMBERS_MAX, normalName } from './metadata.ts';
import { FIELDS, findLonelyFields, parseListing, withoutNulls } from './parse-listing.ts';

/** The fields of a row, under the names that the API uses. */
export interface GivenRow {
  fields: Record<string, unknown>;
  /** Required fields whose values the row removes. */
  emptied: string[];
  /** Issues that were found while the row was read. */
  issues: ValidationIssue[];
}

export interface RowOptions {
  /** Whether the row changes only the fields that it has. */
  isMerge: boolean;
  /** Whether the row names a listing only by its external id; that listing might not exist. */
  isNamed: boolean;
  /** Whether errors list the invalid fields. Describing them takes longer than detecting that the row is not valid. */
  hasDetails: boolean;
}

export interface ParsedRow {
  /**
   * A merge patch of valid, normalized values, as a JSON string; or the row's error. Without `isMerge`, the patch
   * does not contain `null`.
   */
  patch: string | PatchError;
  /** Why the row cannot create or replace a listing: by itself, it is not a complete one. Undefined if it is. */
  lack: PlainError | undefined;
  /** If the row has no `currency` of its own, the one that its prices get, or `$` if the row leaves that open. */
  currencyOfPrices?: string | undefined;
}

export interface PatchError extends PlainError {
  /** The optional fields that the row gives or, if `null`, removes, to find issues that involve its listing. */
  given?: Record<string, true | null>;
}

const rowFields = listingInput.partial({ address: true, beds: true, baths: true });

/** Checks a row once for all listings that it could change, and for the one that it could create. */
export function parseRow(row: GivenRow, options: RowOptions): ParsedRow {
  const { values, removed, duplicates } = options.isMerge
    ? splitRemovals(row.fields)
    : { values: row.fields, removed: {}, duplicates: [] };
  // In a merge, `splitRemovals` has noted the removed fields.
  const given = withoutNulls(values);
  const issues = [...row.issues, ...duplicates];
  const result = rowFields.safeParse(given, { reportInput: true });
  if (result.success && row.emptied.length + issues.length === 0) {
    return { patch: JSON.stringify(withRemovals(result.data, removed)), lack: findLack(result.data, options) };
  }
  if (!options.hasDetails) return { patch: INVALID_ROW, lack: INVALID_ROW };
  const zodIssues = result.error?.issues ?? [];
  return {
    patch: describeIssues({ ...row, issues }, zodIssues),
    lack: describeListing({ ...row, fields: given, issues }),
  };
}

/** Always the same object, so a message to a thread contains it only once. */
const INVALID_ROW = toPlainError(new AppError('validation_failed', 'Fields of the row are not valid.'));

function describeIssues(row: GivenRow, zodIssues: Parameters<typeof toIssues>[0]): PatchError {
  const seen = new Set(row.issues.map(({ field }) => field));
  const others = toIssues(zodIssues, FIELDS).filter(({ field }) => !seen.has(field));
  const error = invalidFields([...row.issues, ...row.emptied.map(missing), ...others]);
  // A field with an issue can be absent from `fields`.
  const fields = [...Object.entries(row.fields), ...row.issues.map(({ field }) => [field, true] as const)];
  const given = fields.flatMap(([name, value]) => (isOptional(name) ? [[name, value === null ? null : true]] : []));
  return { ...toPlainError(error), given: Object.fromEntries(given) };
}

/** The issues of the row if it is read as a complete listing. */
function describeListing({ fields, issues }: GivenRow): PlainError | undefined {
  const result = attempt(() => parseListing(fields, issues));
  return result instanceof AppError ? toPlainError(result) : undefined;
}

/**
 * Errors by the missing fields, the fields without a field that they require, and `isNamed`, of which there are
 * few combinations. Rows that share an error object make messages between threads shorter.
 */
const lacks = new Map<string, PlainError>();

/** Why valid fields are not a complete listing. */
function findLack(data: object, { isNamed }: RowOptions): PlainError | undefined {
  const missingNames = REQUIRED_FIELDS.filter((name) => !Object.hasOwn(data, name));
  const lonely = findLonelyFields(data);
  if (missingNames.length === 0 && lonely.length === 0) return undefined;
  const key = JSON.stringify([missingNames, lonely, isNamed]);
  const known = lacks.get(key);
  if (known !== undefined) return known;
  const error = toPlainError(invalidFields([...missingNames.map(missing), ...lonely]));
  const lack = isNamed && missingNames.length > 0 ? { ...error, message: UNKNOWN_LISTING } : error;
  lacks.set(key, lack);
  return lack;
}

/** Mentions the external id, because it might be mistyped. */
const UNKNOWN_LISTING = 'No listing has this externalId; a new listing requires address, beds, and baths.';

function missing(field: string): ValidationIssue {
  const type = field === 'address' ? 'a string' : 'a number';
  return { field, code: 'required', message: `Is required: ${type}.` };
}

interface Removals {
  [name: string]: null | Record<string, null>;
}

interface SplitRow {
  values: Record<string, unknown>;
  removed: Removals;
  duplicates: ValidationIssue[];
}

/** Separates the fields and members of `metadata` that the row removes from those that it sets. */
function splitRemovals(fields: Record<string, unknown>): SplitRow {
  const removed: Removals = {};
  for (const name in fields) if (fields[name] === null && isOptional(name)) removed[name] = null;
  const { metadata } = fields;
  if (!isObject(metadata)) return { values: fields, removed, duplicates: [] };
  const duplicates = [...findDuplicates(metadata).values()];
  const entries = Object.entries(metadata);
  const nulls = entries.filter(([name, value]) => value === null && findNameIssue(normalName(name)) === undefined);
  if (nulls.length === 0) return { values: fields, removed, duplicates };
  removed.metadata = Object.fromEntries(nulls.map(([name]) => [normalName(name), null]));
  const kept = Object.fromEntries(entries.filter((entry) => !nulls.includes(entry)));
  return { values: { ...fields, metadata: kept }, removed, duplicates };
}

function withRemovals(
  data: { metadata?: object | undefined },
  { metadata, ...removed }: Removals,
): Record<string, unknown> {
  if (metadata === undefined) return { ...data, ...removed };
  return { ...data, ...removed, metadata: metadata === null ? null : { ...data.metadata, ...metadata } };
}

/** A valid merge patch, as `parseRow` returns it. */
export type RowPatch = { [Name in keyof ListingInput]?: ListingInput[Name] | null };

/** The listing that a row without `lack` creates; `text` is the row's patch. */
export function toWholeListing(text: string): ListingInput {
  const patch = JSON.parse(text);
  // A reviver would take five times as long.
  return text.includes('null') ? dropNulls({ ...patch, metadata: patch.metadata && dropNulls(patch.metadata) }) : patch;
}

/** None of the names is `__proto__`, which fields and metadata do not allow. */
function dropNulls<T>(members: Record<string, unknown>): T {
  const given: Record<string, unknown> = {};
  for (const name in members) if ((members[name] ?? null) !== null) given[name] = members[name];
  return given as T;
}

/**
 * Applies a row to a listing. Both are valid by themselves, so only the rules that involve both are checked.
 * @throws {AppError} `validation_failed`
 */
export function mergeRow(patch: RowPatch, current: Listing, currencyOfPrices?: string): ListingInput {
  const before = withoutServerFields(current);
  const merged = { ...mergeFields(patch, before), metadata: mergeMetadata(patch.metadata, before.metadata) };
  const issues = [...findLonelyFields(merged), ...findOtherCurrency(patch, before, currencyOfPrices)];
  if (Object.keys(merged.metadata ?? {}).length > MEMBERS_MAX) {
    issues.unshift({ field: 'metadata', code: 'too_long', message: `Must have at most ${MEMBERS_MAX} members.` });
  }
  if (issues.length > 0) throw invalidFields(issues);
  return merged;
}

/** An issue if a price names a currency other than the listing's, and the listing's other price would get it, too. */
function findOtherCurrency(patch: RowPatch, { currency, ...before }: ListingInput, named?: string): ValidationIssue[] {
  if (currency === undefined || named === undefined) return [];
  const isKept = PRICES.some((price) => before[price] !== undefined && !Object.hasOwn(patch, price));
  // `$` does not name a currency, so the listing keeps its own.
  const isOther = named === '$' ? !isDollar(currency) : named !== currency && isKept;
  if (!isOther) return [];
  const message = `The row has a price in ${named}, but the listing's currency is ${currency}; set the row's currency.`;
  return [{ field: 'currency', code: 'inconsistent', message }];
}

const PRICES = ['listPrice', 'closePrice'] as const;

/** The error of an invalid row, with the issues of the listing that the row would change. */
export function toMergeError({ given = {}, ...error }: PatchError, current: Listing): AppError {
  const { details = [] } = error;
  const seen = new Set(details.map(({ field }) => field));
  const lonely = findLonelyFields(mergeFields(given, withoutServerFields(current)));
  const others = lonely.filter(({ field }) => !seen.has(field));
  return others.length === 0 ? fromPlainError(error) : invalidFields([...details, ...others]);
}

function mergeFields(patch: Record<string, unknown>, before: ListingInput): ListingInput {
  const given = Object.entries(withoutUnits(patch, before));
  return { ...before, ...Object.fromEntries(given.map(([name, value]) => [name, value ?? undefined])) };
}

function mergeMetadata(patch: RowPatch['metadata'], before: ListingInput['metadata']): ListingInput['metadata'] {
  if (patch === undefined) return before;
  if (patch === null) return undefined;
  return Object.fromEntries(Object.entries({ ...before, ...patch }).filter(([, value]) => value !== null));
}
