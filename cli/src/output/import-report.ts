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

export interface ReportOptions extends RecordOptions {
  dryRun?: true | undefined;
  /** The failed rows have already been written. */
  allErrors?: true;
}

/**
 * Writes the report of an import or a feed to stdout, as JSON or as counts, and its failed rows, at most
 * `rowsMax`, to stderr. `how` says how the user can see all of them.
 */
export async function writeReport(
  report: object,
  { json, dryRun, allErrors }: ReportOptions,
  how: string,
  rowsMax = Infinity,
): Promise<void> {
  const { failed = 0, errors = [], warnings = [] } = Object(report);
  if (!allErrors) writeFailedRows(errors.slice(0, rowsMax), failed, how);
  writeUnknownWords(errors);
  // Warnings are about values that are valid but probably wrong.
  for (const { field, message } of warnings) {
    note(`${paint(process.stderr, 'yellow', 'warning:')} ${withFlags(`${field}: ${message}`)}`);
  }
  if (json) return write(`${toJson(report)}\n`);
  await write(`${describeCounts(report)}${dryRun ? ' (dry run: nothing was changed)' : ''}\n`);
}

export function writeFailedRow(row: Row): void {
  note(describeRow(row, process.stderr));
}

/** Writes failed rows to stderr. If there are more, it also writes how the user can see them. */
function writeFailedRows(rows: Row[], failed: number, how: string): void {
  for (const row of rows) writeFailedRow(row);
  if (failed > rows.length) note(`… and ${formatCount(failed - rows.length)} more. ${how}`);
}

/** If rows failed because of several unknown words, lists options to define them, which the user must complete. */
function writeUnknownWords(rows: readonly Row[]): void {
  const messages = rows.flatMap(({ details = [] }) => details.map(({ message }) => message));
  const words = new Set(messages.flatMap((message) => /\bvalues\[.*\]=\w*/.exec(message)?.[0] ?? []));
  if (words.size < 2) return;
  const how = 'To define what these words mean, add these options. Replace each CHOICE, and correct any wrong value:';
  note(`${how}\n  ${withFlags([...words].join(' '))}`);
}

const COUNTS = ['created', 'updated', 'unchanged', 'failed'];
const OTHER_COUNTS = ['missing', 'withdrawn', 'deleted', 'repeated', 'cleaned'];

/** `2 created, 0 updated, 0 unchanged, 1 failed, 3 cleaned` */
function describeCounts(report: object): string {
  const counts = new Map<string, number>(Object.entries(report));
  const others = OTHER_COUNTS.filter((word) => (counts.get(word) ?? 0) > 0);
  return [...COUNTS, ...others].map((word) => `${formatCount(counts.get(word) ?? 0)} ${word}`).join(', ');
}

/** Describes a failed row for a terminal: its line, the reason why it failed, and the error code. */
export function describeRow(
  { line, externalId, code, message, details = [] }: Row,
  output: NodeJS.WriteStream,
): string {
  const words = details.length > 0 ? details.map(({ field, message }) => `${field}: ${message}`).join(' ') : message;
  const name = externalId === undefined ? '' : ` ${toLine(externalId)}`;
  return `${paint(output, 'red', `line ${line}${name}:`)} ${withFlags(`${words} (${code})`)}`;
}
