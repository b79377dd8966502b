import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import type { Database } from '../storage/database.ts';
import { requireWhole } from '../storage/database-info.ts';
import { openDatabase } from '../storage/open.ts';

export interface OutputOptions {
  json?: true;
}

/** Every command that answers takes `--json`: then stdout has exactly one JSON value. */
export function withJsonOption(command: Command): Command {
  return command.option('--json', 'print one JSON value and nothing else');
}

/** Opens the database, says which on stderr, runs `work`, and closes it. @throws {AppError} `conflict` for an unfinished copy */
export async function withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(readConfig().databaseUrl);
  console.error(`database: ${database.name}`);
  try {
    // What is changed in an unfinished copy "copy" would find to be different.
    await requireWhole(database);
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Prints a result as JSON, or as `lines` for a person. */
export function print(value: object, options: OutputOptions, lines: string[]): void {
  console.log(options.json ? JSON.stringify(value) : lines.join('\n'));
}

/** Rows for a person, in columns below their headings. */
export function formatTable(headings: string[], rows: string[][]): string[] {
  const table = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
