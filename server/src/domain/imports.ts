import { AppError, type ErrorCode, type FieldFault } from '../model/errors.ts';
import type { Listing, ListingInput } from '../model/listings.ts';
import type { Database } from '../storage/database.ts';
import { findListing, findListingByExternalId } from '../storage/listings.ts';
import { type CurrentListing, noListing, readStored, saveListing } from './listings.ts';
import { type Actor, type Writing, write } from './writing.ts';

/** A row of a file that is to become a listing, or to change one. */
export interface ImportRow {
  /** Where it stands, for whoever looks for it. */
  line: number;
  /** The listing it means; without it and without an external id that exists, it is a new one. */
  id?: string | undefined;
  externalId?: string | undefined;
  /** What the listing is to be, if it is `current` now. @throws {AppError} `validation_failed` */
  makeInput: (current: Listing | undefined) => ListingInput;
}

/** A row that cannot be imported, whatever there is already. */
export interface FaultyRow {
  line: number;
  fault: AppError;
}

/** Why a row was not imported; the members are those that the error would have in a reply of its own. */
interface RowFailure extends Record<string, unknown> {
  line: number;
  code: ErrorCode;
  message: string;
  details?: FieldFault[] | undefined;
}

/** What came of an import. */
export interface ImportReport {
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  /** The first of them. */
  errors: RowFailure[];
}

type Outcome = 'created' | 'updated' | 'unchanged' | AppError;

const ERRORS_MAX = 100;
/** How long rows are written before others have their turn: a few milliseconds with the commit. */
const WORK_MAX_MS = 2;

/**
 * Creates and changes listings, batch by batch, and keeps the good rows when others fail. Rows that were taken before an
 * error stay written.
 * @throws {AppError} what `batches` and `write` throw, with the counts so far as members
 */
export async function importRows(
  database: Database,
  actor: Actor,
  batches: AsyncIterable<(ImportRow | FaultyRow)[]>,
): Promise<ImportReport> {
  const report: ImportReport = { created: 0, updated: 0, unchanged: 0, failed: 0, errors: [] };
  try {
    for await (const rows of batches) await importBatch(database, actor, rows, report);
    return report;
  } catch (error) {
    throw error instanceof AppError ? error.with({ ...report }) : error;
  }
}

/** Writes the rows in as many transactions as it takes; the key is looked at in each. */
async function importBatch(
  database: Database,
  actor: Actor,
  rows: (ImportRow | FaultyRow)[],
  report: ImportReport,
): Promise<void> {
  let done = 0;
  while (done < rows.length) {
    const rest = rows.slice(done);
    const { outcome: outcomes } = await write(database, actor, undefined, (writing) => saveRows(writing, rest));
    for (const [index, outcome] of outcomes.entries()) addOutcome(report, rest[index]?.line ?? 0, outcome);
    done += outcomes.length;
  }
}

function addOutcome(report: ImportReport, line: number, outcome: Outcome): void {
  if (!(outcome instanceof AppError)) {
    report[outcome] += 1;
    return;
  }
  report.failed += 1;
  const { code, message, details, members } = outcome;
  if (report.errors.length < ERRORS_MAX) report.errors.push({ line, code, message, ...members, details });
}

/** Saves rows until the time is over, one at least. @returns what came of each */
async function saveRows(writing: Writing, rows: (ImportRow | FaultyRow)[]): Promise<Outcome[]> {
  const endTimeMs = performance.now() + WORK_MAX_MS;
  const outcomes: Outcome[] = [];
  for (const row of rows) {
    outcomes.push('fault' in row ? row.fault : await saveRow(writing, row));
    if (performance.now() > endTimeMs) break;
  }
  return outcomes;
}

/** What may be wrong with a row; any other error is one of the database, and of all rows. */
const ROW_CODES = new Set<ErrorCode>(['not_found', 'external_id_taken', 'validation_failed']);

async function saveRow(writing: Writing, row: ImportRow): Promise<Outcome> {
  try {
    const current = await findCurrent(writing, row);
    const { type } = await saveListing(writing, current, row.makeInput(current?.listing));
    return type;
  } catch (error) {
    if (error instanceof AppError && ROW_CODES.has(error.code)) return error;
    throw error;
  }
}

async function findCurrent({ session, account }: Writing, row: ImportRow): Promise<CurrentListing | undefined> {
  if (row.id !== undefined) {
    const stored = await findListing(session, account.id, row.id);
    if (stored === undefined) throw noListing();
    return readStored(stored);
  }
  if (row.externalId === undefined) return undefined;
  const stored = await findListingByExternalId(session, account.id, row.externalId);
  return stored && readStored(stored);
}
