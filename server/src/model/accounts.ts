import { toNfc } from '../lib/nfc.ts';
import { AppError } from './errors.ts';

export const AREA_UNITS = ['sqft', 'sqm'] as const;
export type AreaUnits = (typeof AREA_UNITS)[number];

/** A tenant: everything else belongs to exactly one. */
export interface Account {
  id: string;
  name: string;
  /** The units of prices and areas without one. */
  currency: string;
  areaUnits: AreaUnits;
}

/** An account within a transaction that changes its listings. */
export interface AccountHead extends Account {
  /** The number of changes to its listings, including this transaction's. */
  sequence: number;
  /** Including this transaction's listings, if there is a quota. */
  listingCount: number;
  /** Likewise: UTF-8 bytes of its listings and of the versions in its events. */
  storedBytes: number;
  /** Its quotas; null where there is none. */
  listingsMax: number | null;
  bytesMax: number | null;
}

/** The position in an account's history. */
export interface Head {
  /** The number of changes to its listings. */
  sequence: number;
  /** Separates sequences from before and after a restore of the database. */
  epoch: string;
}

export const NAME_LENGTH_MAX = 100;

/**
 * The name of an account or a key, trimmed and in NFC.
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
