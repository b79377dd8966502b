import { formatCount } from './progress.ts';
import type { RecordOptions } from './record.ts';
import { note, write } from './standard-output.ts';
import { paint, toJson, toLine } from './terminal.ts';

interface Row {
  line?: number;
  code: string;
  message: string;
  details?: { field: string; message: string }[];
}

/** Writes the counts to stdout and the rejected rows with their lines to stderr. */
export async function writeImportReport(report: object, { json, dryRun }: RecordOptions & { dryRun?: true }) {
  const { created = 0, updated = 0, unchanged = 0, failed = 0, errors = [] } = Object(report);
  for (const row of errors) note(describeRow(row));
  if (failed > errors.length) {
    note(
      `… and ${formatCount(failed - errors.length)} more. Fix these rows, then import the file again to see the next ` +
        'ones: rows with an externalId or id are updated; others are created a second time.',
    );
  }
  if (json) return write(`${toJson(report)}\n`);
  const counts = { created, updated, unchanged, failed };
  const words = Object.entries(counts).map(([word, count]) => `${formatCount(count)} ${word}`);
  await write(`${words.join(', ')}${dryRun ? ' (dry run: nothing was changed)' : ''}\n`);
}

function describeRow({ line, code, message, details = [] }: Row): string {
  const words = details.length > 0 ? details.map(({ field, message }) => `${field}: ${message}`).join(' ') : message;
  return `${paint(process.stderr, 'red', `line ${line}:`)} ${toLine(`${words} (${code})`)}`;
}
