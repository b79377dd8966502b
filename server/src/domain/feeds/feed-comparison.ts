import type { AccountHead } from '../../model/accounts.ts';
import { AppError } from '../../model/errors.ts';
import { KNOWN_ROWS_MAX, type MissingMode } from '../../model/feeds.ts';
import { BATCH_LENGTH } from '../../storage/batches.ts';
import type { Database } from '../../storage/database.ts';
import { type FeedListing, findFeedPage } from '../../storage/feed-listings.ts';
import { findKeyedListings, type KeyedListing } from '../../storage/listings.ts';
import type { StagedKey } from '../../storage/open.ts';
import type { FeedExamples } from './feed-examples.ts';
import { duplicateRow, type FeedPlan } from './feed-plan.ts';
import { applyQuotas, stageSize } from './feed-quotas.ts';
import { type FeedSource, isSettled, makeFeedChange, readMark } from './feed-rows.ts';

const PAGE_LENGTH = 200;
/** The collected rows are compared once the total length of their content reaches this. */
const COMPARED_LENGTH_MAX = 1024 * 1024;

interface ComparisonOptions {
  account: AccountHead;
  versionFloor: number;
  feed: string;
  missing: MissingMode;
  source: FeedSource;
  /** Undefined if the plan is not shown. */
  examples: FeedExamples | undefined;
  pause: () => Promise<void>;
}

/**
 * Compares a file with its feed's listings. Both are read page by page, sorted by external id. Listings that
 * were already written from the same row are recognized by their marks, without reading their documents.
 */
export class FeedComparison {
  readonly #database: Database;
  readonly #plan: FeedPlan;
  readonly #options: ComparisonOptions;
  /** Rows that must be compared with their listings' documents. */
  #differing: (StagedKey & { hash: string })[] = [];
  #differingLength = 0;
  #listings: FeedListing[] = [];
  #isLastPage = false;
  #lastExternalId = '';
  /** The parsed mark of the latest row's listing; undefined if there is no listing or no current mark. */
  #lastKnown: ReturnType<typeof readMark>;

  constructor(database: Database, plan: FeedPlan, options: ComparisonOptions) {
    this.#database = database;
    this.#plan = plan;
    this.#options = options;
  }

