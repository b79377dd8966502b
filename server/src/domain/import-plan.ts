import type { AccountHead } from '../model/accounts.ts';
import { AppError, attempt } from '../model/errors.ts';
import { searchWords } from '../model/words.ts';
import type { Executor } from '../storage/database.ts';
import { findChangedListings } from '../storage/events.ts';
import type { IndexedListing } from '../storage/listings.ts';
import { indexText } from '../storage/words.ts';
import { ChangeBatch, type ReadyChange } from './change-batch.ts';
import { addOutcome, emptyReport, type ImportReport } from './import-report.ts';
import { type GoodRow, type ImportRow, noSuchRow, type RowOutcome } from './import-rows.ts';
import { KnownListing, KnownListings } from './known-listings.ts';
import { takeRoom } from './quotas.ts';
import { type CurrentListing, externalIdTaken, makeChanged, makeNew } from './save-listing.ts';
import { changesWords } from './write-path.ts';

/** What becomes of a row, as long as the listing that it means stays the same. */
interface PlannedRow {
  current: CurrentListing | undefined;
  /** Undefined if nothing changes. */
  result: PlannedChange | AppError | undefined;
}

interface PlannedChange extends ReadyChange {
  /** The listing as later rows meet it. */
  after: CurrentListing;
}

/** The listings as the rows so far leave them. */
interface Overlay {
  byId: Map<string, CurrentListing>;
  idOf: Map<string, string>;
}

export interface PlanLimits {
  versionFloor: number;
  /** What the documents that are met, and what is written, may hold. */
  bytesMax: number;
}

/**
 * What the rows of a file make of an account's listings, worked out without a lock: with the outcomes that saving them one
 * after the other would have. It holds as long as no listing changes that a row could meet: `refresh` works out again what has changed.
 */
export class ImportPlan {
  report: ImportReport = emptyReport();
  batch = new ChangeBatch();
  readonly #rows: ImportRow[];
  readonly #limits: PlanLimits;
  #account: AccountHead;
  /** The account with the room that is left after the rows so far. */
  #room: AccountHead;
  #known = new KnownListings();
  #planned = new Map<ImportRow, PlannedRow>();

  /** `account` as it was before anything is looked up. */
  constructor(rows: ImportRow[], account: AccountHead, limits: PlanLimits) {
    this.#rows = rows;
    this.#account = { ...account };
    this.#room = { ...account };
    this.#limits = limits;
  }

  /** Looks everything up and works it out. @throws {AppError} `payload_too_large`; what `pause` throws */
  async make(transaction: Executor, pause: () => Promise<void>): Promise<void> {
    const good = this.#rows.flatMap((row) => ('issue' in row ? [] : [row]));
    const ids = good.map(({ id }) => id).filter((id) => id !== undefined);
    const externalIds = good.map(({ externalId }) => externalId).filter((externalId) => externalId !== undefined);
    const watched = async () => {
      this.#requireRoom(this.#known.bytes);
      await pause();
    };
    await this.#known.lookUp(transaction, this.#account.id, 'id', ids, watched);
    await this.#known.lookUp(transaction, this.#account.id, 'externalId', externalIds, watched);
    await this.#workOut(pause);
  }

