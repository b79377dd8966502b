import { toNfc } from '../lib/nfc.ts';
import { AppError } from './errors.ts';

export const AREA_UNITS = ['sqft', 'sqm'] as const;
export type AreaUnits = (typeof AREA_UNITS)[number];

/** A tenant: everything else belongs to exactly one. */
export interface Account {
  id: string;
  name: string;
  /** What a listing gets that names a price or an area without its unit. */
  currency: string;
  areaUnits: AreaUnits;
}

/** An account whose listings are being changed. */
export interface AccountHead extends Account {
  /** How many changes its listings have seen, with those of the transaction that is open. */
  sequence: number;
  /** With those of the transaction that is open, as far as there is a quota. */
  listingCount: number;
  /** Likewise: UTF-8 bytes of its listings, and of the versions that its events keep. */
  storedBytes: number;
  /** Its quotas; null where there is none. */
  listingsMax: number | null;
  bytesMax: number | null;
}

/** Where an account's history stands. */
export interface Head {
  /** How many changes its listings have seen. */
  sequence: number;
  /** Tells sequences from before a restore of the database from those after. */
  epoch: string;
}

export const NAME_LENGTH_MAX = 100;

/**
 * The name of an account or a key, trimmed and NFC.
 * @throws {AppError} `validation_failed` when it is blank, longer than 100 code points or not plain text
 */
export function parseName(text: string): string {
  const name = toNfc(text).trim();
  if (name === '' || [...name].length > NAME_LENGTH_MAX || /\p{Cc}/u.test(name) || !name.isWellFormed()) {
    throw new AppError(
      'validation_failed',
      `A name has 1 to ${NAME_LENGTH_MAX} characters, none of them control characters.`,
    );
  }
  return name;
}
