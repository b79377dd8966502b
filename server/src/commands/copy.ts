import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { ConfigError, parseDatabaseOption, readEnvironment } from '../config.ts';
import { copyDatabase } from '../domain/copy.ts';
import { AppError } from '../model/errors.ts';
import { openDatabase } from '../storage/open.ts';
import { formatTable, type OutputOptions, print, withJsonOption } from './with-database.ts';

interface CopyOptions extends OutputOptions {
  from?: string;
  to?: string;
}

export function addCopy(program: Command): void {
  const command = program
    .command('copy')
    .description(
      'copy everything to an empty database, also of the other engine; run again, it goes on where it stopped',
    )
    .option('--from <url>', 'the database that is copied, if it is not in COPY_FROM_URL; stop the service that uses it')
    .option('--to <url>', 'an empty database, if it is not in COPY_TO_URL');
  withJsonOption(command).action(copy);
}

async function copy(options: CopyOptions): Promise<void> {
  const env = readEnvironment(process.env);
  const from = readUrl('--from', options.from, 'COPY_FROM_URL', env.COPY_FROM_URL);
  const to = readUrl('--to', options.to, 'COPY_TO_URL', env.COPY_TO_URL);
  if (from.url === to.url) throw new ConfigError(`${from.name} and ${to.name} are the same database.`);
  // Opening would make it.
  if (from.url.startsWith('file:') && !existsSync(from.url.slice('file:'.length))) {
    throw new ConfigError(`${from.name} names no database: there is no ${from.url.slice('file:'.length)}.`);
  }
  await copyBetween(from.url, to.url, options);
}

/**
 * The database that an option names, or else a variable.
 * @throws {ConfigError} also for an option with a password in it, which everybody on the machine can read while the command runs
 */
function readUrl(option: string, given: string | undefined, variable: string, value: string | undefined) {
  if (given === undefined && !value) {
    throw new ConfigError(
      `Give ${option} file:PATH, or the address of the database in the environment variable ${variable}.`,
    );
  }
  if (given !== undefined && value) throw new ConfigError(`Give ${option} or ${variable}, not both.`);
  const name = given === undefined ? variable : option;
  const url = parseDatabaseOption(name, given ?? value ?? '');
  if (given !== undefined && hasPassword(url)) {
    throw new ConfigError(
      `${option} has a password in it, which everybody on this machine could read: put the address into the environment ` +
        `variable ${variable}, or into .env.`,
    );
  }
  return { name, url };
}

function hasPassword(url: string): boolean {
  if (url.startsWith('file:')) return false;
  const { password, searchParams } = new URL(url);
  return password !== '' || searchParams.has('password');
}

async function copyBetween(fromUrl: string, toUrl: string, options: OutputOptions): Promise<void> {
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
