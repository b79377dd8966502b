import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { ConfigError, parseDatabaseOption } from '../config.ts';
import { copyDatabase } from '../domain/copy.ts';
import { AppError } from '../model/errors.ts';
import { openDatabase } from '../storage/open.ts';
import { formatTable, type OutputOptions, print, withJsonOption } from './with-database.ts';

interface CopyOptions extends OutputOptions {
  from: string;
  to: string;
}

export function addCopy(program: Command): void {
  const command = program
    .command('copy')
    .description(
      'copy everything to an empty database, also of the other engine; run again, it goes on where it stopped',
    )
    .requiredOption('--from <url>', 'the database that is copied; stop the service that uses it')
    .requiredOption('--to <url>', 'an empty database');
  withJsonOption(command).action(copy);
}

async function copy(options: CopyOptions): Promise<void> {
  const fromUrl = parseDatabaseOption('--from', options.from);
  const toUrl = parseDatabaseOption('--to', options.to);
  if (fromUrl === toUrl) throw new ConfigError('--from and --to are the same database.');
  // Opening would make it.
  if (fromUrl.startsWith('file:') && !existsSync(fromUrl.slice('file:'.length))) {
    throw new ConfigError(`--from names no database: there is no ${fromUrl.slice('file:'.length)}.`);
  }
  await using stack = new AsyncDisposableStack();
  const from = stack.adopt(await openDatabase(fromUrl), (database) => database.close());
  const to = stack.adopt(await openDatabase(toUrl), (database) => database.close());
  console.error(`from: ${from.name}\nto: ${to.name}`);
  const tell = progress();
  const tables = await copyDatabase(from, to, tell).catch(explainLoss);
  const rows = Object.entries(tables).map(([name, table]) => [name, String(table.rows), table.digest.slice(0, 16)]);
  const lines = ['Both databases hold the same:', ...formatTable(['TABLE', 'ROWS', 'SHA-256'], rows)];
  print({ tables }, options, lines);
}

/** What a request is told of a lost database is of no use here: whatever was stored, a copy goes on after it. */
function explainLoss(error: unknown): never {
  if (!(error instanceof AppError && (error.code === 'unavailable' || error.code === 'outcome_unknown'))) throw error;
  const message = 'The database was lost meanwhile. Run the same "copy" again: it goes on where it stopped.';
  throw new AppError(error.code, message, { cause: error });
}

const PROGRESS_INTERVAL_MS = 1_000;

/** Says now and then how far it is. */
function progress() {
  let saidAtMs = performance.now();
  return (step: string, table: string, rows: number) => {
    if (performance.now() - saidAtMs < PROGRESS_INTERVAL_MS) return;
    saidAtMs = performance.now();
    console.error(`${step} ${table}: ${rows} rows`);
  };
}
