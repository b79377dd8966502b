import type { ListQuery, PropertyListings } from '@property-listings/client';
import { gather } from './output/standard-output.ts';
import { toJson } from './output/terminal.ts';

/** The service's largest page. */
export const PAGE_SIZE_MAX = 1_000;

/** Streams the listings that a query matches, at most `limit`. */
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

/** One JSON array, one listing per line. */
export function toJsonArray(listings: AsyncIterable<object>): AsyncGenerator<string> {
  return gather(jsonLines(listings));
}

async function* jsonLines(listings: AsyncIterable<object>): AsyncGenerator<string> {
  let before = '[\n';
  for await (const listing of listings) {
    yield before + toJson(listing);
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}
