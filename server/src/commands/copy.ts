import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { parseDatabaseOption } from '../config.ts';
import { copyDatabase } from '../domain/copy.ts';
import { ConfigError, readEnvironment, readSecrets } from '../environment.ts';
import { AppError } from '../model/errors.ts';
import { openDatabase } from '../storage/open.ts';
import { countEnabledWebhooks } from '../storage/webhooks.ts';
import { addCommand, describeWebhooks, formatTable, type OutputOptions, print } from './command.ts';

interface CopyOptions extends OutputOptions {
  from?: string;
  to?: string;
}

const PROGRESS_INTERVAL_MS = 1_000;

export function addCopy(program: Command): void {
  addCommand(program, 'copy', 'copy everything to an empty database of either engine; run it again to resume')
    .option('--from <url>', 'the source, if COPY_FROM_URL is not set; stop its service first')
    .option('--to <url>', 'an empty database, if COPY_TO_URL is not set')
    .action(copy);
}

async function copy(options: CopyOptions, command: Command): Promise<void> {
  const env = readSecrets(readEnvironment(process.env), ['COPY_FROM_URL', 'COPY_TO_URL']);
  const from = readUrl('--from', options.from, ['COPY_FROM_URL', env.COPY_FROM_URL], command);
  const to = readUrl('--to', options.to, ['COPY_TO_URL', env.COPY_TO_URL], command);
  if (from.url === to.url) throw new ConfigError(`${from.name} and ${to.name} are the same database.`);
  // Opening a missing file would create it.
  if (from.url.startsWith('file:') && !existsSync(from.url.slice('file:'.length))) {
    throw new ConfigError(`${from.name} does not name a database: there is no file ${from.url.slice('file:'.length)}.`);
  }
  await copyBetween(from.url, to.url, options);
}

/** @throws {ConfigError}, for example for a password in an option, which other users could read */
function readUrl(
  option: string,
  given: string | undefined,
  [variable, value]: [string, string | undefined],
  command: Command,
) {
  if (given === undefined && !value)
    command.error(`error: Give ${option} file:PATH, or the database URL in the environment variable ${variable}.`);
  if (given !== undefined && value) throw new ConfigError(`Give ${option} or ${variable}, not both.`);
  const name = given === undefined ? variable : option;
  const url = parseDatabaseOption(name, given ?? value ?? '');
  if (given === undefined || !hasPassword(url)) return { name, url };
  throw new ConfigError(
    `${option} contains a password, which other users of this machine could read: ` +
      `set the environment variable ${variable} or ${variable}_FILE instead, or put it in .env.`,
  );
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
  const tables = await copyDatabase(from, to, createProgress()).catch(explainLoss);
  const webhooks = await countEnabledWebhooks(to);
  const rows = Object.entries(tables).map(([name, table]) => [name, String(table.rows), table.digest.slice(0, 16)]);
  print({ tables, webhooks }, options, [
    'Both databases have the same content:',
    ...formatTable(['TABLE', 'ROWS', 'SHA-256'], rows),
    ...describeWebhooks(webhooks),
  ]);
}

/** Replaces the advice for requests, which does not apply: a copy resumes where it stopped. */
function explainLoss(error: unknown): never {
  if (!(error instanceof AppError && (error.code === 'unavailable' || error.code === 'outcome_unknown'))) throw error;
  const message = 'The connection to a database was lost. Run the same "copy" command again to resume.';
  throw new AppError(error.code, message, { cause: error });
}

function createProgress() {
  let shownAtMs = performance.now();
  return (step: string, table: string, rows: number) => {
    if (performance.now() - shownAtMs < PROGRESS_INTERVAL_MS) return;
    shownAtMs = performance.now();
    console.error(`${step} ${table}: ${rows} rows`);
  };
}
