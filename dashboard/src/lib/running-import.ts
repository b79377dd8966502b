import { useSyncExternalStore } from 'react';
import type { ImportReport } from '../api/admin';
import { ApiError } from '../api/client';
import { refreshListings } from '../api/queries';
import { getShown, isShown, onShown } from '../api/shown';
import { upload } from '../api/upload';
import {
  type FileColumn,
  proposeTargets,
  type ReadingOptions,
  readFileColumns,
  type Targets,
  toMapQuery,
  toReadingQuery,
} from './columns';
import { joinCsv } from './csv';
import { describeError } from './errors';
import { collectRows, type FileRow, typeOf } from './file-rows';
import { describeFailure } from './issue-texts';
import { saveFile } from './save-file';

interface ImportState {
  file: File | undefined;
  /** Undefined while the file's columns are being read. */
  columns: FileColumn[] | undefined;
  targets: Targets;
  reading: ReadingOptions;
  error: string | undefined;
  result: ImportResult | undefined;
  progress: ImportProgress | undefined;
  /** Whether the Import page has shown the result. */
  isSeen: boolean;
}

export interface ImportResult {
  report: ImportReport;
  isDryRun: boolean;
  /** The first failed rows with their values. */
  failedRows: FileRow[];
}

interface ImportProgress {
  isDryRun: boolean;
  /** How much of the file has been sent, from 0 to 1. */
  fraction: number;
  /** How many rows have been processed. */
  rows: number;
  /** How many rows the file has; undefined if the file was not checked first. */
  total: number | undefined;
}

const NOTHING: ImportState = {
  file: undefined,
  columns: undefined,
  targets: {},
  reading: { clean: true, dates: '', decimal: '', values: '', defaults: '' },
  error: undefined,
  result: undefined,
  progress: undefined,
  isSeen: true,
};

/** The maximum number of failed rows whose values are shown. */
const FAILED_SHOWN_MAX = 50;

/**
 * The window's only import. It continues while other pages are open, and its report is kept until the user
 * chooses another file.
 */
let state = NOTHING;
let running = new AbortController();
let owner = getShown();
const listeners = new Set<() => void>();

export function changeImport(changes: Partial<ImportState>): void {
  state = { ...state, ...changes };
  for (const listener of listeners) listener();
}

export async function chooseFile(file: File | undefined): Promise<void> {
  changeImport({ ...NOTHING, file });
  if (file === undefined) return;
  const { columns = [], error } = await readFileColumns(file);
  // The user may have chosen another file in the meantime.
  if (state.file === file) changeImport({ columns, error, targets: proposeTargets(columns) });
}

/** Changes how the file is read, which invalidates the earlier check. */
export function changeReading(changes: Partial<Pick<ImportState, 'targets' | 'reading'>>): void {
  changeImport({ ...changes, result: undefined, error: undefined });
}

export async function startImport(isDryRun: boolean): Promise<void> {
  const { file, columns, targets, reading, result } = state;
  if (file === undefined || columns === undefined || isImporting()) return;
  const own = new AbortController();
  const changeOwn = (changes: Partial<ImportState>) => running === own && changeImport(changes);
  running = own;
  let progress: ImportProgress = { isDryRun, fraction: 0, rows: 0, total: result && countRows(result.report) };
  const showProgress = (changes: Partial<ImportProgress>) => {
    progress = { ...progress, ...changes };
    changeOwn({ progress });
  };
  changeImport({ error: undefined, result: undefined, isSeen: false, progress });
  window.addEventListener('beforeunload', askBeforeLeaving);
  const show = async (report: ImportReport) => {
    const lines = new Set(report.errors.slice(0, FAILED_SHOWN_MAX).map(({ line }) => line));
    // The report must not be lost if the file cannot be read again, for example because it was deleted.
    const failedRows = await collectRows(file, lines).catch(() => []);
    changeOwn({ result: { report, isDryRun, failedRows } });
  };
  try {
    const report = await upload<ImportReport>({
      method: 'POST',
      path: '/admin/imports',
      query: {
        ...toMapQuery({ columns, targets }),
        ...toReadingQuery(reading),
        dryRun: isDryRun ? 'true' : undefined,
        progress: 'true',
      },
      file,
      type: typeOf(file),
      onProgress: (fraction) => showProgress({ fraction }),
      onRows: (rows) => showProgress({ rows }),
      signal: own.signal,
    });
    await show(report);
  } catch (error) {
    if (!(error instanceof ApiError)) reportError(error);
    // If reading stops before the end of the file, the error contains the report so far.
    if (error instanceof ApiError && hasRows(error.members)) await show(error.members);
    changeOwn({ error: describeError(error) });
  } finally {
    window.removeEventListener('beforeunload', askBeforeLeaving);
    changeOwn({ progress: undefined });
    if (!isDryRun) void refreshListings();
  }
}

/**
 * Saves all failed rows of the report with their problems, so that they can be corrected and imported again. Rows
 * of JSON are saved as NDJSON, because in CSV, an empty cell for a member that a row lacks would remove a value.
 */
export async function saveFailedRows(file: File, { errors }: ImportReport): Promise<void> {
  const problems = new Map(errors.map((failure) => [failure.line, describeFailure(failure)]));
  const rows = await collectRows(file, new Set(problems.keys()));
  const failed = rows.map((row) => ({ ...row, problem: problems.get(row.line) ?? '' }));
  const isCsv = typeOf(file) === 'text/csv';
  const [text, type, ending] = isCsv
    ? [toCsvFile(failed), 'text/csv', 'csv']
    : [toNdjsonFile(failed), 'application/x-ndjson', 'ndjson'];
  saveFile(new Blob([text], { type }), `failed-rows.${ending}`);
}

type FailedRow = FileRow & { problem: string };

/** Formats rows with exactly their own cells, and with their problem in the last column. */
function toCsvFile(rows: FailedRow[]): string {
  const { header = [], separator } = rows[0]?.csv ?? {};
  const lines = rows.map(({ csv, problem }) => [...(csv?.cells ?? []), problem]);
  return joinCsv([[...header, 'problem'], ...lines], separator);
}

function toNdjsonFile(rows: FailedRow[]): string {
  return rows.map(({ values, problem }) => `${JSON.stringify({ ...values, problem })}\n`).join('');
}

export function stopImport(): void {
  running.abort();
}

export function isImporting(): boolean {
  return state.progress !== undefined;
}

export function useImport(): ImportState {
  return useSyncExternalStore(subscribe, () => state);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// The import and its report belong to one user and account. They are kept if the session expires and the same
// user signs in again. They are discarded on sign-out, or if the user or the account changes.
onShown(() => {
  if (isShown(owner)) return;
  owner = getShown();
  stopImport();
  running = new AbortController();
  changeImport(NOTHING);
});

function askBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

function hasRows(members: Partial<ImportReport>): members is ImportReport {
  const { created = 0, updated = 0, unchanged = 0, failed = 0 } = members;
  return created + updated + unchanged + failed > 0;
}

function countRows({ created, updated, unchanged, failed }: ImportReport): number {
  return created + updated + unchanged + failed;
}
