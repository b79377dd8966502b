import { useSyncExternalStore } from 'react';
import { ApiError, type FieldFault } from '../api/client';
import { refreshListings } from '../api/queries';
import { getShown, onShown } from '../api/shown';
import type { ImportReport } from '../api/types';
import { upload } from '../api/upload';
import { toFaults } from './faults';

interface ImportState {
  file: File | undefined;
  /** Whether columns that the service does not know are left out. */
  ignoreUnknown: boolean;
  columnFaults: FieldFault[];
  /** What was wrong with the file as a whole. */
  fault: string | undefined;
  result: { report: ImportReport; isDryRun: boolean } | undefined;
  /** How much of the file is sent, from 0 to 1; undefined when none is being sent. */
  progress: number | undefined;
  /** Whether the Import page has shown how it ended. */
  isSeen: boolean;
}

const NOTHING: ImportState = {
  file: undefined,
  ignoreUnknown: false,
  columnFaults: [],
  fault: undefined,
  result: undefined,
  progress: undefined,
  isSeen: true,
};

/** One for the window: an import goes on while other pages are looked at, and its report waits. */
let state = NOTHING;
let running = new AbortController();
/** Whose it is. */
let owner = getShown();
const listeners = new Set<() => void>();

export function changeImport(changes: Partial<ImportState>): void {
  state = { ...state, ...changes };
  for (const listener of listeners) listener();
}

export function chooseFile(file: File | undefined): void {
  changeImport({ ...NOTHING, file });
}

/** Sends the file; what comes of it is in the state. */
export async function startImport(isDryRun: boolean): Promise<void> {
  const { file, ignoreUnknown } = state;
  if (file === undefined || isImporting()) return;
  const own = new AbortController();
  const changeOwn = (changes: Partial<ImportState>) => running === own && changeImport(changes);
  running = own;
  changeImport({ fault: undefined, result: undefined, progress: 0, isSeen: false });
  if (!ignoreUnknown) changeImport({ columnFaults: [] });
  window.addEventListener('beforeunload', askBeforeLeaving);
  const query = { dryRun: isDryRun ? 'true' : undefined, ignoreUnknown: ignoreUnknown ? 'true' : undefined };
  const showProgress = (progress: number) => changeOwn({ progress });
  try {
    const report = await upload<ImportReport>('/admin/imports', query, file, typeOf(file), showProgress, own.signal);
    changeOwn({ result: { report, isDryRun } });
  } catch (error) {
    // A file that could not be read to its end: what came of the rows before.
    if (error instanceof ApiError && hasRows(error.members)) changeOwn({ result: { report: error.members, isDryRun } });
    if (isAboutColumns(error)) changeOwn({ columnFaults: error.details });
    else changeOwn({ fault: toFaults(error).general });
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

// Another person, or the same one in another account, finds nothing of it; who only signs in again finds it all.
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

/** Whether anything came of the rows before a file could not be read on. */
function hasRows(members: Partial<ImportReport>): members is ImportReport {
  const { created = 0, updated = 0, unchanged = 0, failed = 0 } = members;
  return created + updated + unchanged + failed > 0;
}

/** A file is refused for its columns before any row is read. */
function isAboutColumns(error: unknown): error is ApiError {
  return error instanceof ApiError && error.details.length > 0 && error.members.line === 1;
}

const TYPES: Record<string, string> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
};

function typeOf({ name }: File): string {
  return TYPES[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'text/csv';
}
