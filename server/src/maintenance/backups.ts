import { execFile } from 'node:child_process';
import { readdir, rm } from 'node:fs/promises';
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
import { claimBackup, claimDirectory } from '../storage/last-backup.ts';
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
  /** A value of `performance.now()`, since the clock can be ahead when a backup fails. */
  let retryAtMs = 0;
  /** The time of the newest scheduled backup that this process knows of. Its file may have been moved since. */
  let newestMs = 0;
  const isDue = () => pastOnly(newestMs) < lastDueAt(settings.schedule, Date.now());
  return schedule(
    'back up the database',
    CHECK_INTERVAL_MS,
    async (signal) => {
      if (performance.now() < retryAtMs || !isDue()) return;
      try {
        using claim = claimBackup(databaseUrl);
        if (claim === undefined) return;
        await claimDirectory(directory, databaseUrl);
        // An earlier process or another service may have made the backup.
        newestMs = Math.max(pastOnly(newestMs), await findNewestBackup(directory));
        if (!isDue()) return;
        await removeUnfinished(directory);
        const startMs = Date.now();
        const made = await backUpApart(program, join(directory, backupNameAt(startMs)), signal);
        newestMs = startMs;
        const removed = await removeExpired(directory, keep);
        logger[made.warning === undefined ? 'info' : 'warn']({ ...made, removed }, 'the database is backed up');
      } catch (error) {
        if (signal.aborted) return;
        retryAtMs = performance.now() + RETRY_MS;
        failures.add({});
        logger.error({ directory, reason: reasonOf(error) }, 'the database could not be backed up');
      }
    },
    logger,
    { startsNow: true },
  );
}

/** The time of the newest scheduled backup in the directory; 0 if there is none. */
async function findNewestBackup(directory: string): Promise<number> {
  const names = await readBackups(directory);
  return Math.max(0, ...names.keys().map(pastOnly));
}

/** Replaces a time in the future, which comes from a clock that was ahead, with 0. */
function pastOnly(timeMs: number): number {
  return timeMs <= Date.now() ? timeMs : 0;
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
async function removeUnfinished(directory: string): Promise<void> {
  const names = new Set(await readdir(directory));
  for (const name of names) {
    const isDigestAlone = DIGEST.test(name) && !names.has(name.replace(DIGEST, '$1'));
    if (UNFINISHED.test(name) || isDigestAlone) await rm(join(directory, name), { force: true });
  }
}

/** @returns the names of the removed backups; other files in the directory are never removed */
async function removeExpired(directory: string, keep: BackupKeep): Promise<string[]> {
  const names = await readBackups(directory);
  const expired = findExpiredBackups([...names.keys()], keep).map((timeMs) => names.get(timeMs) ?? '');
  for (const name of expired) {
    for (const each of [name, `${name}.sha256`]) await rm(join(directory, each), { force: true });
  }
  return expired;
}

/** The names of the scheduled backups in the directory, by their times. */
async function readBackups(directory: string): Promise<Map<number, string>> {
  const names = await readdir(directory);
  return new Map(
    names.flatMap((name) => {
      const timeMs = timeOfBackup(name);
      return timeMs === undefined ? [] : [[timeMs, name]];
    }),
  );
}
