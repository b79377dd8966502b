import { AppError } from '../model/errors.ts';
import { listings } from './migrations/0001-listings.ts';
import { administrators } from './migrations/0002-administrators.ts';
import { keyHours } from './migrations/0003-key-hours.ts';
import { singleUseCodes } from './migrations/0004-single-use-codes.ts';
import { keyUseBatches } from './migrations/0005-key-use-batches.ts';
import { quotas } from './migrations/0006-quotas.ts';
import { search } from './migrations/0007-search.ts';
import { history } from './migrations/0008-history.ts';
import { feeds } from './migrations/0009-feeds.ts';
import { webhooks } from './migrations/0010-webhooks.ts';
import { requestLog } from './migrations/0011-request-log.ts';
import { savedViews } from './migrations/0012-saved-views.ts';
import { passkeys } from './migrations/0013-passkeys.ts';
import { historyOrder } from './migrations/0014-history-order.ts';
import { suspendableCounts } from './migrations/0015-suspendable-counts.ts';
import { indexMerges } from './migrations/0016-index-merges.ts';
import { feedFiles } from './migrations/0017-feed-files.ts';
import { feedRunSizes } from './migrations/0018-feed-run-sizes.ts';
import { feedRunSeparators } from './migrations/0019-feed-run-separators.ts';
import type { Migration } from './migrations/migration.ts';

/** Migrations in order. Each runs once per database, and its SQL must not change after its release. */
export const MIGRATIONS: readonly Migration[] = [
  listings,
  administrators,
  keyHours,
  singleUseCodes,
  keyUseBatches,
  quotas,
  search,
  history,
  feeds,
  webhooks,
  requestLog,
  savedViews,
  passkeys,
  historyOrder,
  suspendableCounts,
  indexMerges,
  feedFiles,
  feedRunSizes,
  feedRunSeparators,
];

export const SCHEMA_VERSION = MIGRATIONS.length;

export const EPOCH_LENGTH = 8;

export function tooNew(name: string, version: number): AppError {
  return new AppError(
    'unavailable',
    `The database ${name} has schema version ${version}, but this release supports only versions up to ` +
      `${SCHEMA_VERSION}. Install the newer release that migrated it, or restore an earlier backup.`,
  );
}
