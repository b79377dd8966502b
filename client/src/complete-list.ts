import { ConnectionError, ListCutError } from './errors.ts';
import type { CallOptions } from './options.ts';
import { unreadable } from './replies.ts';
import type { Query } from './request.ts';
import { pause, retryDelayMs } from './retry.ts';
import { parse, type Transport } from './transport.ts';

/**
 * Streams every listing that matches. After a transient error, requests the list again. If listings were already
 * yielded, this works only if the list contains IDs and is sorted by ID, so that those listings can be skipped.
 * Each new listing resets the retry count.
 * @throws {ListCutError} if the list was cut off after some listings were yielded, and could not be resumed
 */
export async function* readCompleteList<T extends object>(
  transport: Transport,
  query: Query,
  options: CallOptions,
): AsyncGenerator<T, void> {
  const isSortedById = query.sort === undefined && query.near === undefined && hasIds(query);
  const { maxRetries } = transport.limitsOf(options);
  let lastId: string | undefined;
  let count = 0;
  let failures = 0;
  for (;;) {
    try {
      for await (const listings of readLines<T>(transport, '/listings', query, { ...options, maxRetries: 0 })) {
        for (const listing of listings) {
          const { id } = Object(listing);
          // The list is in descending order of ID, so this listing was already yielded, or was created during
          // the stream.
          if (isSortedById && lastId !== undefined && id >= lastId) continue;
          lastId = id;
          count += 1;
          failures = 0;
          yield listing;
        }
      }
      return;
    } catch (error) {
      failures += 1;
      const canResume = count === 0 || isSortedById;
      const delayMs = canResume ? retryDelayMs(error, 'always', failures, maxRetries) : undefined;
      if (delayMs === undefined)
        throw count > 0 && error instanceof ConnectionError ? new ListCutError(count, { cause: error }) : error;
      await pause(delayMs, options.signal);
    }
  }
}

function hasIds({ fields }: Query): boolean {
  return fields === undefined || String(fields).split(',').includes('id');
}

export const NDJSON = 'application/x-ndjson';

/**
 * Streams a list as it arrives, and does not resume it after an error. Only the end line proves that the list
 * is complete, because a proxy may cut off a response and end it cleanly.
 */
export async function* readLines<T extends object>(
  transport: Transport,
  path: string,
  query: Query,
  options: CallOptions,
): AsyncGenerator<T[], void> {
  let count = 0;
  let end: End | undefined;
  const chunks = await transport.open({ method: 'GET', path, query, headers: { Accept: NDJSON } }, options);
  for await (const lines of toLines(chunks)) {
    const items: T[] = [];
    for (const line of lines) {
      const row = parse<T | End>(line);
      if (isEnd(row)) end = row;
      else items.push(row);
    }
    count += items.length;
    yield items;
  }
  if (end?.count !== count) throw unreadable();
}

/** The last line of a list. */
interface End {
  end: true;
  count: number;
}

/** Whether a row is the end line. No listing or failed row has a member named `end`. */
function isEnd(row: object): row is End {
  return 'end' in row;
}

/** Yields the lines that each chunk completes. The last line does not need a line feed. */
export async function* toLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string[], void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    // Split only the new chunk, because a line may span a thousand chunks.
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n');
    const lines = [rest + first, ...others];
    rest = lines.pop() ?? '';
    yield lines;
  }
  if (rest !== '') yield [rest];
}

export interface PageOptions extends CallOptions {
  /** Items per page. */
  limit?: number | undefined;
}

/** Streams the items of a list page by page. */
export async function* readPages<T>(
  transport: Transport,
  path: string,
  { limit, ...options }: PageOptions,
): AsyncGenerator<T, void> {
  let cursor: string | null | undefined;
  do {
    const query = { limit, cursor };
    const page = await transport.call<{ data: T[]; nextCursor: string | null }>(
      { method: 'GET', path, query },
      options,
    );
    yield* page.data;
    cursor = page.nextCursor;
  } while (cursor);
}
