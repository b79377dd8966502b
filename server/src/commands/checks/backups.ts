import { accessSync, constants } from 'node:fs';
import type { Config } from '../../config.ts';
import { lastDueAt } from '../../model/backups.ts';
import { findLastBackup, requireOwnDirectory } from '../../storage/last-backup.ts';
import { type Finding, findingsOf, formatDuration, messageOf } from './finding.ts';

const { ok, warning, failed } = findingsOf('backups');
/** A backup of a large database can take this long. */
const GRACE_MS = 3_600_000;

export async function checkBackups({ databaseUrl, backups }: Config): Promise<Finding[]> {
  if (!databaseUrl.startsWith('file:')) return [ok('not checked on PostgreSQL, whose own tools make backups')];
  const lastMs = (findLastBackup(databaseUrl) ?? 0) * 1_000;
  const age = lastMs === 0 ? 'there is no backup yet' : `the last backup is ${formatDuration(Date.now() - lastMs)} old`;
  if (backups === undefined) {
    if (lastMs > 0) return [ok(age)];
    return [warning(`${age}; set BACKUP_SCHEDULE and BACKUP_DIR, or run "backup" regularly`)];
  }
  const { directory, schedule } = backups;
  try {
    accessSync(directory, constants.R_OK | constants.W_OK);
  } catch (error) {
    return [failed(`cannot write to BACKUP_DIR: ${messageOf(error)}; it must exist and belong to the service's user`)];
  }
  try {
    await requireOwnDirectory(directory, databaseUrl);
  } catch (error) {
    return [failed(messageOf(error))];
  }
  const isMissed = lastMs < lastDueAt(schedule, Date.now() - GRACE_MS);
  if (isMissed && lastMs > 0) return [failed(`${age}, and a later backup is missing; the log of the service says why`)];
  if (isMissed)
    return [warning(`${age}; the service begins the first one within a minute of its start, or its log says why not`)];
  return [ok(`${age}, and ${directory} can be written`)];
}
