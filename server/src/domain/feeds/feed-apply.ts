import { type AppError, attempt } from '../../model/errors.ts';
import type { MissingMode } from '../../model/feeds.ts';
import type { Listing } from '../../model/listings.ts';
import { withoutServerFields } from '../../model/listings.ts';
import { BATCH_LENGTH } from '../../storage/batches.ts';
import { setFeedMarks } from '../../storage/feed-listings.ts';
import type { StoredRun } from '../../storage/feed-runs.ts';
import { findKeyedListings, type KeyedListing } from '../../storage/listings.ts';
import type { StagedFile, StagedWork } from '../../storage/open.ts';
import { ChangeBatch, type FormerListing, formerOf, type ReadyChange, readyChange } from '../writing/change-batch.ts';
import { takeQuota } from '../writing/quotas.ts';
import { makeChanged, readStored } from '../writing/save-listing.ts';
import { storeDeleted } from '../writing/write-path.ts';
import type { Writing } from '../writing/writing.ts';
import { storeFailures } from './feed-failures.ts';
import type { LeasedRun } from './feed-lease.ts';
import { failureText } from './feed-plan.ts';
import { type FeedChange, type FeedSource, makeFeedChange, markOf, missingMark, type RestoreRow } from './feed-rows.ts';

/** Maximum total length of rows that are written while other writes wait, unless a single row is longer. */
const GROUP_LENGTH_MAX = 128 * 1024;

/** Writes a plan's changes in groups. Other writes get their turn between the groups. */
export class FeedApplication {
  readonly #leased: LeasedRun;
  readonly #file: StagedFile;
  readonly #source: FeedSource;
  readonly #signal: AbortSignal;

  constructor(leased: LeasedRun, file: StagedFile, { source, signal }: { source: FeedSource; signal: AbortSignal }) {
    this.#leased = leased;
    this.#file = file;
    this.#source = source;
    this.#signal = signal;
  }

