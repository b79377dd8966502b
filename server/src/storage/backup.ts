import { constants, createReadStream, existsSync } from 'node:fs';
import { chmod, copyFile, link, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { getSystemErrorMessage } from 'node:util';
import { hashFile, syncToDisk } from '../lib/files.ts';
import { AppError } from '../model/errors.ts';
import type { Database } from './database.ts';
import { renewEpoch } from './database-info.ts';
import { noteBackup } from './last-backup.ts';
import { FILE_SCHEME, openDatabase, requireDatabase } from './open.ts';
import { type Credentials, endCredentials, findActiveAccounts } from './restored.ts';
import { makeDirectory } from './sqlite/database-file.ts';
import { explainFault, isStorageFull, RESTORE_ADVICE } from './sqlite/errors.ts';
import { FILE_MODE, giveToService } from './sqlite/files.ts';
import {
  type Access,
  checkIntegrity,
  compactFile,
  copyPages,
  findLeftCompanion,
  readAccess,
  replaceDatabase,
  rewrite,
} from './sqlite/snapshot.ts';
import { countEnabledWebhooks } from './webhooks.ts';

export interface Backup {
  file: string;
  /** The path of the digest file, which has the format of `sha256sum`. */
  digestFile: string;
  sha256: string;
  bytes: number;
  /** Why the backup could not be recorded; undefined if it was. */
  warning?: string;
}

/**
 * Writes a consistent snapshot of a database, without deleted data, to a new file, checks the file, and
 * writes its digest next to it. A running service is not delayed.
 * @throws {AppError} with a message for the operator; a failed backup leaves no file behind
 */
export async function backUp(databaseUrl: string, file: string): Promise<Backup> {
  const path = getDatabaseFile(databaseUrl);
  requireDatabase(databaseUrl);
  // With `/.`, a file is not found.
  if (!existsSync(`${dirname(file)}/.`))
    throw new AppError('not_found', `There is no directory ${dirname(file)}; create it first.`);
  const digestFile = `${file}.sha256`;
  for (const name of [file, digestFile]) {
    if (existsSync(name)) throw new AppError('conflict', `${name} already exists; name another file.`);
  }
  // Only a complete backup gets the final name; an interrupted one leaves only files with other names.
  const rewritten = `${file}.rewritten`;
  try {
    await writeSnapshot(path, `${file}.partial`, rewritten);
    const sha256 = await hashFile(rewritten);
    await writeFile(digestFile, `${sha256}  ${basename(file)}\n`, { flag: 'wx', mode: FILE_MODE });
    await Promise.all([syncToDisk(rewritten), syncToDisk(digestFile)]);
    await rename(rewritten, file);
    await syncToDisk(dirname(file));
    const { size: bytes } = await stat(file);
    const warning = noteBackup(path, file);
    return { file, digestFile, sha256, bytes, ...(warning !== undefined && { warning }) };
  } catch (error) {
    await Promise.allSettled([removeDatabase(rewritten), rm(digestFile, { force: true })]);
    throw error instanceof AppError ? error : explainFault(`Cannot write the backup ${file}`, error);
  }
}

async function writeSnapshot(path: string, partial: string, target: string): Promise<void> {
  try {
    await Promise.all([removeDatabase(partial), removeDatabase(target)]);
    await copyPages(path, partial);
    // Checked before rewriting, which could hide damage.
    checkIntegrity(partial);
    rewrite(partial, target);
    checkIntegrity(target);
  } finally {
    await Promise.allSettled([removeDatabase(partial)]);
  }
}

/** Like `backUp`, but writes the backup to a stream, through a temporary file next to the database. */
export async function streamBackup(
  databaseUrl: string,
  output: Writable,
): Promise<Pick<Backup, 'sha256' | 'bytes' | 'warning'>> {
  const path = getDatabaseFile(databaseUrl);
  requireDatabase(databaseUrl);
  const snapshot = `${path}.backup-${process.pid}`;
  try {
    await writeSnapshot(path, `${snapshot}.partial`, snapshot);
    const [sha256, { size: bytes }] = await Promise.all([hashFile(snapshot), stat(snapshot)]);
    await pipeline(createReadStream(snapshot), output, { end: false });
    const warning = noteBackup(path, '-');
    return { sha256, bytes, ...(warning !== undefined && { warning }) };
  } catch (error) {
    throw error instanceof AppError ? error : explainFault(`Cannot back up ${path}`, error);
  } finally {
    await removeDatabase(snapshot);
  }
}

export interface Compacted {
  database: string;
  bytesBefore: number;
  bytes: number;
}

/**
 * Rewrites the database in place, without free pages or the words of deleted listings. An interruption leaves
 * the database's data unchanged.
 * @throws {AppError} with a message for the operator: `conflict` while a process uses the database
 */
export async function compact(databaseUrl: string): Promise<Compacted> {
  const database = getDatabaseFile(databaseUrl);
  requireDatabase(databaseUrl);
  const { size: bytesBefore } = await stat(database);
  const rewritten = `${database}.rewritten`;
  await removeDatabase(rewritten);
  try {
    compactFile(database, rewritten);
    await syncToDisk(dirname(database));
    return { database, bytesBefore, bytes: (await stat(database)).size };
  } catch (error) {
    throw error instanceof AppError ? error : explainFault(`Cannot compact ${database}`, error);
  } finally {
    await removeDatabase(rewritten);
  }
}

export interface Restored {
  database: string;
  epoch: string;
  /** The path to which the previous database was moved, if there was one. */
  replaced: string | undefined;
  /** Excludes the keys that the previous database also had. */
  credentials: Credentials;
  /** The keys that would have expired earlier in the previous database; null if it could not be read. */
  rolledKeys: Credentials['keys'] | null;
  /** The accounts that were suspended only in the previous database; null if it could not be read. */
  suspensions: { accountId: string; accountName: string; reason: string }[] | null;
  /** How many endpoints the service sends webhooks to. */
  webhooks: number;
}

interface Content extends Pick<Restored, 'epoch' | 'credentials' | 'webhooks'> {
  accounts: Awaited<ReturnType<typeof findActiveAccounts>>;
}

/**
 * Restores a backup under a new epoch, which invalidates ETags and sequences of the previous database. Sessions,
 * invitations, and setup links become invalid, since they may have been revoked after the backup.
 * @param options `force`: whether to replace an existing database, which is kept under another name
 * @throws {AppError} with a message for the operator, in which case nothing has changed
 */
export async function restore(databaseUrl: string, file: string, options: { force: boolean }): Promise<Restored> {
  const path = getDatabaseFile(databaseUrl);
  await verifyDigest(file);
  const isThere = existsSync(path);
  if (isThere && !options.force) {
    throw new AppError(
      'conflict',
      `${path} already exists. To replace it, stop the service and add --force; the old database is kept under another name.`,
    );
  }
  const companion = isThere ? undefined : findLeftCompanion(path);
  if (companion !== undefined) {
    throw new AppError('conflict', `${companion} belongs to a missing database; move it elsewhere first.`);
  }
  const prepared = `${path}.restoring`;
  try {
    const { accounts, ...content } = await prepare(file, prepared);
    const changed = compareAccess(content.credentials, accounts, isThere ? readAccess(path) : NO_ACCESS);
    const replaced = isThere ? replaceDatabase(path, prepared) : await putInPlace(prepared, path);
    await syncToDisk(dirname(path));
    return { database: path, replaced, ...content, ...changed };
  } catch (error) {
    throw error instanceof AppError ? error : explainFault(`Cannot restore ${path}`, error);
  } finally {
    await removeDatabase(prepared);
  }
}

const NO_ACCESS: Access = { keys: new Map(), suspensions: new Map() };

function compareAccess(credentials: Credentials, accounts: Content['accounts'], previous: Access | undefined) {
  if (previous === undefined) return { credentials, rolledKeys: null, suspensions: null };
  const { keys } = credentials;
  const expiryOf = (id: string) => previous.keys.get(id) ?? Number.POSITIVE_INFINITY;
  return {
    credentials: { ...credentials, keys: keys.filter(({ id }) => !previous.keys.has(id)) },
    rolledKeys: keys.filter(({ id, expiresAt }) => expiryOf(id) < (expiresAt ?? Number.POSITIVE_INFINITY)),
    suspensions: accounts.flatMap((account) => {
      const reason = previous.suspensions.get(account.accountId);
      return reason === undefined ? [] : [{ ...account, reason }];
    }),
  };
}

/** @throws {AppError} `conflict` for PostgreSQL, which has better backup tools of its own */
export function getDatabaseFile(url: string): string {
  if (url.startsWith(FILE_SCHEME)) return url.slice(FILE_SCHEME.length);
  const tools = 'for PostgreSQL, use pg_dump, or base backups with WAL archiving (docs/operating.md)';
  throw new AppError('conflict', `backup, restore, and compact are for SQLite; ${tools}.`);
}

const DIGEST = /^([0-9a-f]{64}) [ *]/;

async function verifyDigest(file: string): Promise<void> {
  const digestFile = `${file}.sha256`;
  const stats = await stat(file).catch((error) => {
    if (error.code === 'ENOENT')
      throw new AppError('not_found', `There is no ${file}; name a file that \`backup\` wrote.`);
    return rejectUnreadable(file, error);
  });
  if (stats.isDirectory()) {
    throw new AppError('conflict', `${file} is a directory; name a file that \`backup\` wrote.`);
  }
  if (!existsSync(digestFile)) {
    const advice = `\`backup\` wrote it next to ${basename(file)}: copy it from there`;
    throw new AppError('not_found', `There is no ${digestFile}; ${advice}.`);
  }
  const written = await readFile(digestFile, 'utf8').catch((error) => rejectUnreadable(digestFile, error));
  const [, expected] = DIGEST.exec(written) ?? [];
  if (expected === undefined)
    throw new AppError('conflict', `${digestFile} does not contain a SHA-256 digest; use another backup.`);
  if (expected === (await hashFile(file).catch((error) => rejectUnreadable(file, error)))) return;
  throw new AppError(
    'conflict',
    `${file} does not match ${digestFile}: it was changed or damaged. Use another backup.`,
  );
}

function rejectUnreadable(file: string, cause: unknown): never {
  throw new AppError('unavailable', `Cannot read ${file}: ${getSystemErrorMessage(Object(cause).errno)}.`, { cause });
}

async function prepare(file: string, prepared: string): Promise<Content> {
  makeDirectory(dirname(prepared));
  await removeDatabase(prepared);
  await copyFile(file, prepared, constants.COPYFILE_FICLONE);
  // The copy has the mode of the backup file, which may be readable by all users.
  await chmod(prepared, FILE_MODE);
  giveToService(prepared);
  const database = await openDatabase(`file:${prepared}`).catch((error) => rejectBackup(file, prepared, error));
  const renewed = await renew(database).finally(() => database.close());
  checkIntegrity(prepared);
  await syncToDisk(prepared);
  return renewed;
}

async function renew(database: Database): Promise<Content> {
  const credentials = await database.write(endCredentials);
  const webhooks = await countEnabledWebhooks(database);
  return { epoch: await renewEpoch(database), credentials, webhooks, accounts: await findActiveAccounts(database) };
}

/** In the message, replaces the path of the copy, which the operator does not know, with the path of the backup. */
function rejectBackup(file: string, prepared: string, error: unknown): never {
  if (!(error instanceof AppError) || isStorageFull(error)) throw error;
  const [reason = ''] = error.message.replaceAll(prepared, file).split(RESTORE_ADVICE);
  const message = `${file} cannot be restored, although its digest is correct. ${reason.trim()} Use another backup.`;
  throw new AppError('conflict', message, { cause: error });
}

/** Uses a link, which, unlike a rename, never replaces a database that was created in the meantime. */
async function putInPlace(prepared: string, path: string): Promise<undefined> {
  await link(prepared, path);
  await unlink(prepared);
}

async function removeDatabase(path: string): Promise<void> {
  await Promise.all(['', '-wal', '-shm', '-journal'].map((ending) => rm(path + ending, { force: true })));
}
