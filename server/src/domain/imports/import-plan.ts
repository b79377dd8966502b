import type { AccountHead } from '../../model/accounts.ts';
import { AppError, attempt } from '../../model/errors.ts';
import type { FieldChange, Listing } from '../../model/listings.ts';
import type { Executor } from '../../storage/database.ts';
import { findChangedListings } from '../../storage/events.ts';
import type { KeepText } from '../../storage/open.ts';
import { ChangeBatch, type ReadyChange, readyChange } from '../writing/change-batch.ts';
import {
  KnownListing,
  KnownListings,
  type PlanListing,
  parsePlanned,
  ReleasedDocError,
} from '../writing/known-listings.ts';
import { takeQuota } from '../writing/quotas.ts';
import { externalIdTaken, makeChanged, makeNew } from '../writing/save-listing.ts';
import { type ImportRow, noSuchRow, type RowOutcome, type ValidRow } from './import-rows.ts';

const MEBIBYTE = 1024 * 1024;

/** A row's outcome, which is valid until its listing changes. */
interface PlannedRow {
  current: PlanListing | undefined;
  /** Undefined if the row changes nothing. */
  result: ReadyChange | AppError | undefined;
}

/** The listings as they would be after the rows planned so far. */
interface Overlay {
  byId: Map<string, PlanListing>;
  idOf: Map<string, string>;
}

export interface PlanOptions {
  versionFloor: number;
  /** The maximum bytes that are read and written: documents, changes, and search terms. */
  bytesMax: number;
  /** Keeps the plan's long strings: documents, changes, and search terms. */
  keep: KeepText;
}

/**
 * Computes the outcomes of saving rows one by one. Changes to affected listings make the plan stale until `refresh`.
 */
export class ImportPlan {
  outcomes: RowOutcome[] = [];
  batch = new ChangeBatch();
  readonly #rows: readonly ImportRow[];
  readonly #options: PlanOptions;
  #account: AccountHead;
  /** The account as it would be after the rows planned so far, for checking its quotas. */
  #accountAfter: AccountHead;
  #known: KnownListings;
  #planned = new Map<ImportRow, PlannedRow>();
  /** Set while `refresh` changes the plan, and if `refresh` failed or needed a released document. */
  #mustBeRemade = false;

  constructor(rows: readonly ImportRow[], account: AccountHead, options: PlanOptions) {
    this.#rows = rows;
    this.#account = { ...account };
    this.#accountAfter = { ...account };
    this.#options = options;
    this.#known = new KnownListings(options.keep);
  }

  get bytes(): number {
    return this.#known.bytes + this.batch.bytes;
  }

  get countsAfter(): Pick<AccountHead, 'listingCount' | 'storedBytes'> {
    const { listingCount, storedBytes } = this.#accountAfter;
    return { listingCount, storedBytes };
  }

  /** @throws {AppError} `payload_too_large`, or what `pause` throws */
  async make(transaction: Executor, pause: () => Promise<void>): Promise<void> {
    const good = this.#rows.flatMap((row) => ('issue' in row ? [] : [row]));
    const ids = good.map(({ id }) => id).filter((id) => id !== undefined);
    const externalIds = good.map(({ externalId }) => externalId).filter((externalId) => externalId !== undefined);
    const watched = async () => {
      this.#limitBytes(this.#known.bytes);
      await pause();
    };
    await this.#known.lookUp(transaction, this.#account.id, 'id', ids, watched);
    await this.#known.lookUp(transaction, this.#account.id, 'externalId', externalIds, watched);
    await this.#compute(pause);
  }

