import { AppError } from '../model/errors.ts';
import { findAccountIds } from '../storage/accounts.ts';
import { COPIED_TABLES, copyTable, digestTable, type TableDigest } from '../storage/copy.ts';
import type { Database, Executor } from '../storage/database.ts';
import { beginCopy, finishCopy, getDatabaseInfo, isUnfinishedCopy } from '../storage/database-info.ts';
import { hasAdministrator } from '../storage/memberships.ts';

/** What was copied: a table's name, and what it holds in both databases. */
export type CopyReport = Record<string, TableDigest>;

/** Is told what is done, and how many rows of a table so far. */
export type CopyProgress = (step: 'copied' | 'compared', table: string, rows: number) => void;

/**
 * Fills an empty database with all that another one holds, be it of the other engine, and compares them row by row. What
 * was broken off goes on where it stopped; the copy can be served once it is whole.
 * @throws {AppError} `conflict` for a database with data of its own, and for rows that were changed meanwhile
 */
export async function copyDatabase(from: Database, to: Database, tell: CopyProgress): Promise<CopyReport> {
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
      tell('copied', table.name, copied);
    });
  }
  const report = await compare(from, to, tell);
  await to.write((transaction) => finishCopy(transaction, info));
  return report;
}

async function requireEmpty(transaction: Executor): Promise<void> {
  const accounts = await findAccountIds(transaction, '', 1);
  if (accounts.length === 0 && !(await hasAdministrator(transaction))) return;
  throw new AppError('conflict', 'The database to copy to has data of its own: name an empty one.');
}

async function compare(from: Database, to: Database, tell: CopyProgress): Promise<CopyReport> {
  const report: CopyReport = {};
  for (const table of COPIED_TABLES) {
    const [original, copy] = await Promise.all([digestTable(from, table), digestTable(to, table)]);
    if (original.rows !== copy.rows || original.digest !== copy.digest) {
      const message =
        `The table ${table.name} differs: ${original.rows} rows and ${copy.rows} in the copy. Something was changed while ` +
        'it was copied: stop the service, and copy to another empty database.';
      throw new AppError('conflict', message);
    }
    report[table.name] = copy;
    tell('compared', table.name, copy.rows);
  }
  return report;
}
