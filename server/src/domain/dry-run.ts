import type { Account, AccountHead } from '../model/accounts.ts';
import type { Listing } from '../model/listings.ts';
import { findAccountHead, insertAccount } from '../storage/accounts.ts';
import type { Database, Scratch } from '../storage/database.ts';
import { findListing, findListingByExternalId, type StoredListing } from '../storage/listings.ts';
import { openScratch } from '../storage/open.ts';
import { type ImportRow, type RowOutcome, saveRows } from './import-rows.ts';
import { storeCreated } from './write-path.ts';
import { type Actor, getActingAccount, type Writing } from './writing.ts';

/** So many rows are looked up and saved at a time, and for so long. */
const ROWS_MAX = 25;
const WORK_MAX_MS = 1;

/**
 * Where a dry run, and a file with faults, saves its rows: an empty database that is gone afterwards. What a row could meet in the real one is
 * copied before it comes, so that all goes as it would there, also between the rows.
 */
export class DryRun {
  readonly #database: Database;
  readonly #actor: Actor;
  readonly #scratch: Scratch;
  /** What the account would have with the rows so far, for its quotas. */
  #taken: Pick<AccountHead, 'listingCount' | 'storedBytes'> | undefined;
  /** Rows come again until they are saved. */
  readonly #lookedUp = new WeakSet<ImportRow>();

  private constructor(database: Database, actor: Actor, scratch: Scratch) {
    this.#database = database;
    this.#actor = actor;
    this.#scratch = scratch;
  }

  /** @throws {AppError} `unauthorized` */
  static async open(database: Database, actor: Actor): Promise<DryRun> {
    const account = await getActingAccount(database, actor);
    const dryRun = new DryRun(database, actor, openScratch());
    try {
      await dryRun.#scratch.write((transaction) => insertAccount(transaction, account, Date.now()));
    } catch (error) {
      await dryRun[Symbol.asyncDispose]();
      throw error;
    }
    return dryRun;
  }

  /** Saves some of the rows, one at least. @returns what came of each @throws {AppError} `unauthorized` */
  async save(rows: ImportRow[]): Promise<RowOutcome[]> {
    const account = await getActingAccount(this.#database, this.#actor);
    const some = rows.slice(0, ROWS_MAX);
    const fresh = some.filter((row) => !this.#lookedUp.has(row));
    const met = await this.#findMet(account, fresh);
    for (const row of fresh) this.#lookedUp.add(row);
    return this.#scratch.write(async (transaction) => {
      const copy = await findAccountHead(transaction, account.id);
      const writing = {
        transaction,
        account: { ...account, ...this.#taken, sequence: copy?.sequence ?? 0 },
        versionFloor: 0,
      };
      for (const stored of met) await copyOnce(writing, stored);
      const outcomes = await saveRows(writing, some, WORK_MAX_MS);
      const { listingCount, storedBytes } = writing.account;
      this.#taken = { listingCount, storedBytes };
      return outcomes;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#scratch.close();
  }

  /** The real listings that the rows could meet. */
  async #findMet({ id: accountId }: Account, rows: ImportRow[]): Promise<StoredListing[]> {
    const met: (StoredListing | undefined)[] = [];
    for (const row of rows) {
      if ('issue' in row) continue;
      if (row.id !== undefined) met.push(await findListing(this.#database, accountId, row.id));
      if (row.externalId !== undefined)
        met.push(await findListingByExternalId(this.#database, accountId, row.externalId));
    }
    return met.filter((stored) => stored !== undefined);
  }
}

/**
 * What was copied before stays as the rows have left it; so does what a row has created, although somebody may have
 * created a listing with the same external id since.
 */
async function copyOnce(writing: Writing, { id, doc }: StoredListing): Promise<void> {
  const { transaction, account } = writing;
  if ((await findListing(transaction, account.id, id)) !== undefined) return;
  const listing: Listing = JSON.parse(doc);
  const { externalId } = listing;
  const isTaken = externalId !== undefined && (await findListingByExternalId(transaction, account.id, externalId));
  if (!isTaken) await storeCreated(writing, listing);
}
