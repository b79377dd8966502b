import type { Call } from './call.ts';
import { type PageOptions, readPages } from './complete-list.ts';
import { JSON_TYPE, PATCH_TYPE, toJson, toSegment } from './encode.ts';
import { ListingList } from './list.ts';
import type { CallOptions } from './options.ts';
import { type ListingStore, type SyncOptions, syncStore } from './sync.ts';
import type { Transport } from './transport.ts';
import type {
  ChosenListing,
  HistoryEntry,
  Listing,
  ListingField,
  ListingPatch,
  ListQuery,
  NewListing,
} from './types.ts';

export class Listings {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Creates a listing; `address`, `beds`, and `baths` are required. Retries do not create a second one. */
  create(listing: NewListing, options?: CallOptions): Call<Listing> {
    return this.#transport.call(
      { method: 'POST', path: '/listings', headers: JSON_TYPE, body: toJson(listing) },
      options,
    );
  }

  /**
   * Retrieves a listing or, with `at`, the listing as it was at that sequence, which must be from the last 30 days.
   * @throws {NotFoundError} if the account has (or had) no such listing
   */
  retrieve(id: string, { at, ...options }: CallOptions & { at?: number | undefined } = {}): Call<Listing> {
    return this.#transport.call({ method: 'GET', path: pathOf(id), query: { at } }, options);
  }

  /**
   * Streams the changes to a listing, newest first, in pages of `limit` (default: 100).
   * @throws {NotFoundError} if the account does not have the listing and did not delete it in the last 30 days
   */
  history(id: string, options: PageOptions = {}): AsyncGenerator<HistoryEntry, void> {
    return readPages(this.#transport, `${pathOf(id)}/history`, options);
  }

  /** Applies a merge patch (RFC 7396). With `ifMatch`, the call fails if the listing has another version. */
  update(id: string, patch: ListingPatch, options?: CallOptions): Call<Listing> {
    return this.#transport.call(
      { method: 'PATCH', path: pathOf(id), headers: PATCH_TYPE, body: toJson(patch) },
      options,
    );
  }

  /** Permanently deletes a listing. @throws {NotFoundError} if the account has no such listing */
  delete(id: string, options?: CallOptions): Call<void> {
    return this.#transport.callWithoutBody({ method: 'DELETE', path: pathOf(id) }, options);
  }

  /** Retrieves a listing by its external ID. @throws {NotFoundError} if the account has no such listing */
  retrieveByExternalId(externalId: string, options?: CallOptions): Call<Listing> {
    return this.#transport.call({ method: 'GET', path: externalPathOf(externalId) }, options);
  }

  /** Creates the listing with this external ID, or replaces it if it exists. */
  upsert(externalId: string, listing: NewListing, options?: CallOptions): Call<Listing> {
    return this.#transport.call(
      { method: 'PUT', path: externalPathOf(externalId), headers: JSON_TYPE, body: toJson(listing) },
      options,
    );
  }

  /** Like `update`, but by external ID. @throws {NotFoundError} if the account has no such listing */
  updateByExternalId(externalId: string, patch: ListingPatch, options?: CallOptions): Call<Listing> {
    return this.#transport.call(
      { method: 'PATCH', path: externalPathOf(externalId), headers: PATCH_TYPE, body: toJson(patch) },
      options,
    );
  }

  /** Permanently deletes a listing by its external ID. @throws {NotFoundError} if the account has no such listing */
  deleteByExternalId(externalId: string, options?: CallOptions): Call<void> {
    return this.#transport.callWithoutBody({ method: 'DELETE', path: externalPathOf(externalId) }, options);
  }

  /** Lists listings, newest first by default; see `ListingList`. */
  list<F extends ListingField = ListingField>(
    query: ListQuery<F> = {},
    options: CallOptions = {},
  ): ListingList<ChosenListing<F>> {
    return new ListingList<ChosenListing<F>>(this.#transport, query, options);
  }

  /**
   * Keeps the copy of all listings in your store up to date, starting from the store's position. The call ends
   * on an error, when `signal` aborts, or, with `follow: false`, once the copy is current.
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
