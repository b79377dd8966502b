import { toNfc } from '../lib/nfc.ts';
import { AppError } from './errors.ts';

export const AREA_UNITS = ['sqft', 'sqm'] as const;
export type AreaUnits = (typeof AREA_UNITS)[number];

/** A tenant. Each listing, key, and event belongs to exactly one account. */
export interface Account {
  id: string;
  name: string;
  /** The default currency for prices. `areaUnits` is the default unit for areas. */
  currency: string;
  areaUnits: AreaUnits;
}

/** An account, as seen by a transaction that changes its listings. */
export interface AccountHead extends Account {
  /** The number of changes to the account's listings, including this transaction's. */
  sequence: number;
  /** The greatest id that any of the account's listings has had; empty if the account never had one. */
  newestId: string;
  /** The number of listings. `takeQuota` adds the listings that this transaction creates. */
  listingCount: number;
  /**
   * The bytes counted for the versions of the account's listings (model/history.ts). `takeQuota` adds the
   * versions that this transaction creates if `bytesMax` is set.
   */
  storedBytes: number;
  /** The account's quotas; null means no quota. */
  listingsMax: number | null;
  bytesMax: number | null;
}

/** A position in an account's history. */
export interface Head {
  /** The number of changes to the account's listings. */
  sequence: number;
  /** Distinguishes sequences assigned before a restore of the database from those assigned after it. */
  epoch: string;
}

export const NAME_LENGTH_MAX = 100;

/** Trims a name and normalizes it to NFC. @throws {AppError} `validation_failed` if the result is not a valid name */
export function parseName(text: string): string {
  const name = toNfc(text).trim();
  if (name === '' || [...name].length > NAME_LENGTH_MAX || /\p{Cc}/u.test(name) || !name.isWellFormed()) {
    throw new AppError(
      'validation_failed',
      `A name must have 1 to ${NAME_LENGTH_MAX} characters and no control characters.`,
    );
  }
  return name;
}
