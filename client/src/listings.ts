import type { Call } from './call.ts';
import { ListingList } from './list.ts';
import type { CallOptions } from './options.ts';
import { type ListingStore, type SyncOptions, syncStore } from './sync.ts';
import type { MakeBody, Transport } from './transport.ts';
import type { ChosenListing, Listing, ListingField, ListingPatch, ListQuery, NewListing } from './types.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const PATCH_TYPE = { 'Content-Type': 'application/merge-patch+json' };

export class Listings {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Creates a listing: `address`, `beds` and `baths` are required. Each call creates another one; its retries do not. */
  create(listing: NewListing, options?: CallOptions): Call<Listing> {
    return this.#transport.call(
      { method: 'POST', path: '/listings', headers: JSON_TYPE, body: toJson(listing) },
      options,
    );
  }

  /** @throws {NotFoundError} when the account has no such listing */
  retrieve(id: string, options?: CallOptions): Call<Listing> {
    return this.#transport.call({ method: 'GET', path: pathOf(id) }, options);
  }

  /** Changes what the patch names and nothing else, as RFC 7396 has it; `ifMatch: version` only if nobody has changed it since. */
  update(id: string, patch: ListingPatch, options?: CallOptions): Call<Listing> {
    return this.#transport.call(
      { method: 'PATCH', path: pathOf(id), headers: PATCH_TYPE, body: toJson(patch) },
      options,
    );
  }

  /** Deletes the listing for good. @throws {NotFoundError} when it is gone already */
  delete(id: string, options?: CallOptions): Call<void> {
    return this.#transport.callWithoutReply({ method: 'DELETE', path: pathOf(id) }, options);
  }

  /** The listing with your own id. @throws {NotFoundError} when the account has none */
  retrieveByExternalId(externalId: string, options?: CallOptions): Call<Listing> {
    return this.#transport.call({ method: 'GET', path: externalPathOf(externalId) }, options);
  }

  /** Creates the listing with your own id, or replaces it as a whole. */
  upsert(externalId: string, listing: NewListing, options?: CallOptions): Call<Listing> {
    return this.#transport.call(
      { method: 'PUT', path: externalPathOf(externalId), headers: JSON_TYPE, body: toJson(listing) },
      options,
    );
  }

  /** Deletes the listing with your own id. @throws {NotFoundError} when it is gone already */
  deleteByExternalId(externalId: string, options?: CallOptions): Call<void> {
    return this.#transport.callWithoutReply({ method: 'DELETE', path: externalPathOf(externalId) }, options);
  }

  /** All listings of the account, newest first, or those that are asked for: see `ListingList`. */
  list<F extends ListingField = ListingField>(
    query: ListQuery<F> = {},
    options: CallOptions = {},
  ): ListingList<ChosenListing<F>> {
    return new ListingList<ChosenListing<F>>(this.#transport, query, options);
  }

  /**
   * Keeps a copy of all listings current in a store of yours, from the complete list and the events after it; goes on
   * where the store says it was left. Ends by an error, the `signal`, or with `follow: false` once the copy is current.
   */
  sync(store: ListingStore, options: SyncOptions = {}): Promise<void> {
    return syncStore(this.#transport, store, options);
  }
}

function pathOf(id: string): string {
  return `/listings/${toSegment(id)}`;
}

function externalPathOf(externalId: string): string {
  return `/listings/external/${toSegment(externalId)}`;
}

/** An id in a path. @throws {TypeError} for what would name another path: nothing, `.` and `..` */
function toSegment(id: string): string {
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id))
    throw new TypeError('The id must be a text, and neither empty nor dots.');
  return encodeURIComponent(id);
}

/** The same bytes for each try, whatever becomes of the object meanwhile. @throws {TypeError} for what is none */
function toJson(value: object): MakeBody {
  if (Object(value) !== value) throw new TypeError('Give the listing, or the patch, as an object.');
  const body = JSON.stringify(value);
  return () => ({ body });
}