  /**
   * Makes the plan hold for the account as it is now.
   * @returns false if more than `changesMax` changes came since; then nothing is done
   */
  async refresh(
    transaction: Executor,
    account: AccountHead,
    changesMax: number,
    pause: () => Promise<void>,
  ): Promise<boolean> {
    const hasSameSettings = haveSameSettings(account, this.#account);
    if (hasSameSettings && account.sequence === this.#account.sequence) return true;
    const changes = await findChangedListings(transaction, account.id, this.#account.sequence, changesMax + 1);
    if (changes.length > changesMax) return false;
    const hasSameRoom = hasAsMuchRoom(account, this.#account);
    this.#account = { ...account };
    if (!hasSameSettings) this.#planned.clear();
    const ids = new Set(changes.filter((change) => this.#known.isAbout(change)).map(({ id }) => id));
    for (const id of ids) this.#known.forget(id);
    await this.#known.lookUp(transaction, account.id, 'id', ids, pause);
    if (ids.size > 0 || !hasSameSettings || !hasSameRoom) await this.#workOut(pause);
    return true;
  }

  /** Forgets what was looked up. */
  async remake(transaction: Executor, account: AccountHead, pause: () => Promise<void>): Promise<void> {
    this.#account = { ...account };
    this.#known = new KnownListings();
    this.#planned.clear();
    await this.make(transaction, pause);
  }

  async #workOut(pause: () => Promise<void>): Promise<void> {
    this.report = emptyReport();
    this.batch = new ChangeBatch();
    this.#room = { ...this.#account };
    const overlay = { byId: new Map<string, CurrentListing>(this.#known.byId), idOf: new Map(this.#known.idOf) };
    for (const row of this.#rows) {
      addOutcome(this.report, { line: row.line, result: this.#takeRow(row, overlay) });
      this.#requireRoom(this.#known.bytes + this.batch.bytes);
      await pause();
    }
  }

  #takeRow(row: ImportRow, overlay: Overlay): RowOutcome['result'] {
    if ('issue' in row) return row.issue;
    const id = row.id ?? (row.externalId === undefined ? undefined : overlay.idOf.get(row.externalId));
    const current = id === undefined ? undefined : overlay.byId.get(id);
    if (row.id !== undefined && current === undefined) return noSuchRow();
    const { result } = this.#planRow(row, current);
    if (result === undefined) return 'unchanged';
    if (result instanceof AppError) return result;
    const [before, after] = [current?.listing.externalId, result.listing.externalId];
    const takenBy = after === undefined || after === before ? undefined : overlay.idOf.get(after);
    if (takenBy !== undefined) return externalIdTaken(takenBy);
    const lack = attempt(() => takeRoom(this.#room, result.listing, current?.stored));
    if (lack instanceof AppError) return lack;
    if (before !== undefined) overlay.idOf.delete(before);
    if (after !== undefined) overlay.idOf.set(after, result.listing.id);
    overlay.byId.set(result.listing.id, result.after);
    this.batch.add(result, this.#findStored(result.listing.id));
    return result.type;
  }

  #findStored(id: string): IndexedListing | undefined {
    return this.#known.byId.get(id)?.stored;
  }

  #planRow(row: GoodRow, current: CurrentListing | undefined): PlannedRow {
    const earlier = this.#planned.get(row);
    if (earlier !== undefined && earlier.current === current) return earlier;
    const planned = { current, result: this.#makeChange(row, current) };
    this.#planned.set(row, planned);
    return planned;
  }

  #makeChange({ makeInput }: GoodRow, current: CurrentListing | undefined): PlannedRow['result'] {
    try {
      const input = makeInput(current?.listing);
      if (current === undefined) return this.#toChange('created', makeNew(this.#account, input), []);
      const context = { account: this.#account, versionFloor: this.#limits.versionFloor };
      const { listing, changed } = makeChanged(context, current.listing, input);
      return changed.length === 0 ? undefined : this.#toChange('updated', listing, changed);
    } catch (error) {
      if (error instanceof AppError && error.code === 'validation_failed') return error;
      throw error;
    }
  }

  #toChange(type: ReadyChange['type'], listing: PlannedChange['listing'], changed: string[]): PlannedChange {
    const doc = JSON.stringify(listing);
    const isNew = type === 'created';
    const hasNewWords = isNew || changesWords(changed);
    const words = hasNewWords ? indexText(this.#account.id, searchWords(listing)) : undefined;
    // Its sequence is known when it is written, and later rows do not ask for it.
    const after = new KnownListing({ id: listing.id, version: listing.version, sequence: 0, doc });
    return { type, listing, doc, changed: isNew ? null : JSON.stringify(changed), words, after };
  }

  #requireRoom(bytes: number): void {
    const { bytesMax } = this.#limits;
    if (bytes <= bytesMax) return;
    const message =
      'The file changes too much to be written at once: other writes would have to wait for it. Send several files, or ' +
      'leave out atomic=true.';
    throw new AppError('payload_too_large', message);
  }
}

/** Whether a listing becomes the same for both, and there is as much room for it. */
function haveSameSettings(one: AccountHead, other: AccountHead): boolean {
  const names = ['currency', 'areaUnits', 'listingsMax', 'bytesMax'] as const;
  return names.every((name) => one[name] === other[name]);
}

/** Whether as much is left of the quotas, which are the same. Those of other listings use them up, too. */
function hasAsMuchRoom(one: AccountHead, other: AccountHead): boolean {
  return (
    (one.listingsMax === null || one.listingCount === other.listingCount) &&
    (one.bytesMax === null || one.storedBytes === other.storedBytes)
  );
}
