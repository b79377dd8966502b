import { ownTurn } from '../../lib/turns.ts';
import type { Account, AccountHead } from '../../model/accounts.ts';
import { UNKNOWN_ACTOR } from '../../model/history.ts';
import type { Listing } from '../../model/listings.ts';
import { findAccountHead, insertAccount } from '../../storage/accounts.ts';
import type { Database, Scratch } from '../../storage/database.ts';
import { findListing, findListingByExternalId, type StoredListing } from '../../storage/listings.ts';
import { openScratch } from '../../storage/open.ts';
import { storeCreated } from '../writing/write-path.ts';
import { type Actor, getActingAccount, type Writing } from '../writing/writing.ts';
import type { ImportRow, RowOutcome } from './import-rows.ts';
import { RowSaver } from './row-saver.ts';

/** Rows whose listings are copied per event-loop turn. */
const ROWS_MAX = 25;

/**
 * Saves rows in a temporary database. The listings that a row could affect are copied there first.
 * Each row therefore has the same outcome as in an import, even if rows affect each other.
 */
export class DryRun {
  readonly #database: Database;
  readonly #actor: Actor;
  readonly #scratch: Scratch;
  readonly #saver = new RowSaver();
  /** The account's counts after the rows saved so far, for checking its quotas. */
  #taken: Pick<AccountHead, 'listingCount' | 'storedBytes'> | undefined;
  /** Rows whose listings were copied; `save` receives a row again until the row is saved. */
  readonly #lookedUp = new WeakSet<ImportRow>();

  private constructor(database: Database, actor: Actor, scratch: Scratch) {
    this.#database = database;
    this.#actor = actor;
    this.#scratch = scratch;
  }

  /** @throws {AppError} `unauthorized` */
  static async open(database: Database, actor: Actor): Promise<DryRun> {
    const account = await getActingAccount(database, actor);
    // Creating the tables takes 2 ms, and several dry runs can start at once.
    await ownTurn(actor.accountId);
    const dryRun = new DryRun(database, actor, openScratch());
    try {
      await dryRun.#scratch.write((transaction) => insertAccount(transaction, account, Date.now()));
    } catch (error) {
      await dryRun[Symbol.asyncDispose]();
      throw error;
    }
    return dryRun;
  }

  /** Saves at least the first row, and returns the outcomes. @throws {AppError} `unauthorized` */
  async save(rows: ImportRow[]): Promise<RowOutcome[]> {
    const account = await getActingAccount(this.#database, this.#actor);
    const some = rows.slice(0, ROWS_MAX);
    const fresh = some.filter((row) => !this.#lookedUp.has(row));
    const affected = await this.#findAffected(account, fresh);
    for (const row of fresh) this.#lookedUp.add(row);
    return this.#scratch.write(async (transaction) => {
      const copy = await findAccountHead(transaction, account.id);
      const writing = {
        transaction,
        account: { ...account, ...this.#taken, sequence: copy?.sequence ?? 0 },
        changedBy: UNKNOWN_ACTOR,
        versionFloor: 0,
      };
      for (const stored of affected) await copyOnce(writing, stored);
      const outcomes = await this.#saver.save(writing, some);
      const { listingCount, storedBytes } = writing.account;
      this.#taken = { listingCount, storedBytes };
      return outcomes;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#scratch.close();
  }

  async #findAffected({ id: accountId }: Account, rows: ImportRow[]): Promise<StoredListing[]> {
    const found: (StoredListing | undefined)[] = [];
    for (const row of rows) {
      if ('issue' in row) continue;
      if (row.id !== undefined) found.push(await findListing(this.#database, accountId, row.id));
      if (row.externalId !== undefined)
        found.push(await findListingByExternalId(this.#database, accountId, row.externalId));
    }
    return found.filter((stored) => stored !== undefined);
  }
}

/** Copies a listing, unless it was copied before, or an earlier row created one with the same external id. */
async function copyOnce(writing: Writing, { id, doc }: StoredListing): Promise<void> {
  const { transaction, account } = writing;
  if ((await findListing(transaction, account.id, id)) !== undefined) return;
  const listing: Listing = JSON.parse(doc);
  const { externalId } = listing;
  const isTaken = externalId !== undefined && (await findListingByExternalId(transaction, account.id, externalId));
  if (!isTaken) await storeCreated(writing, listing);
}