  async writeRows(): Promise<void> {
    let rows = this.#file.workAfter(0, BATCH_LENGTH);
    let last = rows.at(-1)?.number ?? 0;
    while (rows.length > 0) {
      this.#signal.throwIfAborted();
      let written = rows;
      await this.#leased.write(async (writing, run) => {
        const { transaction, account } = writing;
        const keys = rows.map(({ externalId }) => externalId);
        const { rows: found, isCut } = await findKeyedListings(transaction, account.id, 'externalId', keys);
        const stored = new Map(found.map((listing) => [listing.externalId, listing]));
        // If the read was cut short, a row without a listing in `stored` may have one that was not read.
        written = takeGroup(isCut ? rows.filter(({ externalId }) => stored.has(externalId)) : rows);
        return this.#writeGroup(writing, run, written, stored);
      });
      rows = rows.filter((row) => !written.includes(row));
      if (rows.length > 0) continue;
      rows = this.#file.workAfter(last, BATCH_LENGTH);
      last = rows.at(-1)?.number ?? last;
    }
  }

  async #writeGroup(
    writing: Writing,
    run: StoredRun,
    rows: readonly StagedWork[],
    stored: ReadonlyMap<string | null, KeyedListing>,
  ): Promise<StoredRun> {
    const { transaction, account } = writing;
    const group = new RowGroup(writing, run);
    for (const row of rows) {
      const change = attempt(() => group.add(row, this.#source.restore, stored.get(row.externalId)));
      if (change !== undefined) group.fail(row, change);
    }
    await group.batch.store(writing);
    await setFeedMarks(transaction, account.id, group.marks);
    const failures = group.failed.map(({ row, error }) => {
      return { number: row.number, error: failureText(row, error), values: this.#file.valuesOf(row.number) };
    });
    return storeFailures(transaction, account.id, run, failures, this.#source);
  }

  async writeMissing(mode: MissingMode): Promise<void> {
    let ids = this.#file.missingAfter('', BATCH_LENGTH);
    while (ids.length > 0) {
      this.#signal.throwIfAborted();
      let rest: string[] = [];
      await this.#leased.write(async (writing, run) => {
        const { transaction, account } = writing;
        const { rows: found, isCut } = await findKeyedListings(transaction, account.id, 'id', ids);
        const read = new Set(found.map(({ id }) => id));
        rest = isCut ? ids.filter((id) => !read.has(id)) : [];
        // A client may have changed or deleted a listing since the plan was made.
        const missing = found.filter(({ feed, externalId }) => feed === run.feed && !this.#isInFile(externalId));
        if (mode === 'delete') await deleteMissing(writing, run, missing);
        else await markMissing(writing, run, missing, mode);
        return run;
      });
      ids = rest.length > 0 ? rest : this.#file.missingAfter(ids.at(-1) ?? '', BATCH_LENGTH);
    }
  }

  #isInFile(externalId: string | null): boolean {
    return externalId !== null && this.#file.has(externalId);
  }
}

function takeGroup(rows: StagedWork[]): StagedWork[] {
  let length = 0;
  const end = rows.findIndex(({ content }) => {
    length += content.length;
    return length > GROUP_LENGTH_MAX;
  });
  return end < 0 ? rows : rows.slice(0, Math.max(end, 1));
}

/** Rows of one transaction. Changes are recomputed: a client may have changed listings since the plan was made. */
class RowGroup {
  readonly batch = new ChangeBatch();
  readonly marks: [id: string, mark: string][] = [];
  readonly failed: { row: StagedWork; error: AppError }[] = [];
  readonly #writing: Pick<Writing, 'account' | 'versionFloor'>;
  readonly #run: StoredRun;

  constructor({ account, versionFloor }: Writing, run: StoredRun) {
    // A copy, because storing the batch updates the original account's sequence and newest id.
    this.#writing = { account: { ...account }, versionFloor };
    this.#run = run;
  }

  /** @throws {AppError} for a row that fails */
  add({ kind, content, ...row }: StagedWork, restore: RestoreRow, stored: KeyedListing | undefined): undefined {
    const { counts, feed } = this.#run;
    const { listing, changes, before } = makeFeedChange(this.#writing, feed, restore(content), stored);
    const feedMark = markOf(listing.version, row);
    if (before !== undefined && Object.keys(changes).length === 0) {
      this.marks.push([listing.id, markOf(before.stored.version, row)]);
      if (kind === 'change') counts.unchanged += 1;
      return;
    }
    const type = before === undefined ? 'created' : 'updated';
    const change = readyChange(type, listing, changes);
    const measureStored = stored && (() => Buffer.byteLength(stored.doc));
    takeQuota(this.#writing.account, () => change, measureStored);
    if (kind === 'mark') counts.unchanged -= 1;
    counts[type] += 1;
    this.batch.add({ ...change, feedMark }, before && toFormer(before));
  }

  fail(row: StagedWork, error: AppError): void {
    if (row.kind === 'mark') this.#run.counts.unchanged -= 1;
    this.#run.counts.failed += 1;
    this.failed.push({ row, error });
  }
}

function toFormer({ stored, listing }: NonNullable<FeedChange['before']>): FormerListing {
  const { id, externalId, feed, doc } = stored;
  return formerOf({ id, externalId: externalId ?? undefined, feed, length: doc.length }, listing);
}

async function deleteMissing(writing: Writing, run: StoredRun, missing: readonly KeyedListing[]): Promise<void> {
  for (const stored of missing) await storeDeleted(writing, readStored(stored));
  run.counts.deleted += missing.length;
}

async function markMissing(
  writing: Writing,
  run: StoredRun,
  missing: readonly KeyedListing[],
  mode: Exclude<MissingMode, 'delete'>,
): Promise<void> {
  const { transaction, account } = writing;
  const mark = missingMark(mode);
  const batch = new ChangeBatch();
  const marks: [id: string, mark: string][] = [];
  for (const stored of missing) {
    const current = mode === 'withdraw' ? readStored(stored) : undefined;
    const change = current && withdraw(writing, current.listing);
    if (current === undefined || change === undefined) marks.push([stored.id, mark]);
    else {
      batch.add({ ...change, feedMark: mark }, toFormer(current));
      run.counts.withdrawn += 1;
    }
  }
  await batch.store(writing);
  await setFeedMarks(transaction, account.id, marks);
}

/** Returns undefined if the listing is already withdrawn. */
function withdraw(writing: Writing, before: Listing): ReadyChange | undefined {
  const input = { ...withoutServerFields(before), status: 'withdrawn' as const };
  const { listing, changes } = makeChanged(writing, before, input);
  return Object.keys(changes).length === 0 ? undefined : readyChange('updated', listing, changes);
}
