import { ConnectionError, ListCutError } from './errors.ts';
import { toLines } from './lines.ts';
import type { CallOptions } from './options.ts';
import { unreadable } from './replies.ts';
import type { Query } from './request.ts';
import { pause, retryDelayMs } from './retry.ts';
import { parse, type Transport } from './transport.ts';

/**
 * Every listing, as they come. A stream that is cut is asked for again, and what was given is left out, as long as each
 * try brings something new. That needs the order of ids.
 * @throws {ListCutError} when it is cut and cannot be taken up
 */
export async function* readCompleteList<T extends object>(
  transport: Transport,
  query: Query,
  options: CallOptions,
): AsyncGenerator<T, void> {
  const isInOrderOfIds = query.sort === undefined && query.near === undefined && hasIds(query);
  const maxRetries = transport.retriesOf(options);
  let lastId: string | undefined;
  let count = 0;
  let failures = 0;
  for (;;) {
    try {
      for await (const listings of readList<T>(transport, query, options)) {
        for (const listing of listings) {
          const { id } = Object(listing);
          // Ids descend, and those of new listings are above all others.
          if (isInOrderOfIds && lastId !== undefined && id >= lastId) continue;
          lastId = id;
          count += 1;
          failures = 0;
          yield listing;
        }
      }
      return;
    } catch (error) {
      failures += 1;
      const canGoOn = count === 0 || isInOrderOfIds;
      const delayMs = canGoOn ? retryDelayMs(error, 'always', failures, maxRetries) : undefined;
      if (delayMs === undefined) throw count > 0 && error instanceof ConnectionError ? cutAfter(count, error) : error;
      await pause(delayMs, options.signal);
    }
  }
}

function hasIds({ fields }: Query): boolean {
  return fields === undefined || String(fields).split(',').includes('id');
}

function cutAfter(count: number, cause: ConnectionError): ListCutError {
  return new ListCutError(count, { cause });
}

const NDJSON = 'application/x-ndjson';

/** One try. Only the line at the end says that a list is whole: a proxy may end what it cut as if it were. */
async function* readList<T extends object>(transport: Transport, query: Query, options: CallOptions) {
  const operation = { method: 'GET', path: '/listings', query, headers: { Accept: NDJSON } } as const;
  let count = 0;
  let end: End | undefined;
  for await (const lines of toLines(transport.stream(operation, options))) {
    const rows = lines.map((line) => parse<T | End>(line));
    const listings = rows.filter((row): row is T => !isEnd(row));
    end ??= rows.find(isEnd);
    count += listings.length;
    yield listings;
  }
  if (end?.count !== count) throw unreadable();
}

/** What closes a list. */
interface End {
  end: true;
  count: number;
}

/** No listing has such a member. */
function isEnd(row: object): row is End {
  return 'end' in row;
}
