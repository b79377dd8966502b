import {
  ApiError,
  type ImportFailure,
  type PropertyListings,
  type ImportOptions as SentOptions,
} from '@property-listings/client';
import type { Command } from '../command.ts';
import { withClient } from '../connection.ts';
import { EXIT } from '../exit-codes.ts';
import { ImportFile } from '../import-file.ts';
import { writeFailedRow, writeReport } from '../output/import-report.ts';
import { type OutputOptions, withOutputOptions } from '../output/record.ts';
import { toFormat, toReading, type UploadOptions, withReadingOptions, withUpload } from '../upload-options.ts';

const MODES = ['merge', 'replace'] as const;

interface ImportOptions extends OutputOptions, UploadOptions {
  atomic?: true;
  dryRun?: true;
  mode?: (typeof MODES)[number];
  allErrors?: true;
}

export function addImport(program: Command): void {
  const command = program
    .command('import')
    .description('create and update many listings; report invalid rows and save the others');
  withReadingOptions(withUpload(command))
    .option('--atomic', 'save all rows or none; at most 10,000 rows')
    .option('--dry-run', 'change nothing, and report what would happen')
    .choice('--mode <mode>', 'how a row changes an existing listing; default: merge', MODES)
    .option('--all-errors', 'report every invalid row, not only the first 100; no effect with --atomic');
  withOutputOptions(command)
    .details(`
A row with the "externalId" or "id" of an existing listing changes that listing,
and a row with a new "externalId" creates a listing, so you can import the same
file again, even after Ctrl-C. A row with neither creates a listing each time.
Fields without a column in the file stay as they are, and an empty cell removes
the field; with --mode replace, fields without a column are removed, too.

If any row is invalid, the exit code is 1. To see all invalid rows of a file
before you import it, use --dry-run --all-errors.

Examples:
  $ listings import listings.csv --dry-run
  $ listings import feed.csv --map Price=listPrice --map Notes=metadata.notes \\
      --map Agent= --clean --dates mdy
  $ zcat listings.ndjson.gz | listings import - --format ndjson`)
    .action(async (file: string, options: ImportOptions, command: Command) => {
      const { atomic, dryRun, mode } = options;
      const sent = { format: toFormat(file, options, command), atomic, dryRun, mode, ...toReading(options) };
      const work = (client: PropertyListings) => importFile(client, new ImportFile(file, 'Importing'), sent, options);
      await withClient(options, work, { sent: file });
    });
}

const AGAIN = 'rows with an externalId or id update their listings; any other saved row creates a duplicate.';
const HOW_TO_SEE_ALL = `To see all of them, add --dry-run --all-errors. Fix them, then import the file again: ${AGAIN}`;

async function importFile(client: PropertyListings, source: ImportFile, sent: SentOptions, options: ImportOptions) {
  const onFailure = (failure: ImportFailure) => {
    source.progress.clear();
    writeFailedRow(failure);
  };
  try {
    const report = await source.send(
      (rows, headers) => client.imports.create(rows, { ...sent, headers, ...(options.allErrors && { onFailure }) }),
      options,
      describeInterruption(options),
    );
    if (report.failed > 0) process.exitCode = EXIT.failure;
    await writeReport(report, options, HOW_TO_SEE_ALL);
  } catch (error) {
    // Rows saved before the failure stay saved; the error contains the report so far.
    const members = error instanceof ApiError ? error.members : {};
    if (hasRows(members)) await writeReport(members, options, HOW_TO_SEE_ALL);
    throw error;
  }
}

function describeInterruption({ atomic, dryRun }: ImportOptions): string {
  if (dryRun) return 'A dry run changes nothing.';
  if (atomic) return 'Either all rows were saved or none; check with "listings list".';
  return `Valid rows up to about this point are saved. To save the rest, import the file again: ${AGAIN}`;
}

/** Whether the service had processed any rows when the import failed. */
function hasRows({ created, updated, unchanged, failed }: Record<string, unknown>): boolean {
  return [created, updated, unchanged, failed].some((count) => typeof count === 'number' && count > 0);
}
