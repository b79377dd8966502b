import { test } from 'node:test';
import type {
  ApiError,
  ErrorCode,
  ExternalIdTakenError,
  Listing,
  ListingEvent,
  ListingList,
  PropertyListings,
  VersionMismatchError,
} from '../src/index.ts';

test('mistakes do not compile', () => {
  // Checked by TypeScript; nothing runs.
  void [written, given, told, listed];
});

function written({ listings, imports }: PropertyListings, listing: Listing) {
  // @ts-expect-error address is misspelled
  imports.create([{ adress: 'a', beds: 1, baths: 1 }]);
  // @ts-expect-error a complete listing has read-only fields
  listings.update(listing.id, listing);
  // @ts-expect-error a complete listing has read-only fields
  listings.upsert('A', listing);
  // @ts-expect-error a complete listing has read-only fields
  listings.create(listing);
  // An export can be imported.
  imports.create([listing]);
  const { id, feed, version, createdAt, updatedAt, ...fields } = listing;
  listings.upsert('A', fields);
  listings.update(id, fields, { ifMatch: version });
  return [feed, createdAt, updatedAt];
}

function given(event: ListingEvent): Listing | string {
  if (event.type === 'listing.updated') return event.changed.join();
  if (event.type === 'listing.created') return event.listing;
  // @ts-expect-error a deleted listing is missing
  return event.listing;
}

function told(error: ApiError, mismatch: VersionMismatchError, taken: ExternalIdTakenError) {
  const code: ErrorCode | (string & {}) = error.code;
  const version: number | null = mismatch.currentVersion;
  const id: string = taken.listingId;
  return [code, version, id];
}

function listed({ listings }: PropertyListings) {
  const whole: ListingList<Listing> = listings.list({ status: 'active' });
  const some: ListingList<Pick<Listing, 'id' | 'beds'>> = listings.list({ fields: ['id', 'beds'] });
  // @ts-expect-error address was not requested
  const address = async () => (await some).data[0]?.address;
  return [whole, address];
}
