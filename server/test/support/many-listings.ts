import { createId } from '../../src/lib/ids.ts';
import { LISTING_ID_PREFIX, type Listing } from '../../src/model/listings.ts';
import { toSearchRow } from '../../src/model/search-terms.ts';
import { BATCH_LENGTH } from '../../src/storage/batches.ts';
import type { Database } from '../../src/storage/database.ts';
import { putListings } from '../../src/storage/listings.ts';
import { insertSearchRows } from '../../src/storage/search-rows.ts';

const BATCHES_PER_WRITE = 20;

/**
 * Quickly stores many listings without events. Most values are common, and some are rare.
 * @param change replaces values of a listing, by its index
 */
export async function storeMany(
  database: Database,
  accountId: string,
  count: number,
  change: (n: number) => Partial<Listing> = () => ({}),
): Promise<void> {
  const listings = Array.from({ length: count }, (_, n) => ({ ...makeListing(n), ...change(n) }));
  for (let start = 0; start < count; start += BATCHES_PER_WRITE * BATCH_LENGTH) {
    await database.write(async (transaction) => {
      for (let from = start; from < start + BATCHES_PER_WRITE * BATCH_LENGTH; from += BATCH_LENGTH) {
        const some = listings.slice(from, from + BATCH_LENGTH);
        const rows = some.map((listing) => ({
          ...toSearchRow(listing),
          ...{ id: listing.id, version: 1, sequence: 1, doc: JSON.stringify(listing), actor: null, changes: null },
        }));
        await putListings(transaction, accountId, rows);
        await insertSearchRows(transaction, accountId, rows);
      }
    }, accountId);
  }
}

/** A listing whose values depend on its index. */
export function makeListing(n: number): Listing {
  const sometimes = <T>(value: T) => (n % 11 === 0 ? undefined : value);
  const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();
  return {
    id: createId(LISTING_ID_PREFIX),
    address: `${n} ${n % 2 === 0 ? 'Elm' : 'Oak'} Street`,
    beds: n % 5,
    baths: 1 + (n % 3),
    status: n % 4 === 0 ? 'pending' : 'active',
    version: 1,
    createdAt: at(n),
    updatedAt: at((n * 7_919) % 1_000_003),
    externalId: `MLS-${n}`,
    propertyType: n % 3 === 0 ? 'land' : 'residential',
    city: n % 1_000 === 0 ? 'Marfa' : 'Austin',
    stateOrProvince: 'TX',
    country: 'US',
    postalCode: `78${n % 50}`,
    listPrice: sometimes(100_000 + ((n * 7_919) % 977) * 1_000),
    closePrice: sometimes(100_000 + ((n * 104_729) % 977) * 1_000),
    livingArea: sometimes(500 + ((n * 31) % 3_001)),
    lotSizeArea: sometimes(((n * 17) % 1_009) / 100 + 0.01),
    yearBuilt: sometimes(1900 + ((n * 13) % 120)),
    onMarketDate: sometimes(at((n % 300) * 86_400).slice(0, 10)),
    closeDate: sometimes(at((n % 400) * 86_400).slice(0, 10)),
    latitude: 30 + ((n * 7_919) % 10_007) / 10_007,
    longitude: -98 + ((n * 104_729) % 10_009) / 10_009,
  };
}
