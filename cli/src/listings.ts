import type { ListQuery, PropertyListings } from '@property-listings/client';

/** The largest page that the service gives. */
export const PAGE_SIZE_MAX = 1_000;

/** The listings that a query finds, as they come, or the first ones of them. */
export async function* readListings(
  client: PropertyListings,
  query: ListQuery,
  limit?: number,
): AsyncGenerator<object> {
  if (limit === undefined) return yield* client.listings.list(query);
  let left = limit;
  for await (const { data } of client.listings.list({ ...query, limit: Math.min(limit, PAGE_SIZE_MAX) }).pages()) {
    yield* data.slice(0, left);
    left -= data.length;
    if (left <= 0) return;
  }
}
