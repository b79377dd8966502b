import { execFile } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Logger } from 'pino';
import { createCounter } from '../lib/metrics.ts';
import {
  type BackupKeep,
  type BackupSchedule,
  backupNameAt,
  findExpiredBackups,
  lastDueAt,
  timeOfBackup,
} from '../model/backups.ts';
import { claimBackup, claimDirectory, findLastBackup } from '../storage/last-backup.ts';
import { schedule } from './schedule.ts';

/** How often to check whether a backup is due. */
const CHECK_INTERVAL_MS = 20_000;
/** The wait after a failure, for example of a network file system. */
const RETRY_MS = 900_000;
/** The backup must not delay requests. */
const NICENESS = 10;
const UNFINISHED = /^listings-\d{8}T\d{6}Z\.db\.(?:partial|rewritten)/;
const DIGEST = /^(listings-\d{8}T\d{6}Z\.db)\.sha256$/;

const failures = createCounter({
  name: 'property_listings_backup_failures_total',
  help: 'Scheduled backups that failed.',
});

export interface BackupSettings {
  schedule: BackupSchedule;
  directory: string;
  keep: BackupKeep;
}

/**
 * Backs up the SQLite database on schedule, and removes expired backups. A backup that was due while the
 * service was down is made when the service starts. Since a backup blocks its event loop, it runs in a separate
 * process. If several services share the database, only one of them makes the backup.
 * @param program the path of the program's main file
 * @returns a function that stops the schedule
 */
export function scheduleBackups(
  settings: BackupSettings,
  databaseUrl: string,
  program: string,
  logger: Logger,
): () => Promise<void> {
  const { directory, keep } = settings;
  let retryAtMs = 0;
  /** When this process last made a backup, in case the time could not be recorded in a file. */
  let madeAtMs = 0;
  const isDue = () =>
    Math.max(lastBackupMs(databaseUrl), pastOnly(madeAtMs)) < lastDueAt(settings.schedule, Date.now());
  return schedule(
    'back up the database',
    CHECK_INTERVAL_MS,
    async (signal) => {
      if (Date.now() < retryAtMs || !isDue()) return;
      try {
        using claim = claimBackup(databaseUrl);
        // Another service may have just made the backup.
        if (claim === undefined || !isDue()) return;
        claimDirectory(directory, databaseUrl);
        removeUnfinished(directory);
        const made = await backUpApart(program, join(directory, backupNameAt(Date.now())), signal);
        madeAtMs = Date.now();
        const removed = removeExpired(directory, keep);
        logger[made.warning === undefined ? 'info' : 'warn']({ ...made, removed }, 'the database is backed up');
      } catch (error) {
        if (signal.aborted) return;
        retryAtMs = Date.now() + RETRY_MS;
        failures.add({});
        logger.error({ directory, reason: reasonOf(error) }, 'the database could not be backed up');
      }
    },
    logger,
    { startsNow: true },
  );
}

function lastBackupMs(databaseUrl: string): number {
  return pastOnly((findLastBackup(databaseUrl) ?? 0) * 1_000);
}

/** Replaces a time in the future, which comes from a clock that was ahead, with 0. */
function pastOnly(timeMs: number): number {
  return timeMs > Date.now() ? 0 : timeMs;
}

/** @returns the result of `backup --json` */
async function backUpApart(program: string, file: string, signal: AbortSignal): Promise<{ warning?: string }> {
  const running = promisify(execFile)(process.execPath, [program, 'backup', file, '--json'], { signal });
  const { pid } = running.child;
  try {
    if (pid !== undefined) setPriority(pid, NICENESS);
  } catch {
    // The process has already ended.
  }
  return JSON.parse((await running).stdout);
}

/** The error that the command printed, or why it could not be run. */
function reasonOf(error: unknown): string {
  const { stderr = '', message } = Object(error);
  return /^error: (.*)$/m.exec(stderr)?.[1] ?? String(message);
}

/** Removes the files that killed backups have left behind. */
function removeUnfinished(directory: string): void {
  for (const name of readdirSync(directory)) {
    const isDigestAlone = DIGEST.test(name) && !existsSync(join(directory, name.replace(DIGEST, '$1')));
    if (UNFINISHED.test(name) || isDigestAlone) rmSync(join(directory, name), { force: true });
  }
}

/** @returns the names of the removed backups; other files in the directory are never removed */
function removeExpired(directory: string, keep: BackupKeep): string[] {
  const names = new Map(readdirSync(directory).map((name) => [timeOfBackup(name), name]));
  names.delete(undefined);
  const times = [...names.keys()].filter((timeMs) => timeMs !== undefined);
  const expired = findExpiredBackups(times, keep).map((timeMs) => names.get(timeMs) ?? '');
  for (const name of expired) {
    for (const each of [name, `${name}.sha256`]) rmSync(join(directory, each), { force: true });
  }
  return expired;
}
