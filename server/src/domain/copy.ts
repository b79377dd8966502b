import { AppError } from '../model/errors.ts';
import { findAccountIds } from '../storage/accounts.ts';
import { COPIED_TABLES, copyTable, digestTable, type TableDigest } from '../storage/copy.ts';
import type { Database, Executor } from '../storage/database.ts';
import { beginCopy, finishCopy, getDatabaseInfo, isUnfinishedCopy } from '../storage/database-info.ts';
import { hasAdministrator } from '../storage/memberships.ts';

export type CopyReport = Record<string, TableDigest>;

/** Called while a table is copied and after it is compared, with the number of rows copied so far or compared. */
export type CopyProgress = (step: 'copied' | 'compared', table: string, rows: number) => void;

/**
 * Copies a database to an empty one, on the same engine or the other one, and compares the rows of both. An interrupted
 * copy resumes where it stopped. The service does not use the target database until the copy is complete.
 * @throws {AppError} `conflict` if the target already has other data, or if rows changed during the copy
 */
export async function copyDatabase(from: Database, to: Database, onProgress: CopyProgress): Promise<CopyReport> {
  const info = await getDatabaseInfo(from);
  const unfinished = await getDatabaseInfo(to);
  if (!isUnfinishedCopy(unfinished, info)) {
    await requireEmpty(to);
    await to.write((transaction) => beginCopy(transaction, info));
  }
  for (const table of COPIED_TABLES) {
    let copied = 0;
    await copyTable(from, to, table, (rows) => {
      copied += rows;
      onProgress('copied', table.name, copied);
    });
  }
  const report = await compare(from, to, onProgress);
  await to.write((transaction) => finishCopy(transaction, info));
  return report;
}

async function requireEmpty(transaction: Executor): Promise<void> {
  const accounts = await findAccountIds(transaction, '', 1);
  if (accounts.length === 0 && !(await hasAdministrator(transaction))) return;
  throw new AppError('conflict', 'The target database is not empty; specify an empty one.');
}

async function compare(from: Database, to: Database, onProgress: CopyProgress): Promise<CopyReport> {
  const report: CopyReport = {};
  for (const table of COPIED_TABLES) {
    const [original, copy] = await Promise.all([digestTable(from, table), digestTable(to, table)]);
    if (original.rows !== copy.rows || original.digest !== copy.digest) {
      const message =
        `The table ${table.name} (${original.rows} rows) differs from its copy (${copy.rows} rows), because it ` +
        'changed during the copy. Stop the service, and copy to another empty database.';
      throw new AppError('conflict', message);
    }
    report[table.name] = copy;
    onProgress('compared', table.name, copy.rows);
  }
  return report;
}