  /**
   * Brings the plan up to date with the account.
   * @returns false if the plan must be made again: after more than `changesMax` changes, if the account's
   * defaults or quotas have changed, if a row now affects a listing whose document was released, or after a
   * refresh that failed, because a transaction whose connection was lost is retried with the same plan
   */
  async refresh(
    transaction: Executor,
    account: AccountHead,
    changesMax: number,
    pause: () => Promise<void>,
  ): Promise<boolean> {
    if (this.#mustBeRemade || !haveSameSettings(account, this.#account)) return false;
    if (account.sequence === this.#account.sequence) return true;
    const changes = await findChangedListings(transaction, account.id, this.#account.sequence, changesMax + 1);
    if (changes.length > changesMax) return false;
    const hasSameRoom = hasAsMuchRoom(account, this.#account);
    this.#mustBeRemade = true;
    this.#account = { ...account };
    const ids = new Set(changes.filter((change) => this.#known.includes(change)).map(({ id }) => id));
    for (const id of ids) this.#known.forget(id);
    await this.#known.lookUp(transaction, account.id, 'id', ids, pause);
    const isComputed = (ids.size === 0 && hasSameRoom) || (await this.#computeAgain(pause));
    this.#mustBeRemade = !isComputed;
    return isComputed;
  }

  async remake(transaction: Executor, account: AccountHead, pause: () => Promise<void>): Promise<void> {
    this.#account = { ...account };
    this.#known = new KnownListings(this.#options.keep);
    this.#planned.clear();
    this.#mustBeRemade = false;
    await this.make(transaction, pause);
  }

  /** @returns false if a released document is needed */
  async #computeAgain(pause: () => Promise<void>): Promise<boolean> {
    try {
      await this.#compute(pause);
      return true;
    } catch (error) {
      if (error instanceof ReleasedDocError) return false;
      throw error;
    }
  }

  async #compute(pause: () => Promise<void>): Promise<void> {
    this.outcomes = [];
    this.batch = new ChangeBatch();
    this.#accountAfter = { ...this.#account };
    const overlay = { byId: new Map<string, PlanListing>(this.#known.byId), idOf: new Map(this.#known.idOf) };
    for (const row of this.#rows) {
      this.outcomes.push({ row, result: this.#takeRow(row, overlay) });
      this.#limitBytes(this.bytes);
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
    const [before, after] = [current?.externalId, result.externalId];
    const takenBy = after === undefined || after === before ? undefined : overlay.idOf.get(after);
    if (takenBy !== undefined) return externalIdTaken(takenBy);
    const measureCurrent = current && (() => current.docBytes);
    const lack = attempt(() => takeQuota(this.#accountAfter, () => result, measureCurrent));
    if (lack instanceof AppError) return lack;
    if (before !== undefined) overlay.idOf.delete(before);
    if (after !== undefined) overlay.idOf.set(after, result.id);
    overlay.byId.set(result.id, result);
    const known = this.#known.byId.get(result.id);
    this.batch.add(result, known?.former);
    // Later rows change the planned listing, so the stored listing's document is no longer needed.
    known?.release();
    return result.type;
  }

  #planRow(row: ValidRow, current: PlanListing | undefined): PlannedRow {
    const earlier = this.#planned.get(row);
    if (earlier !== undefined && earlier.current === current) return earlier;
    const planned = { current, result: this.#makeChange(row, current) };
    this.#planned.set(row, planned);
    return planned;
  }

  #makeChange(row: ValidRow, current: PlanListing | undefined): PlannedRow['result'] {
    try {
      if (current === undefined) return this.#toChange('created', makeNew(this.#account, row.makeInput(undefined)), {});
      const before = current instanceof KnownListing ? current.parse() : parsePlanned(current);
      const context = { account: this.#account, versionFloor: this.#options.versionFloor };
      const { listing, changes } = makeChanged(context, before, row.makeInput(before));
      return Object.keys(changes).length === 0 ? undefined : this.#toChange('updated', listing, changes);
    } catch (error) {
      if (error instanceof AppError && error.code === 'validation_failed') return error;
      throw error;
    }
  }

  #toChange(type: ReadyChange['type'], listing: Listing, changes: Record<string, FieldChange>): ReadyChange {
    return readyChange(type, listing, changes, this.#options.keep);
  }

  #limitBytes(bytes: number): void {
    if (bytes > this.#options.bytesMax) throw changesTooMuch(this.#options.bytesMax);
  }
}

export function changesTooMuch(bytesMax: number): AppError {
  const message =
    `The file changes too much for one transaction: its listings, before and after the changes, exceed ` +
    `${bytesMax / MEBIBYTE} MiB in total. Send several files, or omit atomic=true.`;
  return new AppError('payload_too_large', message);
}

function haveSameSettings(one: AccountHead, other: AccountHead): boolean {
  const names = ['currency', 'areaUnits', 'listingsMax', 'bytesMax'] as const;
  return names.every((name) => one[name] === other[name]);
}

/** Whether changes to other listings have left the usage of each quota unchanged. */
function hasAsMuchRoom(one: AccountHead, other: AccountHead): boolean {
  return (
    (one.listingsMax === null || one.listingCount === other.listingCount) &&
    (one.bytesMax === null || one.storedBytes === other.storedBytes)
  );
}
