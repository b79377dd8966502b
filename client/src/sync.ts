import { EventsExpiredError } from './error-codes.ts';
import { followPages, type Position } from './events.ts';
import { ListingList } from './list.ts';
import type { CallOptions } from './options.ts';
import type { Transport } from './transport.ts';
import type { Listing, ListingEvent } from './types.ts';

/** Stores a copy of the listings, for example in a table, a file, or a search index. */
export interface ListingStore {
  /** The last position passed to `apply`; undefined if there is no copy yet. */
  position(): MaybePromise<Position | undefined>;
  /** Replaces the whole copy. If reading the listings throws, keep the old copy if possible. */
  replace(listings: AsyncIterable<Listing>): MaybePromise<void>;
  /**
   * Applies the events in order and stores the position, ideally in one transaction. It is safe to apply an
   * event twice, because each contains the complete listing, or says that it was deleted.
   */
  apply(events: ListingEvent[], position: Position): MaybePromise<void>;
}

type MaybePromise<T> = T | Promise<T>;

export interface SyncOptions extends CallOptions {
  /** Keeps the copy current forever (default); `false` stops once it is current. */
  follow?: boolean | undefined;
}

/** Updates a copy with the events after its position or, without a position or these events, with the complete list. */
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

/** Replaces the copy. @returns a position from before the read; events after it include all changes during the read */
async function copyAll(transport: Transport, store: ListingStore, options: CallOptions): Promise<Position> {
  const { sequence, epoch } = await new ListingList(transport, { limit: 1, fields: 'id' }, options);
  let isComplete = false;
  await store.replace(
    (async function* () {
      yield* new ListingList<Listing>(transport, {}, options);
      isComplete = true;
    })(),
  );
  if (!isComplete) throw new TypeError('replace() must read all listings.');
  const position = { after: sequence, epoch };
  await store.apply([], position);
  return position;
}
