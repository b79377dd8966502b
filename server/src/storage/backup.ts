import { constants, existsSync, statSync } from 'node:fs';
import { chmod, copyFile, link, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import { hashFile, syncToDisk } from '../lib/files.ts';
import { AppError } from '../model/errors.ts';
import type { Database } from './database.ts';
import { renewEpoch } from './database-info.ts';
import { FILE_SCHEME, openDatabase } from './open.ts';
import { type Credentials, endCredentials } from './restored.ts';
import { makeDirectory } from './sqlite/database-file.ts';
import { explainFault, isStorageFull, RESTORE_ADVICE } from './sqlite/errors.ts';
import {
  checkIntegrity,
  compactFile,
  copyPages,
  FILE_MODE,
  findKeyIds,
  findLeftCompanion,
  replaceDatabase,
  rewrite,
} from './sqlite/snapshot.ts';

export interface Backup {
  file: string;
  /** The file with the digest, as `sha256sum` reads and writes it. */
  digestFile: string;
  sha256: string;
  bytes: number;
}

/**
 * Writes all that a database holds at one moment to a new file, reads it whole to see that it is sound, and puts its
 * digest beside it. What was deleted is not in it. The service may run meanwhile, and waits for nothing.
 * @throws {AppError} with words for the operator; then there is no file
 */
export async function backUp(databaseUrl: string, file: string): Promise<Backup> {
  const path = getDatabaseFile(databaseUrl);
  if (!existsSync(path)) throw new AppError('not_found', `There is no database ${path}.`);
  if (!existsSync(dirname(file))) throw new AppError('not_found', `There is no directory ${dirname(file)}.`);
  const digestFile = `${file}.sha256`;
  for (const name of [file, digestFile]) {
    if (existsSync(name)) throw new AppError('conflict', `${name} is there already; name another file.`);
  }
  // Whatever has the name is whole: what is broken off keeps this one.
  const partial = `${file}.partial`;
  const rewritten = `${file}.rewritten`;
  const removeUnfinished = () => Promise.all([removeDatabase(partial), removeDatabase(rewritten)]);
  await removeUnfinished();
  try {
    await copyPages(path, partial);
    // Before it is rewritten, which could hide a fault.
    checkIntegrity(partial);
    rewrite(partial, rewritten);
    await removeDatabase(partial);
    checkIntegrity(rewritten);
    const sha256 = await hashFile(rewritten);
    await writeFile(digestFile, `${sha256}  ${basename(file)}\n`, { flag: 'wx', mode: FILE_MODE });
    await Promise.all([syncToDisk(rewritten), syncToDisk(digestFile)]);
    await rename(rewritten, file);
    await syncToDisk(dirname(file));
    const { size: bytes } = await stat(file);
    return { file, digestFile, sha256, bytes };
  } catch (error) {
    await Promise.all([removeUnfinished(), rm(digestFile, { force: true })]);
    throw error instanceof AppError ? error : explainFault(`Cannot write the backup ${file}`, error);
  }
}

export interface Compacted {
  database: string;
  bytesBefore: number;
  bytes: number;
}

/**
 * Rewrites the database in its place, without free pages and without the words of deleted listings. Broken off it leaves
 * the database as it was.
 * @throws {AppError} with words for the operator: `conflict` while a process uses it
 */
export async function compact(databaseUrl: string): Promise<Compacted> {
  const database = getDatabaseFile(databaseUrl);
  if (!existsSync(database)) throw new AppError('not_found', `There is no database ${database}.`);
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
  /** Where the database is now that was there before. */
  replaced: string | undefined;
  /** Of the keys only those that the database before had not any more, where there was one. */
  credentials: Credentials;
}

/**
 * Makes a backup the database, under a new epoch: what clients know of the one before is never taken for something of this.
 * Sessions, invitations and links end, since they may have been ended after the backup.
 * @param options `force`: whether it may take the place of another database, which is kept beside it
 * @throws {AppError} with words for the operator; then everything is as it was
 */
export async function restore(databaseUrl: string, file: string, options: { force: boolean }): Promise<Restored> {
  const path = getDatabaseFile(databaseUrl);
  await verifyDigest(file);
  const isThere = existsSync(path);
  if (isThere && !options.force) {
    throw new AppError(
      'conflict',
      `${path} is there already. Stop the service if it runs; with --force this database is kept under another name.`,
    );
  }
  const companion = isThere ? undefined : findLeftCompanion(path);
  if (companion !== undefined) {
    throw new AppError('conflict', `${companion} belongs to a database that is not there; move it away first.`);
  }
  const prepared = `${path}.restoring`;
  try {
    const { epoch, credentials } = await prepare(file, prepared);
    const known = isThere ? findKeyIds(path) : new Set<string>();
    credentials.keys = credentials.keys.filter(({ id }) => !known.has(id));
    const replaced = isThere ? replaceDatabase(path, prepared) : await putInPlace(prepared, path);
    await syncToDisk(dirname(path));
    return { database: path, epoch, replaced, credentials };
  } catch (error) {
    throw error instanceof AppError ? error : explainFault(`Cannot restore ${path}`, error);
  } finally {
    await removeDatabase(prepared);
  }
}

/**
 * The file of a database that is copied and restored by us.
 * @throws {AppError} `conflict` for a database that is on a server, which has better ways of its own
 */
export function getDatabaseFile(url: string): string {
  if (url.startsWith(FILE_SCHEME)) return url.slice(FILE_SCHEME.length);
  const ways =
    'a PostgreSQL server has its own ways: pg_dump, or base backups with WAL archiving (docs/self-hosting.md)';
  throw new AppError('conflict', `backup, restore and compact are for SQLite; ${ways}.`);
}

const DIGEST = /^([0-9a-f]{64}) [ *]/;

async function verifyDigest(file: string): Promise<void> {
  const digestFile = `${file}.sha256`;
  if (!existsSync(file)) throw new AppError('not_found', `There is no ${file}.`);
  if (statSync(file).isDirectory()) {
    throw new AppError('conflict', `${file} is a directory; name a file that \`backup\` wrote.`);
  }
  if (!existsSync(digestFile)) {
    const advice = `bring along the file that \`backup\` wrote beside ${basename(file)}`;
    throw new AppError('not_found', `There is no ${digestFile}: ${advice}.`);
  }
  const written = await readFile(digestFile, 'utf8').catch((error) => refuseUnread(digestFile, error));
  const [, expected] = DIGEST.exec(written) ?? [];
  if (expected === undefined) throw new AppError('conflict', `${digestFile} holds no SHA-256 digest.`);
  if (expected === (await hashFile(file).catch((error) => refuseUnread(file, error)))) return;
  throw new AppError(
    'conflict',
    `${file} is not what ${digestFile} says: it was changed or damaged. Take another backup.`,
  );
}

function refuseUnread(file: string, cause: unknown): never {
  throw new AppError('unavailable', `Cannot read ${file}: ${getSystemErrorMessage(Object(cause).errno)}.`, { cause });
}

/** A copy with its tables up to date, and the new epoch; the backup itself stays as it is. */
async function prepare(file: string, prepared: string): Promise<Pick<Restored, 'epoch' | 'credentials'>> {
  makeDirectory(dirname(prepared));
  await removeDatabase(prepared);
  await copyFile(file, prepared, constants.COPYFILE_FICLONE);
  // Whoever has brought the backup here may have let everybody read it.
  await chmod(prepared, FILE_MODE);
  const database = await openDatabase(`file:${prepared}`).catch((error) => refuseBackup(file, prepared, error));
  const renewed = await renew(database).finally(() => database.close());
  checkIntegrity(prepared);
  await syncToDisk(prepared);
  return renewed;
}

async function renew(database: Database): Promise<Pick<Restored, 'epoch' | 'credentials'>> {
  const credentials = await database.write(endCredentials);
  return { epoch: await renewEpoch(database), credentials };
}

/** What is wrong with the copy is wrong with the backup, which is the file that the operator knows. */
function refuseBackup(file: string, prepared: string, error: unknown): never {
  if (!(error instanceof AppError) || isStorageFull(error)) throw error;
  const [reason = ''] = error.message.replaceAll(prepared, file).split(RESTORE_ADVICE);
  const words = `${file} cannot be restored, although its digest is right. ${reason.trim()} Take another backup.`;
  throw new AppError('conflict', words, { cause: error });
}

/** Unlike a renaming this never takes the place of a database that somebody has made meanwhile. */
async function putInPlace(prepared: string, path: string): Promise<undefined> {
  await link(prepared, path);
  await unlink(prepared);
}

async function removeDatabase(path: string): Promise<void> {
  await Promise.all(['', '-wal', '-shm', '-journal'].map((ending) => rm(path + ending, { force: true })));
}
