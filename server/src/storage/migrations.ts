import { AppError } from '../model/errors.ts';
import { listings } from './migrations/0001-listings.ts';
import { administrators } from './migrations/0002-administrators.ts';
import { keyHours } from './migrations/0003-key-hours.ts';
import { singleUseCodes } from './migrations/0004-single-use-codes.ts';
import { keyUseBatches } from './migrations/0005-key-use-batches.ts';
import { quotas } from './migrations/0006-quotas.ts';

/** In order; each runs once, and is never changed after its release. */
export const MIGRATIONS = [listings, administrators, keyHours, singleUseCodes, keyUseBatches, quotas];

/** The version of the tables that this program needs. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** Characters that tell a database's sequences from those after a restore. */
export const EPOCH_LENGTH = 8;

/** What to tell the operator of tables that this program does not know. */
export function tooNew(name: string, version: number): AppError {
  return new AppError(
    'unavailable',
    `The database ${name} has tables of version ${version} and this program knows ${SCHEMA_VERSION}: ` +
      'a newer release has used it. Install that release or a later one, or restore a backup from before.',
  );
}
