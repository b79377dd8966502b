import type { ImportReport, PropertyListings } from '@property-listings/client';
import { ApiError } from '@property-listings/client';
import { type Command, Option } from 'commander';
import { chooseFormat, parseMapping } from '../arguments.ts';
import { type CurlOptions, withClient, withCurlOption } from '../connection.ts';
import { EXIT, usageError } from '../exit-codes.ts';
import { ImportFile } from '../import-file.ts';
import { writeFailedRow, writeImportReport } from '../output/import-report.ts';
import { type RecordOptions, withJsonOption } from '../output/record.ts';
import { note } from '../output/standard-output.ts';

const FORMATS = ['ndjson', 'csv', 'json'] as const;
const DATE_ORDERS = ['mdy', 'dmy'] as const;
const MODES = ['merge', 'replace'] as const;

interface ImportOptions extends CurlOptions, RecordOptions {
  format?: (typeof FORMATS)[number];
  atomic?: true;
  dryRun?: true;
  map?: Record<string, string>;
  clean?: true;
  dates?: (typeof DATE_ORDERS)[number];
  mode?: (typeof MODES)[number];
  ignoreUnknown?: true;
  allErrors?: true;
}

export function addImport(program: Command): void {
  const command = program
    .command('import')
    .description('create and update many listings; report invalid rows and save the others')
    .argument('<file>', 'NDJSON, CSV, or a JSON array, optionally gzipped (.gz); - for stdin')
    .addOption(new Option('--format <format>', `${FORMATS.join(', ')}; default: by the file name`).choices(FORMATS))
    .option('--atomic', 'save all rows or none; at most 10,000 rows')
    .option('--dry-run', 'report what would happen without changing anything')
    .option('--map <column=field>', 'name the field of a column; nothing after = skips it; repeatable', parseMapping)
    .option('--clean', 'read values as people write them, such as $450,000')
    .addOption(
      new Option('--dates <order>', 'with --clean, the order of dates such as 03/04/2026').choices(DATE_ORDERS),
    )
    .addOption(new Option('--mode <mode>', 'what a row does to its listing; default: merge').choices(MODES))
    .option('--ignore-unknown', 'skip columns that the service does not know')
    .option('--all-errors', 'report every invalid row, not only the first 100');
  withCurlOption(withJsonOption(command))
    .addHelpText(
      'after',
      `
A row whose "externalId" or "id" exists changes that listing, so you can import
the same file again, even after Ctrl-C. Other rows create a listing each time.
Columns that the file does not have stay as they are, and an empty cell removes
its field; with --mode replace, missing columns are removed, too.

If any row is invalid, the exit code is 1. To see all invalid rows of a file
before you import it, use --dry-run --all-errors.

Examples:
  $ listings import listings.csv --dry-run
  $ listings import feed.csv --map Price=listPrice --map Notes=metadata.notes \
      --map Agent= --clean --dates mdy
  $ zcat listings.ndjson.gz | listings import - --format ndjson`,
    )
    .action(async (file: string, options: ImportOptions, command: Command) => {
      const { format: given, atomic, dryRun, map, clean, dates, mode, ignoreUnknown } = options;
      if (file === '-' && given === undefined) usageError(command, 'Set --format to import from stdin.');
      const isGzip = file.toLowerCase().endsWith('.gz');
      const format = given ?? chooseFormat(FORMATS, isGzip ? file.slice(0, -3) : file, command);
      const reading = { map, clean, dates, mode, ignoreUnknown };
      const sent = { format, atomic, dryRun, ...reading, headers: isGzip ? GZIP : {} };
      const work = (client: PropertyListings) => importFile(client, new ImportFile(file), sent, options);
      await withClient(options, work, { sent: file });
    });
}

const GZIP = { 'Content-Encoding': 'gzip' };

type ClientOptions = Parameters<PropertyListings['imports']['create']>[1];

async function importFile(client: PropertyListings, source: ImportFile, sent: ClientOptions, options: ImportOptions) {
  try {
    const report = await send(client, source, withFailures(sent, source, options), options);
    if (report.failed > 0) process.exitCode = EXIT.failure;
    await writeImportReport(report, options);
  } catch (error) {
    // Rows saved before the failure stay saved; the error contains the report so far.
    const members = error instanceof ApiError ? error.members : {};
    if (hasRows(members)) await writeImportReport(members, options);
    throw source.fault ?? error;
  }
}

/** Writes each failed row as it arrives. */
function withFailures(sent: ClientOptions, source: ImportFile, options: ImportOptions): ClientOptions {
  if (!options.allErrors) return sent;
  return {
    ...sent,
    onFailure: (failure) => {
      source.progress.clear();
      writeFailedRow(failure);
    },
  };
}

async function send(
  client: PropertyListings,
  source: ImportFile,
  sent: ClientOptions,
  options: ImportOptions,
): Promise<ImportReport> {
  const onExit = () => {
    source.progress.clear();
    note(describeInterruption(source.describeSent(), options));
  };
  process.once('exit', onExit);
  try {
    // With --curl, the file is not read: its name decides whether it is compressed.
    const headers = options.curl ? sent?.headers : { ...((await source.isCompressed()) && GZIP) };
    return await client.imports.create(source.read(), { ...sent, headers });
  } finally {
    process.off('exit', onExit);
    source.progress.clear();
  }
}

function describeInterruption(sent: string, { atomic, dryRun }: ImportOptions): string {
  const start = `Interrupted after sending ${sent}.`;
  if (dryRun) return `${start} A dry run changes nothing.`;
  if (atomic) return `${start} Either all rows were saved or none; check with "listings list".`;
  return (
    `${start} Rows up to about this point are saved. To save the rest, import the file again: ` +
    'rows with an externalId or id are updated; others are created a second time.'
  );
}

/** Whether the service processed any row before the import failed. */
function hasRows({ created, updated, unchanged, failed }: Record<string, unknown>): boolean {
  return [created, updated, unchanged, failed].some((count) => typeof count === 'number' && count > 0);
}
