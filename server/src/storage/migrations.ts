import { listings } from './migrations/0001-listings.ts';
import { administrators } from './migrations/0002-administrators.ts';
import { keyHours } from './migrations/0003-key-hours.ts';
import { singleUseCodes } from './migrations/0004-single-use-codes.ts';

/** In order; each runs once, and is never changed after its release. */
export const MIGRATIONS = [listings, administrators, keyHours, singleUseCodes];

/** The version of the tables that this program needs. */
export const SCHEMA_VERSION = MIGRATIONS.length;
