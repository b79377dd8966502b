import { accessSync, constants, existsSync, type Stats, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../../config.ts';
import { envFile, fromBase, SECRETS, withCredentials } from '../../environment.ts';
import { findDatabaseFiles, requireDirectory } from '../../storage/inspect.ts';
import { type Finding, findingsOf, formatBytes } from './finding.ts';

const { ok, warning, failed } = findingsOf('files');
const room = findingsOf('room');
const { R_OK, W_OK } = constants;
const GROUP_AND_OTHERS = 0o077;
const OTHERS = 0o007;
const ROOT = 0;
/** The database log can grow to this size: 112 MB plus the pages of a long write (`storage/sqlite/checkpoints.ts`). */
const FREE_MIN_BYTES = 192 * 1024 * 1024;
const FREE_COMFORTABLE_BYTES = 1e9;

/**
 * Checks that the current user, who should be the service's user, can use the files, and that other users cannot.
 * @throws {AppError} if the database's directory cannot be created
 */
export function checkFiles({ dataDirectory, databaseUrl }: Config): Finding[] {
  const files = findDatabaseFiles(databaseUrl);
  const directories = files.slice(0, 1).map(dirname);
  for (const directory of directories) requireDirectory(directory);
  const stored = [...new Set([dataDirectory, ...directories, ...files])].filter((path) => existsSync(path));
  const findings = stored.flatMap((path) => [...checkAccess(path), ...checkMode(path, GROUP_AND_OTHERS)]);
  for (const path of files.filter((file) => existsSync(file))) findings.push(...checkOwner(path));
  for (const path of secretFiles().filter((file) => existsSync(file))) findings.push(...checkMode(path, OTHERS));
  if (findings.length > 0) return findings;
  if (stored.length === 0) return [ok(`the first start creates ${dataDirectory}`)];
  const what = stored.length === 1 ? '1 file or directory' : `${stored.length} files and directories`;
  return [ok(`this user can read and write ${what}, and only their owner has access`)];
}

function checkAccess(path: string): Finding[] {
  try {
    accessSync(path, R_OK | W_OK);
    return [];
  } catch {
    const { uid } = statSync(path);
    const advice = 'run the service and this command as that user';
    return [failed(`cannot read and write ${path}, which belongs to user ${uid}; ${advice}`)];
  }
}

function checkMode(path: string, forbidden: number): Finding[] {
  const stats = statSync(path);
  if ((stats.mode & forbidden) === 0) return [];
  // If root owns the file of a secret, `chmod 600` would lock out the service, even if this command runs as root.
  const isUsersOwn = stats.uid === process.getuid?.() && stats.uid !== ROOT;
  const ownerOnly = `chmod ${stats.isDirectory() ? 700 : 600} ${path}`;
  const advice = forbidden === OTHERS && !isUsersOwn ? `give it the service's group, and chmod 640 ${path}` : ownerOnly;
  return [warning(`other users can access ${path} (mode ${modeOf(stats)}); ${advice}`)];
}

function modeOf({ mode }: Stats): string {
  return (mode & 0o777).toString(8);
}

/** Reports a file whose owner is not the owner of its directory, for example because root created it. */
function checkOwner(path: string): Finding[] {
  const [file, directory] = [statSync(path), statSync(dirname(path))];
  if (file.uid === directory.uid) return [];
  const advice = `chown ${directory.uid}:${directory.gid} ${path}`;
  return [failed(`${path} belongs to user ${file.uid}, but its directory to user ${directory.uid}; ${advice}`)];
}

function secretFiles(): string[] {
  const env = withCredentials(process.env);
  return [envFile(), ...SECRETS.map((name) => fromBase(env[`${name}_FILE`] || '.env'))];
}

export function checkRoom({ databaseUrl }: Config): Finding[] {
  const [file] = findDatabaseFiles(databaseUrl);
  if (file === undefined) return [];
  let directory = dirname(file);
  while (!existsSync(directory)) directory = dirname(directory);
  const { bavail, bsize } = statfsSync(directory);
  const free = bavail * bsize;
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const text = `${directory} has ${formatBytes(free)} free, and the database takes ${formatBytes(size)}`;
  if (free < FREE_MIN_BYTES) return [room.failed(`${text}; make room: its log needs ${formatBytes(FREE_MIN_BYTES)}`)];
  if (free < Math.max(FREE_COMFORTABLE_BYTES, 2 * size))
    return [room.warning(`${text}; a backup to this disk, an upgrade, or "compact" may not fit`)];
  return [room.ok(text)];
}
