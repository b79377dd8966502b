import { createHash, hash } from 'node:crypto';
import { AppError, fromPlainError, type PlainError } from '../../model/errors.ts';
import { emptyCounts, type FeedCounts, hashRow, type MissingMode } from '../../model/feeds.ts';
import type { StagedFile } from '../../storage/open.ts';
import type { JudgedPlan } from './feed-guard.ts';
import type { FeedRow } from './feed-rows.ts';

/** A parsed plan id. The digest identifies the plan's changes; the counts show how a later plan differs from it. */
export interface PlanId {
  digest: string;
  missing: MissingMode;
  counts: FeedCounts;
}

const DIGEST_LENGTH = 22;
/** Maximum number of issues kept for a failed row. */
const DETAILS_MAX = 20;

/** What a run will do. The rows are in `file`; the plan itself has only totals and hashes. */
export class FeedPlan implements JudgedPlan {
  readonly counts = emptyCounts();
  /** Hashed with the content of each row that has no hash: the listing also depends on the account's defaults. */
  hashStart = '';
  readonly file: StagedFile;
  cutLine: number | undefined;
  listings = 0;
  newlyMissing = 0;
  readonly #changes = createHash('sha256');
  readonly #missing = createHash('sha256');

  constructor(file: StagedFile) {
    this.file = file;
  }

  /** Stores a row of the file and, if the row is invalid on its own, its error. */
  addRow({ line, externalId, possibleIds, values, cleaned, content, hash, isCut }: FeedRow): void {
    this.counts.rows += 1;
    this.counts.cleaned += cleaned;
    if (isCut) this.cutLine = line;
    const number = this.counts.rows;
    const error = findRowError(externalId, content);
    const text = error === undefined && typeof content === 'string' ? content : undefined;
    const rowHash = error === undefined ? (hash ?? hashRow(this.hashStart + (text ?? ''))) : undefined;
    this.file.add({ number, line, externalId, possibleIds, values, cleaned, content: text, hash: rowHash });
    if (error !== undefined) this.fail({ number, line, externalId }, error);
  }

  /** For a row that was not read because its hash was known. @throws {AppError} if the row is no longer valid */
  completeRow(number: number, { content, cleaned }: Pick<FeedRow, 'content' | 'cleaned'>): string {
    this.counts.cleaned += cleaned;
    if (typeof content === 'object') throw fromPlainError(content);
    const text = content ?? '';
    this.file.complete(number, text, cleaned);
    return text;
  }

  /** Records that the file ends in the middle of a row. A file without rows is treated as empty instead. */
  noteCut(line: number): void {
    if (this.counts.rows > 0) this.cutLine = line;
  }

  fail(row: FailingRow, error: PlainError | RowError): void {
    this.counts.failed += 1;
    this.file.addFailure(row.number, failureText(row, error));
  }

  /** Adds a row's change. `version` is the existing listing's version; 0 for a new listing. */
  addChange(row: { number: number; externalId: string; hash: string }, version = 0): void {
    this.counts[version === 0 ? 'created' : 'updated'] += 1;
    this.file.addWork(row.number, 'change');
    this.#changes.update(`${row.externalId}\n${version}\n${row.hash}\n`);
  }

  /** Fails a row whose change was added. Which rows fail depends on their order, so the failure is also hashed. */
  failChange(row: FailingRow & { isNew: boolean }, error: AppError): void {
    this.counts[row.isNew ? 'created' : 'updated'] -= 1;
    this.file.removeWork(row.number);
    this.#changes.update(`${row.externalId}\n`);
    this.fail(row, error);
  }

  /** Adds a row that changes nothing. `unread` has the number of cleaned values in a row that was not read. */
  addUnchanged(unread?: { cleaned: number }): void {
    this.counts.unchanged += 1;
    this.counts.cleaned += unread?.cleaned ?? 0;
  }

  /** For a row that changes nothing. The new mark lets the next run skip reading the row and its listing. */
  addMark(number: number): void {
    this.counts.unchanged += 1;
    this.file.addWork(number, 'mark');
  }

  addMissing(listing: { id: string; version: number; status: string }, mode: MissingMode, isSettled: boolean): void {
    const isNew = isSettled || this.file.addMissing(listing.id);
    if (isNew) this.counts.missing += 1;
    if (isSettled || !isNew) return;
    this.newlyMissing += 1;
    if (mode === 'delete') this.counts.deleted += 1;
    if (mode === 'withdraw' && listing.status !== 'withdrawn') this.counts.withdrawn += 1;
    this.#missing.update(`${listing.id}\n${listing.version}\n`);
  }

  /** Must be called only once, because it finalizes the hashes. `scope` identifies the account and the feed. */
  makeId(scope: string, missing: MissingMode): string {
    const { counts } = this;
    const content = JSON.stringify([missing, Object.values(counts)]);
    const changes = [this.#changes.digest('base64url'), this.#missing.digest('base64url')];
    const digest = hash('sha256', [scope, content, ...changes].join('\n'), 'base64url').slice(0, DIGEST_LENGTH);
    return digest + Buffer.from(content).toString('base64url');
  }
}

/** @throws {AppError} `invalid_query` */
export function parsePlanId(text: string): PlanId {
  try {
    const [missing, values] = JSON.parse(Buffer.from(text.slice(DIGEST_LENGTH), 'base64url').toString());
    const names = Object.keys(emptyCounts());
    const counts = Object.fromEntries(names.map((name, index) => [name, Number(values[index])]));
    return { digest: text.slice(0, DIGEST_LENGTH), missing, counts: { ...emptyCounts(), ...counts } };
  } catch {
    const message = 'Must be the planId of a dry run of this feed, exactly as returned.';
    const details = [{ field: 'query.plan', code: 'invalid_format' as const, message }];
    throw new AppError('invalid_query', `query.plan: ${message}`, { details });
  }
}

export interface FailingRow {
  number: number;
  line: number;
  externalId: string | undefined;
}

/** An error that can occur only for a row of a file. */
type RowError = Pick<PlainError, 'message' | 'details'> & { code: string; members?: Record<string, unknown> };

/** Returns a row's error as JSON, in the form used in responses. */
export function failureText({ line, externalId }: FailingRow, error: PlainError | RowError): string {
  const { code, message, members, details } = error;
  return JSON.stringify({ line, externalId, code, message, ...members, details: details?.slice(0, DETAILS_MAX) });
}

function findRowError(externalId: string | undefined, content: FeedRow['content']): PlainError | RowError | undefined {
  if (typeof content === 'object') return content;
  return externalId === undefined ? withoutExternalId() : undefined;
}

function withoutExternalId(): RowError {
  const message = "Each row in a feed's file needs an externalId that identifies its listing.";
  return { code: 'validation_failed', message, details: [{ field: 'externalId', code: 'required', message }] };
}

export function duplicateRow(firstLine: number): RowError {
  const message = `The row on line ${firstLine} has the same externalId; remove one of the two rows.`;
  return { code: 'duplicate', message, details: [{ field: 'externalId', code: 'duplicate', message }] };
}
