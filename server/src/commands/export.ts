import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { exportAccount, exportPerson } from '../domain/export.ts';
import { readRelease } from '../environment.ts';
import { AppError } from '../model/errors.ts';
import type { ExportedRow } from '../storage/export.ts';
import { messageOf } from './checks/finding.ts';
import { ACCOUNT_ID, addCommand, formatTable, type OutputOptions, print, withDatabase } from './command.ts';

const FILE = 'a new file, or - for standard output';
/** Only the owner can read an archive, because it contains personal data. */
const MODE = 0o600;

type Counts = Record<string, number>;

export function addAccountExport(accounts: Command): void {
  addCommand(accounts, 'export', 'write everything that is stored about an account, without secrets, as NDJSON')
    .argument('<account-id>', ACCOUNT_ID)
    .argument('<file>', FILE)
    .action((id: string, file: string, options: OutputOptions, command: Command) =>
      withDatabase((database) => writeArchive(file, { account: id }, exportAccount(database, id), options, command)),
    );
}

export function addPersonExport(administrators: Command): void {
  addCommand(administrators, 'export', 'write everything that is stored about a user, without secrets, as NDJSON')
    .argument('<file>', FILE)
    .requiredOption('--email <address>', 'the address that the user signs in with, or signed in with')
    .action((file: string, options: OutputOptions & { email: string }, command: Command) =>
      withDatabase((database) =>
        writeArchive(file, { email: options.email }, exportPerson(database, options.email), options, command),
      ),
    );
}

/** Writes an archive, which is complete if its last line has the counts. An incomplete file is removed. */
async function writeArchive(
  file: string,
  subject: object,
  rows: AsyncIterable<ExportedRow>,
  options: OutputOptions,
  command: Command,
): Promise<void> {
  const isOutput = file === '-';
  if (isOutput && options.json) command.error('error: with -, standard output is the archive; omit --json');
  const counts: Counts = {};
  const lines = Readable.from(toLines(subject, rows, counts));
  if (isOutput) await pipeline(lines, process.stdout, { end: false });
  else await writeNewFile(resolve(file), lines);
  const shown = Object.entries(counts).map(([table, count]) => [table, `${count}`]);
  if (!isOutput) print({ file: resolve(file), counts }, options, formatTable(['TABLE', 'ROWS'], shown));
}

async function writeNewFile(path: string, lines: Readable): Promise<void> {
  const file: Writable = createWriteStream(path, { flags: 'wx', mode: MODE });
  try {
    await pipeline(lines, file);
  } catch (error) {
    const { code, syscall } = Object(error);
    if (code === 'EEXIST') throw new AppError('conflict', `${path} already exists; name another file.`);
    if (syscall === 'open') throw new AppError('unavailable', `Cannot write ${path}: ${messageOf(error)}.`);
    await rm(path, { force: true });
    throw error;
  }
}

async function* toLines(subject: object, rows: AsyncIterable<ExportedRow>, counts: Counts): AsyncGenerator<string> {
  yield `${JSON.stringify({ ...subject, exportedAt: new Date().toISOString(), version: readRelease() })}\n`;
  for await (const row of rows) {
    counts[row.table] = (counts[row.table] ?? 0) + 1;
    yield `${JSON.stringify(row)}\n`;
  }
  yield `${JSON.stringify({ end: true, counts })}\n`;
}
