import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { describeMigration } from '../runtime/migration-progress.ts';
import type { Database } from '../storage/database.ts';
import { requireWhole } from '../storage/database-info.ts';
import { openDatabase, requireDatabase } from '../storage/open.ts';
import { warnOfOtherDatabase } from './checks/network.ts';

export interface OutputOptions {
  json?: true;
}

/** For commands that can be the first to use the database: they create it if it is missing. */
export const CREATES = { creates: true };

export const ACCOUNT_ID = 'account ID, as "accounts list" shows it';

/** Adds a command that prints a result. With `--json`, stdout has exactly one JSON value. */
export function addCommand(parent: Command, usage: string, description: string): Command {
  return parent.command(usage).description(description).option('--json', 'print one JSON value and nothing else');
}

/**
 * Opens the database, names it on stderr, and closes it after `work`. Creates a missing database only with
 * `creates`: if any other command finds no database, the command probably lacks the service's settings.
 * @throws {AppError} `not_found` without a database, or `conflict` for an unfinished copy
 */
export async function withDatabase<T>(work: (database: Database) => Promise<T>, { creates = false } = {}): Promise<T> {
  const tell = describeMigration((message) => console.error(message));
  const config = readConfig();
  const { databaseUrl } = config;
  if (!creates) requireDatabase(databaseUrl);
  for (const warning of await warnOfOtherDatabase(config)) console.error(warning);
  const database = await openDatabase(databaseUrl, undefined, tell);
  console.error(`database: ${database.name}`);
  try {
    // If `work` changed an unfinished copy, "copy" would later report a difference.
    await requireWhole(database);
    return await work(database);
  } finally {
    await database.close();
  }
}

export function print(value: object, options: OutputOptions, lines: string[]): void {
  console.log(options.json ? JSON.stringify(value) : lines.join('\n'));
}

/** A warning after a restore or a copy: the service would send events to the endpoints of the original database. */
export function describeWebhooks(enabled: number): string[] {
  if (enabled === 0) return [];
  return [
    `Enabled webhook endpoints: ${enabled}. The service sends them their events when it starts.`,
    'If this database is a copy, for example for tests, set WEBHOOKS=off before you start the service.',
  ];
}

export function formatTable(headings: string[], rows: string[][]): string[] {
  const table = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const formatRow = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return table.map((row) => formatRow(row).trimEnd());
}
