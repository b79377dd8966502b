import { withFlags } from '../describe-error.ts';
import { formatCount } from './progress.ts';
import type { RecordOptions } from './record.ts';
import { note, write } from './standard-output.ts';
import { paint, toJson, toLine } from './terminal.ts';

interface Row {
  line?: number;
  externalId?: string | undefined;
  code: string;
  message: string;
  details?: { field: string; message: string }[];
}

/** Writes a row that was not imported to stderr. */
export function writeFailedRow(row: Row): void {
  note(describeRow(row));
}

/** Writes the counts to stdout and the rejected rows of the report with their lines to stderr. */
export async function writeImportReport(
  report: object,
  { json, dryRun, allErrors }: RecordOptions & { dryRun?: true; allErrors?: true },
) {
  const {
    created = 0,
    updated = 0,
    unchanged = 0,
    failed = 0,
    repeated = 0,
    cleaned = 0,
    errors = [],
  } = Object(report);
  // With `--all-errors`, the rows have already been written.
  if (!allErrors) for (const row of errors) writeFailedRow(row);
  if (!allErrors && failed > errors.length) {
    note(
      `… and ${formatCount(failed - errors.length)} more. To see all of them, add --dry-run --all-errors. Fix them, then ` +
        'import the file again: rows with an externalId or id are updated; others are created a second time.',
    );
  }
  if (json) return write(`${toJson(report)}\n`);
  const counts = {
    ...{ created, updated, unchanged, failed },
    ...(repeated > 0 && { repeated }),
    ...(cleaned > 0 && { cleaned }),
  };
  const words = Object.entries(counts).map(([word, count]) => `${formatCount(count)} ${word}`);
  await write(`${words.join(', ')}${dryRun ? ' (dry run: nothing was changed)' : ''}\n`);
}

function describeRow({ line, externalId, code, message, details = [] }: Row): string {
  const words = details.length > 0 ? details.map(({ field, message }) => `${field}: ${message}`).join(' ') : message;
  const name = externalId === undefined ? '' : ` ${toLine(externalId)}`;
  return `${paint(process.stderr, 'red', `line ${line}${name}:`)} ${withFlags(`${words} (${code})`)}`;
}
