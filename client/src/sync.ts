import { EventsExpiredError } from './error-codes.ts';
import { followPages, type Position } from './follow.ts';
import { ListingList } from './list.ts';
import type { CallOptions } from './options.ts';
import type { Transport } from './transport.ts';
import type { Listing, ListingEvent } from './types.ts';

/** Where a copy of the listings is kept: a table, a file, a search index. */
export interface ListingStore {
  /** What `apply` was given last; undefined where there is no copy yet. */
  position(): MaybePromise<Position | undefined>;
  /** Makes the copy hold these listings and no others. If reading them throws, it is best left as it was. */
  replace(listings: AsyncIterable<Listing>): MaybePromise<void>;
  /**
   * Carries out what happened, in this order, and keeps the position, best in one transaction. To be given some events
   * a second time does no harm: each has its listing as a whole.
   */
  apply(events: ListingEvent[], position: Position): MaybePromise<void>;
}

type MaybePromise<T> = T | Promise<T>;

export interface SyncOptions extends CallOptions {
  /** `false` ends it once the copy is current; by default it is kept so for ever. */
  follow?: boolean | undefined;
}

/** Brings a copy up to date from where it was left: by the events after it, or if these are gone by the complete list. */
export async function syncStore(transport: Transport, store: ListingStore, options: SyncOptions): Promise<void> {
  const { follow = true, ...others } = options;
  let position = await store.position();
  for (;;) {
    position ??= await copyAll(transport, store, others);
    try {
      for await (const { data, nextAfter, epoch } of followPages(transport, position, others, follow)) {
        await store.apply(data, { after: nextAfter, epoch });
      }
      return;
    } catch (error) {
      if (!(error instanceof EventsExpiredError)) throw error;
      position = undefined;
    }
  }
}

/** @returns the position before the list was read: what happens meanwhile is in the events after it, or in both */
async function copyAll(transport: Transport, store: ListingStore, options: CallOptions): Promise<Position> {
  const { sequence, epoch } = await new ListingList(transport, { limit: 1, fields: 'id' }, options);
  let isWhole = false;
  await store.replace(
    (async function* () {
      yield* new ListingList<Listing>(transport, {}, options);
      isWhole = true;
    })(),
  );
  if (!isWhole) throw new TypeError('replace() must read all listings before it ends.');
  const position = { after: sequence, epoch };
  await store.apply([], position);
  return position;
}
