import type { ListingList, ListQuery, PropertyListings } from '@property-listings/client';
import { gather } from './output/standard-output.ts';
import { toJson } from './output/terminal.ts';

/** The service's maximum page size. */
export const PAGE_SIZE_MAX = 1_000;

/** Streams the listings that match a query or, with `limit`, the first `limit` of them. */
export function readListings(client: PropertyListings, query: ListQuery, limit?: number): AsyncIterable<object> {
  if (limit === undefined) return client.listings.list(query);
  const list = client.listings.list({ ...query, limit: Math.min(limit, PAGE_SIZE_MAX) });
  return take(readPages(list), limit);
}

/** Unlike the list itself, requests pages, so that the service reads no more listings than necessary. */
async function* readPages(list: ListingList<object>): AsyncGenerator<object> {
  for await (const { data } of list.pages()) yield* data;
}

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
