import { AppError } from '../model/errors.ts';
import { type Database, type Executor, statement } from './database.ts';
import { EPOCH_LENGTH } from './migrations.ts';

type Nothing = Record<never, never>;

const select = statement<Nothing, { cursorSecret: string; epoch: string }>((query) =>
  query.selectFrom('database_info').select(['cursor_secret as cursorSecret', 'epoch']),
);

const selectId = statement<Nothing, { id: number }>((query) => query.selectFrom('database_info').select('id'));

/** @throws {AppError} `unavailable` if the database does not answer */
export async function ping(transaction: Executor): Promise<void> {
  await transaction.execute(selectId, {});
}

/** What every database has of its own. */
export interface DatabaseInfo {
  /** What signs cursors: it holds across restarts and processes. */
  cursorSecret: string;
  epoch: string;
}

export async function getDatabaseInfo(transaction: Executor): Promise<DatabaseInfo> {
  const [info] = await transaction.execute(select, {});
  if (info === undefined) throw new Error('The database has no database_info row');
  return info;
}

/** Stands before the epoch of a database that is being filled with the rows of another one. */
const UNFINISHED = 'copy-of-';

/** @throws {AppError} what `requireWhole` throws */
export async function getCursorSecret(transaction: Executor): Promise<string> {
  const { cursorSecret } = await requireWhole(transaction);
  return cursorSecret;
}

/** @throws {AppError} `conflict` for a copy that was not finished: it is neither served nor changed, and waiting is of no use */
export async function requireWhole(transaction: Executor): Promise<DatabaseInfo> {
  const info = await getDatabaseInfo(transaction);
  if (!info.epoch.startsWith(UNFINISHED)) return info;
  throw new AppError('conflict', 'The database is a copy that was not finished: run the same "copy" again.');
}

const update = statement<DatabaseInfo>((query, parameter) =>
  query.updateTable('database_info').set({ cursor_secret: parameter('cursorSecret'), epoch: parameter('epoch') }),
);

/** Makes a database known as an unfinished copy of the one with this epoch. */
export async function beginCopy(transaction: Executor, { cursorSecret, epoch }: DatabaseInfo): Promise<void> {
  await transaction.execute(update, { cursorSecret, epoch: UNFINISHED + epoch });
}

/** Makes a copy what the original is: its cursors, ETags and sequences go on being good. */
export async function finishCopy(transaction: Executor, info: DatabaseInfo): Promise<void> {
  await transaction.execute(update, info);
}

/** Whether a database is an unfinished copy of the one with this epoch. */
export function isUnfinishedCopy(copy: DatabaseInfo, { epoch }: DatabaseInfo): boolean {
  return copy.epoch === UNFINISHED + epoch;
}

/** Begins an epoch that is not the first, which has no such letter: behind it stands when it was renewed. */
const RENEWED = 'u';
/** In tenths of a second since 1970. */
const RENEWED_UNIT_MS = 100;
const RADIX = 36;

/**
 * The least version that a change gives a listing, in a database of this epoch. It is the time at which the epoch was renewed,
 * as a number: more than any listing had changes before, also those that a restore has taken back.
 */
export function versionFloorOf(epoch: string): number {
  return epoch.startsWith(RENEWED) ? Number.parseInt(epoch.slice(RENEWED.length), RADIX) : 0;
}

/** Gives the database a new epoch. What clients hold of the old one, such as ETags and sequences, is good no more. */
export async function renewEpoch(database: Database): Promise<string> {
  return database.write(async (transaction) => {
    const { cursorSecret, epoch: before } = await getDatabaseInfo(transaction);
    const floor = Math.max(Math.floor(Date.now() / RENEWED_UNIT_MS), versionFloorOf(before) + 1);
    const epoch = RENEWED + floor.toString(RADIX).padStart(EPOCH_LENGTH - RENEWED.length, '0');
    await transaction.execute(update, { cursorSecret, epoch });
    return epoch;
  });
}
