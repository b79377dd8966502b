import { timeOfId } from '../lib/ids.ts';
import { AppError } from '../model/errors.ts';
import { type Database, type Executor, statement } from './database.ts';
import { EPOCH_LENGTH } from './migrations.ts';
import { findRow, updateRows } from './rows.ts';

const select = findRow('database_info', [], ['cursorSecret', 'epoch']);

/** @throws {AppError} `unavailable` if the database does not respond */
export const ping = findRow('database_info', [], ['id']);

/** When the database was created (UTC milliseconds). */
export const findCreation = findRow('database_info', [], ['createdAt']);

export interface DatabaseInfo {
  /** Signs cursors; the same in all processes. */
  cursorSecret: string;
  epoch: string;
}

export async function getDatabaseInfo(executor: Executor): Promise<DatabaseInfo> {
  const info = await select(executor);
  if (info === undefined) throw new Error('The database has no database_info row');
  return info;
}

/** Prefix of the epoch of an unfinished copy. */
const UNFINISHED = 'copy-of-';

/** @throws {AppError} as `requireWhole` does */
export async function getCursorSecret(executor: Executor): Promise<string> {
  const { cursorSecret } = await requireWhole(executor);
  return cursorSecret;
}

/** @throws {AppError} `conflict` for an unfinished copy, which must not be served or changed */
export async function requireWhole(executor: Executor): Promise<DatabaseInfo> {
  const info = await getDatabaseInfo(executor);
  if (!hasUnfinishedEpoch(info)) return info;
  throw new AppError('conflict', 'The database is an unfinished copy; run the same "copy" command again.');
}

export function hasUnfinishedEpoch({ epoch }: Pick<DatabaseInfo, 'epoch'>): boolean {
  return epoch.startsWith(UNFINISHED);
}

const update = updateRows('database_info', [], ['cursorSecret', 'epoch']);

/** Marks a database as an unfinished copy of the one with this epoch. */
export async function beginCopy(executor: Executor, { cursorSecret, epoch }: DatabaseInfo): Promise<void> {
  await update(executor, { cursorSecret, epoch: UNFINISHED + epoch });
}

/** Gives a copy the original's identity, so that cursors, ETags, and sequences stay valid. */
export async function finishCopy(executor: Executor, info: DatabaseInfo): Promise<void> {
  await update(executor, info);
}

export function isUnfinishedCopy(copy: DatabaseInfo, { epoch }: DatabaseInfo): boolean {
  return copy.epoch === UNFINISHED + epoch;
}

/** Prefix of a renewed epoch, followed by the renewal time. The letter does not occur in a database's first epoch. */
const RENEWED = 'u';
/** The renewal time counts tenths of a second since 1970. */
const RENEWED_UNIT_MS = 100;
const RADIX = 36;

/**
 * The lowest version for a listing that can have undone versions: the renewal time as a number, or 0 in a database's
 * first epoch. The renewal time exceeds all earlier versions, including those that a restore has undone.
 */
export function versionFloorOf(epoch: string): number {
  return epoch.startsWith(RENEWED) ? Number.parseInt(epoch.slice(RENEWED.length), RADIX) : 0;
}

/** Whether a listing was created before the epoch with this floor. Only such a listing can have undone versions. */
export function isOlderThan(versionFloor: number, listingId: string): boolean {
  return timeOfId(listingId) < versionFloor * RENEWED_UNIT_MS;
}

const selectNewest = statement<object, { id: string | null }>((query) =>
  query.selectFrom('account_heads').select(({ fn }) => fn.max<string | null>('newest_id').as('id')),
);

/** Gives the database a new epoch. ETags and sequences of the old one are no longer valid. */
export async function renewEpoch(database: Database): Promise<string> {
  return database.write(async (transaction) => {
    const { cursorSecret, epoch: before } = await getDatabaseInfo(transaction);
    const [newest] = await transaction.execute(selectNewest, {});
    // Later than all listings and epochs, even if they were created with a clock that was ahead.
    const earlier = [timeOfId(newest?.id ?? '') / RENEWED_UNIT_MS, versionFloorOf(before)].map(Math.floor);
    const floor = Math.max(Math.floor(Date.now() / RENEWED_UNIT_MS), ...earlier.map((time) => time + 1));
    const epoch = RENEWED + floor.toString(RADIX).padStart(EPOCH_LENGTH - RENEWED.length, '0');
    await update(transaction, { cursorSecret, epoch });
    return epoch;
  });
}
