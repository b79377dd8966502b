import { chownSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Only the operator has access, since the file contains the data of all accounts. */
export const FILE_MODE = 0o600;
/** Suffixes of the files that SQLite keeps next to a database. */
export const COMPANIONS = ['-wal', '-shm', '-journal'];

/** Gives a file that root has created to the owner of its directory: otherwise, the service could not open it. */
export function giveToService(path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(path));
  chownSync(path, uid, gid);
}
