import { z } from 'zod';
import { isObject, mergePatch } from '../../../lib/merge-patch.ts';
import { type Listing, type ListingInput, withoutServerFields } from '../../../model/listings.ts';
import { isOptional, listingFields } from './listings.ts';
import { findDuplicates, findNameIssue, metadataPatch, normalName } from './metadata.ts';
import { parseListing } from './parse-listing.ts';

/** A merge patch; `null` removes an optional field. */
export const listingPatch = z
  .strictObject(
    Object.fromEntries(
      Object.entries({ ...listingFields, metadata: metadataPatch.optional() }).map(([name, field]) => [
        name,
        isOptional(name) ? field.nullable().optional() : field.optional(),
      ]),
    ),
  )
  .meta({ id: 'ListingPatch' });

/** Units and their amounts: removing the last amount also removes its unit. */
export const UNITS: readonly (readonly [unit: string, amounts: readonly (keyof ListingInput)[]])[] = [
  ['currency', ['listPrice', 'closePrice']],
  ['livingAreaUnits', ['livingArea']],
  ['lotSizeUnits', ['lotSizeArea']],
];

/**
 * Applies a merge patch (RFC 7396) to a listing; `metadata` is merged member by member.
 * @throws {AppError} `validation_failed` with all issues of the result
 */
export function patchListing(value: unknown, current: Listing): ListingInput {
  const before = withoutServerFields(current);
  const duplicates = findDuplicates(isObject(value) ? value.metadata : undefined);
  const patch = isObject(value) ? withNormalNames(withoutUnits(value, before), duplicates) : value;
  return parseListing(mergePatch(before, patch, isRemovable), [...duplicates.values()]);
}

/** Whether `null` removes the member. For an unknown name, `null` is kept and becomes an issue. */
function isRemovable(name: string, within?: string): boolean {
  return within === undefined ? isOptional(name) : findNameIssue(normalName(name)) === undefined;
}

/** Members of `metadata` are matched by their stored names. */
function withNormalNames(
  patch: Record<string, unknown>,
  duplicates: ReadonlyMap<string, unknown>,
): Record<string, unknown> {
  const { metadata } = patch;
  if (!isObject(metadata)) return patch;
  const entries = Object.entries(metadata).filter(([name]) => !duplicates.has(name));
  return { ...patch, metadata: Object.fromEntries(entries.map(([name, value]) => [normalName(name), value])) };
}

export function withoutUnits(patch: Record<string, unknown>, before: ListingInput): Record<string, unknown> {
  const after = { ...before, ...patch };
  const alone = UNITS.filter(
    ([unit, amounts]) => !Object.hasOwn(patch, unit) && amounts.every((amount) => (after[amount] ?? null) === null),
  );
  if (alone.length === 0) return patch;
  return { ...patch, ...Object.fromEntries(alone.map(([unit]) => [unit, null])) };
}
