import type { ListQuery, PropertyListings } from '@property-listings/client';
import { gather } from './output/standard-output.ts';
import { toJson } from './output/terminal.ts';

/** The service's maximum page size. */
export const PAGE_SIZE_MAX = 1_000;

/** Streams the listings that match a query or, with `limit`, the first `limit` of them. */
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

/** Yields only the first `limit` items. */
export async function* take<T>(items: AsyncIterable<T>, limit: number): AsyncGenerator<T> {
  let count = 0;
  for await (const item of items) {
    yield item;
    count += 1;
    if (count >= limit) return;
  }
}

/** Formats the items as a JSON array, with one item per line. */
export function toJsonArray(items: Iterable<object> | AsyncIterable<object>): AsyncGenerator<string> {
  return gather(jsonLines(items));
}

async function* jsonLines(items: Iterable<object> | AsyncIterable<object>): AsyncGenerator<string> {
  let before = '[\n';
  for await (const item of items) {
    yield before + toJson(item);
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}