  async run(): Promise<void> {
    const { file } = this.#plan;
    let last: StagedKey = { externalId: '', number: 0, hash: null, isKnown: 0 };
    for (let keys = file.keysAfter('', 0, PAGE_LENGTH); keys.length > 0; ) {
      for (const key of keys) {
        if (key.externalId === last.externalId) this.#failDuplicate(key, last);
        else {
          last = key;
          await this.#takeRow(key);
        }
        await this.#options.pause();
      }
      const end = keys.at(-1) ?? last;
      keys = file.keysAfter(end.externalId, end.number, PAGE_LENGTH);
    }
    await this.#compareDiffering();
    for (let listing = await this.#peek(); listing !== undefined; listing = await this.#peek()) this.#skip(listing);
    await this.#skipWithoutExternalId();
    await applyQuotas(this.#plan, this.#options);
  }

  #failDuplicate({ externalId, number, hash, isKnown }: StagedKey, first: StagedKey): void {
    // A row that is invalid on its own already has an error.
    if (hash === null) return;
    const { counts, file } = this.#plan;
    if (isKnown && hash === this.#lastKnown?.hash) counts.cleaned += this.#lastKnown.cleaned;
    const firstLine = file.lineOf(first.number);
    this.#plan.fail({ number, line: file.lineOf(number), externalId }, duplicateRow(firstLine));
  }

  async #takeRow(key: StagedKey): Promise<void> {
    let listing = await this.#peek();
    while (listing !== undefined && compareUtf8(listing.externalId ?? '', key.externalId) < 0) {
      this.#skip(listing);
      listing = await this.#peek();
    }
    const isSame = listing?.externalId === key.externalId;
    if (isSame) this.#take();
    const known = isSame && listing !== undefined ? readMark(listing) : undefined;
    this.#lastKnown = known;
    if (key.hash === null) return;
    if (known?.hash === key.hash) return this.#plan.addUnchanged(key.isKnown ? known : undefined);
    this.#differing.push({ ...key, hash: key.hash });
    this.#differingLength += this.#plan.file.contentOf(key.number).length;
    if (this.#differing.length < BATCH_LENGTH && this.#differingLength < COMPARED_LENGTH_MAX) return;
    await this.#compareDiffering();
  }

  async #compareDiffering(): Promise<void> {
    const rows = this.#differing;
    this.#differing = [];
    this.#differingLength = 0;
    let rest = rows;
    while (rest.length > 0) {
      const externalIds = rest.map(({ externalId }) => externalId);
      const { account } = this.#options;
      const { rows: found, isCut } = await findKeyedListings(this.#database, account.id, 'externalId', externalIds);
      const stored = new Map(found.map((listing) => [listing.externalId, listing]));
      const compared = isCut ? rest.filter(({ externalId }) => stored.has(externalId)) : rest;
      for (const row of compared) {
        this.#compare(row, stored.get(row.externalId));
        await this.#options.pause();
      }
      rest = rest.filter((row) => !compared.includes(row));
    }
  }

  #compare(row: StagedKey & { hash: string }, stored: KeyedListing | undefined): void {
    const { account, versionFloor, feed, source, examples } = this.#options;
    const { file } = this.#plan;
    try {
      const makeInput = source.restore(row.isKnown ? this.#readKnown(row.number) : file.contentOf(row.number));
      if (stored === undefined && examples === undefined && account.bytesMax === null) {
        makeInput(undefined);
        this.#plan.addChange(row);
        stageSize(file, row.number, account);
        return;
      }
      const change = makeFeedChange({ account: { ...account }, versionFloor }, feed, makeInput, stored);
      if (change.before !== undefined && Object.keys(change.changes).length === 0) this.#plan.addMark(row.number);
      else {
        this.#plan.addChange(row, stored?.version);
        stageSize(file, row.number, account, change);
        examples?.addChange(file.lineOf(row.number), change);
      }
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.#plan.fail({ ...row, line: file.lineOf(row.number) }, error);
    }
  }

  /** Reads a row that was not read because its hash was known, but whose listing no longer matches it. */
  #readKnown(number: number): string {
    const values = this.#plan.file.valuesOf(number) ?? '';
    return this.#plan.completeRow(number, this.#options.source.readKnown(values));
  }

  /** Adds to the plan a listing that is missing from the file, unless one of the unreadable rows can be its row. */
  #skip(listing: FeedListing): void {
    const { missing, examples } = this.#options;
    this.#take();
    if (listing.externalId !== null && this.#plan.file.has(listing.externalId)) return;
    this.#plan.addMissing(listing, missing, isSettled(listing, missing));
    examples?.addMissing(listing.id);
  }

  #take(): void {
    this.#listings.shift();
    this.#plan.listings += 1;
  }

  async #peek(): Promise<FeedListing | undefined> {
    const { account, feed, pause } = this.#options;
    if (this.#listings.length === 0 && !this.#isLastPage) {
      const after = this.#lastExternalId;
      this.#listings = await findFeedPage(this.#database, account.id, feed, 'byExternalId', after, PAGE_LENGTH);
      this.#isLastPage = this.#listings.length < PAGE_LENGTH;
      this.#lastExternalId = this.#listings.at(-1)?.externalId ?? after;
      await pause();
    }
    return this.#listings[0];
  }

  /** Treats the feed's listings without an external id as missing. A client may have removed the ids. */
  async #skipWithoutExternalId(): Promise<void> {
    const { account, feed, pause } = this.#options;
    const find = (after: string) =>
      findFeedPage(this.#database, account.id, feed, 'withoutExternalId', after, PAGE_LENGTH);
    for (let some = await find(''); some.length > 0; some = await find(some.at(-1)?.id ?? '')) {
      this.#listings = [...some];
      for (const listing of some) this.#skip(listing);
      await pause();
    }
  }
}

/** The hashes of the rows that the feed's listings match, up to a limit. */
export async function* findKnownRows(
  database: Database,
  accountId: string,
  feed: string,
  pause: () => Promise<void>,
): AsyncGenerator<string[]> {
  let after = '';
  for (let read = 0; read < KNOWN_ROWS_MAX; read += PAGE_LENGTH) {
    const listings = await findFeedPage(database, accountId, feed, 'byExternalId', after, PAGE_LENGTH);
    yield listings.flatMap((listing) => readMark(listing)?.hash ?? []);
    await pause();
    if (listings.length < PAGE_LENGTH) return;
    after = listings.at(-1)?.externalId ?? after;
  }
}

/** Compares strings by their UTF-8 bytes, which is how both database engines sort. */
function compareUtf8(one: string, other: string): number {
  return one === other ? 0 : Buffer.compare(Buffer.from(one), Buffer.from(other));
}
