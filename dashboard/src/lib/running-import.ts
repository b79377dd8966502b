import { useSyncExternalStore } from 'react';
import { ApiError, type ValidationIssue } from '../api/client';
import { refreshListings } from '../api/queries';
import { getShown, onShown } from '../api/shown';
import type { ImportReport } from '../api/types';
import { upload } from '../api/upload';
import { describeError } from './errors';

interface ImportState {
  file: File | undefined;
  /** Whether unknown columns are skipped. */
  ignoreUnknown: boolean;
  columnIssues: ValidationIssue[];
  error: string | undefined;
  result: { report: ImportReport; isDryRun: boolean } | undefined;
  /** How much of the file has been sent, from 0 to 1; undefined if no import is running. */
  progress: number | undefined;
  /** Whether the Import page has shown the result. */
  isSeen: boolean;
}

const NOTHING: ImportState = {
  file: undefined,
  ignoreUnknown: false,
  columnIssues: [],
  error: undefined,
  result: undefined,
  progress: undefined,
  isSeen: true,
};

/** One import per window: it continues on other pages, and its report stays until it is seen. */
let state = NOTHING;
let running = new AbortController();
let owner = getShown();
const listeners = new Set<() => void>();

export function changeImport(changes: Partial<ImportState>): void {
  state = { ...state, ...changes };
  for (const listener of listeners) listener();
}

export function chooseFile(file: File | undefined): void {
  changeImport({ ...NOTHING, file });
}

export async function startImport(isDryRun: boolean): Promise<void> {
  const { file, ignoreUnknown } = state;
  if (file === undefined || isImporting()) return;
  const own = new AbortController();
  const changeOwn = (changes: Partial<ImportState>) => running === own && changeImport(changes);
  running = own;
  changeImport({ error: undefined, result: undefined, progress: 0, isSeen: false });
  if (!ignoreUnknown) changeImport({ columnIssues: [] });
  window.addEventListener('beforeunload', askBeforeLeaving);
  const query = { dryRun: isDryRun ? 'true' : undefined, ignoreUnknown: ignoreUnknown ? 'true' : undefined };
  const showProgress = (progress: number) => changeOwn({ progress });
  try {
    const report = await upload<ImportReport>(
      'POST',
      '/admin/imports',
      query,
      file,
      typeOf(file),
      showProgress,
      own.signal,
    );
    changeOwn({ result: { report, isDryRun } });
  } catch (error) {
    if (!(error instanceof ApiError)) reportError(error);
    // If reading stops before the end of the file, the error contains the report so far.
    if (error instanceof ApiError && hasRows(error.members)) changeOwn({ result: { report: error.members, isDryRun } });
    if (isAboutColumns(error)) changeOwn({ columnIssues: error.details });
    else changeOwn({ error: describeError(error) });
  } finally {
    window.removeEventListener('beforeunload', askBeforeLeaving);
    changeOwn({ progress: undefined });
    void refreshListings();
  }
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

// The import and its report survive signing in again, but belong to one user and account.
onShown(() => {
  const shown = getShown();
  if (shown?.userId === owner?.userId && shown?.accountId === owner?.accountId) return;
  owner = shown;
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

/** The service checks the columns before it reads any row. */
export function isAboutColumns(error: unknown): error is ApiError {
  return error instanceof ApiError && error.details.length > 0 && error.members.line === 1;
}

const TYPES: Record<string, string> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
};

export function typeOf({ name }: File): string {
  return TYPES[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'text/csv';
}
