import type { ImportReport, PropertyListings } from '@property-listings/client';
import { ApiError } from '@property-listings/client';
import { type Command, Option } from 'commander';
import { type CurlOptions, withClient, withCurlOption } from '../connection.ts';
import { EXIT, usageError } from '../exit-codes.ts';
import { chooseFormat } from '../formats.ts';
import { ImportFile } from '../import-file.ts';
import { writeImportReport } from '../output/import-report.ts';
import { type RecordOptions, withJsonOption } from '../output/record.ts';
import { note } from '../output/standard-output.ts';

const FORMATS = ['ndjson', 'csv', 'json'] as const;

interface ImportOptions extends CurlOptions, RecordOptions {
  format?: (typeof FORMATS)[number];
  atomic?: true;
  dryRun?: true;
  ignoreUnknown?: true;
}

export function addImport(program: Command): void {
  const command = program
    .command('import')
    .description('create and change many listings; refused rows are named, the others are kept')
    .argument('<file>', 'NDJSON, CSV or a JSON array, also packed (.gz); - for stdin')
    .addOption(
      new Option('--format <format>', `${FORMATS.join(', ')}; without it, what the name of the file says`).choices(
        FORMATS,
      ),
    )
    .option('--atomic', 'all rows or none; at most 10,000')
    .option('--dry-run', 'change nothing, and report what would happen')
    .option('--ignore-unknown', 'skip the columns of a CSV file that the service does not know');
  withCurlOption(withJsonOption(command))
    .addHelpText(
      'after',
      `
A row with an "externalId" or "id" that is there changes that listing, so a file can be imported again, also after
Ctrl-C; rows without one are created again. The exit code is 1 if a row was refused. The first 100 of those are named:
mend them and import the file again for the rest.

Examples:
  $ listings import listings.csv --dry-run
  $ zcat listings.ndjson.gz | listings import - --format ndjson`,
    )
    .action(async (file: string, options: ImportOptions, command: Command) => {
      const { format: given, atomic, dryRun, ignoreUnknown } = options;
      if (file === '-' && given === undefined) usageError(command, 'Give --format for what comes from stdin.');
      const isPacked = file.toLowerCase().endsWith('.gz');
      const format = given ?? chooseFormat(FORMATS, isPacked ? file.slice(0, -3) : file, command);
      const sent = { format, atomic, dryRun, ignoreUnknown, headers: isPacked ? PACKED : {} };
      const work = (client: PropertyListings) => importFile(client, new ImportFile(file), sent, options);
      await withClient(options, work, { sent: file });
    });
}

const PACKED = { 'Content-Encoding': 'gzip' };

type ClientOptions = Parameters<PropertyListings['imports']['create']>[1];

async function importFile(client: PropertyListings, source: ImportFile, sent: ClientOptions, options: ImportOptions) {
  const onExit = () => {
    source.progress.clear();
    note(describeInterruption(source.describeSent(), options));
  };
  process.once('exit', onExit);
  try {
    // Nothing is read for what is only shown.
    const headers = options.curl ? sent?.headers : { ...((await source.isPacked()) && PACKED) };
    const report: ImportReport = await client.imports.create(source.read(), { ...sent, headers });
    if (report.failed > 0) process.exitCode = EXIT.failure;
    process.off('exit', onExit);
    source.progress.clear();
    await writeImportReport(report, options);
  } catch (error) {
    process.off('exit', onExit);
    source.progress.clear();
    // What had been saved until then stays, and stands in the error.
    const members = error instanceof ApiError ? error.members : {};
    if (hasRows(members)) await writeImportReport(members, options);
    throw source.fault ?? error;
  }
}

/** What Ctrl-C leaves behind. */
function describeInterruption(sent: string, { atomic, dryRun }: ImportOptions): string {
  if (dryRun) return `Ended after ${sent}: a dry run changes nothing.`;
  if (atomic) return `Ended after ${sent}: either all rows are saved or none. "listings list" shows which.`;
  return (
    `Ended after ${sent}: the rows up to about there are saved. Import it again for the rest: ` +
    'rows with an externalId or id are found again, others would be there twice.'
  );
}

/** Whether any row was looked at before the import failed as a whole. */
function hasRows({ created, updated, unchanged, failed }: Record<string, unknown>): boolean {
  return [created, updated, unchanged, failed].some((count) => typeof count === 'number' && count > 0);
}
