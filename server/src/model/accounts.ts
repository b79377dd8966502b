import { toNfc } from '../lib/nfc.ts';
import { AppError } from './errors.ts';

export const AREA_UNITS = ['sqft', 'sqm'] as const;
export type AreaUnits = (typeof AREA_UNITS)[number];

/** A tenant. Listings, keys, and events belong to exactly one account. */
export interface Account {
  id: string;
  name: string;
  /** The default currency of prices. `areaUnits` is the default of areas. */
  currency: string;
  areaUnits: AreaUnits;
}

/** An account as a transaction sees it that changes the account's listings. */
export interface AccountHead extends Account {
  /** The number of changes to its listings, including this transaction's. */
  sequence: number;
  /** Includes this transaction's listings if the account has a quota. */
  listingCount: number;
  /** UTF-8 bytes of its listings and of the versions in its events; includes this transaction's like `listingCount`. */
  storedBytes: number;
  /** Its quotas; null where there is none. */
  listingsMax: number | null;
  bytesMax: number | null;
}

/** A position in an account's history. */
export interface Head {
  /** The number of changes to its listings. */
  sequence: number;
  /** Distinguishes sequences from before and after a restore of the database. */
  epoch: string;
}

export const NAME_LENGTH_MAX = 100;

/**
 * Returns the name of an account or a key, trimmed and in NFC.
 * @throws {AppError} `validation_failed` if it is blank, longer than 100 code points, or has control characters
 */
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
