import type { ImportReport, PropertyListings } from '@property-listings/client';
import { ApiError } from '@property-listings/client';
import { type Command, Option } from 'commander';
import { type CurlOptions, withClient, withCurlOption } from '../connection.ts';
import { EXIT, usageError } from '../exit-codes.ts';
import { chooseFormat } from '../formats.ts';
import { ImportFile } from '../import-file.ts';
import { writeImportReport } from '../output/import-report.ts';
import { type RecordOptions, withJsonOption } from '../output/record.ts';

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
A row with an "externalId" or "id" that is there changes that listing, so a file can be imported again.
The exit code is 1 if a row was refused.

Examples:
  $ listings import listings.csv --dry-run
  $ zcat listings.ndjson.gz | listings import - --format ndjson`,
    )
    .action(async (file: string, options: ImportOptions, command: Command) => {
      const { format: given, atomic, dryRun, ignoreUnknown } = options;
      if (file === '-' && given === undefined) usageError(command, 'Give --format for what comes from stdin.');
      const isPacked = file.toLowerCase().endsWith('.gz');
      const format = given ?? chooseFormat(FORMATS, isPacked ? file.slice(0, -3) : file, command);
      const headers: Record<string, string> = isPacked ? { 'Content-Encoding': 'gzip' } : {};
      const work = (client: PropertyListings) =>
        importFile(client, file, { format, atomic, dryRun, ignoreUnknown, headers }, options);
      await withClient(options, work, file);
    });
}

type ClientOptions = Parameters<PropertyListings['imports']['create']>[1];

async function importFile(client: PropertyListings, file: string, sent: ClientOptions, options: ImportOptions) {
  const source = new ImportFile(file);
  try {
    const report: ImportReport = await client.imports.create(source.read(), sent);
    source.progress.clear();
    if (report.failed > 0) process.exitCode = EXIT.failure;
    await writeImportReport(report, options);
  } catch (error) {
    source.progress.clear();
    // What had been saved until then stays, and stands in the error.
    const members = error instanceof ApiError ? error.members : {};
    if (typeof members.created === 'number') await writeImportReport(members, options);
    throw source.fault ?? error;
  }
}
