import { listings } from './migrations/0001-listings.ts';

/** In order; each runs once, and is never changed after its release. */
export const MIGRATIONS = [listings];

/** The version of the tables that this program needs. */
export const SCHEMA_VERSION = MIGRATIONS.length;
