import { ownTurn } from '../../lib/turns.ts';
import { BATCH_LENGTH } from '../../storage/batches.ts';
import type { Executor } from '../../storage/database.ts';
import { findKeyedListings } from '../../storage/listings.ts';
import type { FeedChange } from './feed-rows.ts';

export const EXAMPLES_MAX = 1_000;
/** Maximum length as JSON of a plan's updates and, separately, of its failed rows; the last update can exceed it. */
export const EXAMPLES_LENGTH_MAX = 2 * 1024 * 1024;

interface MissingExample {
  listingId: string;
  externalId: string | null;
  address: string;
}

/** The first changes of each kind in a plan. */
export class FeedExamples {
  readonly #create = new Map<number, object>();
  readonly #update = new Map<number, object>();
  readonly #missingIds: string[] = [];
  #length = 0;

  get create(): object[] {
    return [...this.#create.values()];
  }

  get update(): object[] {
    return [...this.#update.values()];
  }

  addChange(line: number, { listing, changes, before }: FeedChange): void {
    const { id, externalId, address } = listing;
    if (before === undefined) {
      if (this.#create.size < EXAMPLES_MAX) this.#create.set(line, { line, externalId, address });
      return;
    }
    if (this.#update.size === EXAMPLES_MAX || this.#length > EXAMPLES_LENGTH_MAX) return;
    const example = { line, externalId, listingId: id, changes };
    this.#length += JSON.stringify(example).length;
    this.#update.set(line, example);
  }

  removeChange(line: number): void {
    this.#create.delete(line);
    this.#update.delete(line);
  }

  addMissing(id: string): void {
    if (this.#missingIds.length < EXAMPLES_MAX) this.#missingIds.push(id);
  }

  /** Listings that were deleted in the meantime are left out. */
  async readMissing(executor: Executor, accountId: string): Promise<MissingExample[]> {
    const examples: MissingExample[] = [];
    for (let start = 0; start < this.#missingIds.length; start += BATCH_LENGTH) {
      let rest = this.#missingIds.slice(start, start + BATCH_LENGTH);
      while (rest.length > 0) {
        const { rows, isCut } = await findKeyedListings(executor, accountId, 'id', rest);
        for (const { id, externalId, doc } of rows) {
          examples.push({ listingId: id, externalId, address: JSON.parse(doc).address });
        }
        const found = new Set(rows.map(({ id }) => id));
        rest = isCut ? rest.filter((id) => !found.has(id)) : [];
        await ownTurn(accountId);
      }
    }
    return examples;
  }
}
