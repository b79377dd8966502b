import { ConnectionError, ListCutError } from './errors.ts';
import type { CallOptions } from './options.ts';
import { unreadable } from './replies.ts';
import type { Query } from './request.ts';
import { pause, retryDelayMs } from './retry.ts';
import { parse, type Transport } from './transport.ts';

/**
 * Streams every listing. If the connection is lost, it requests the list again and skips listings already yielded,
 * which requires a list ordered by ID. Each new listing resets the retry count.
 * @throws {ListCutError} if the list is incomplete and cannot be resumed
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
      for await (const listings of readList<T>(transport, query, options)) {
        for (const listing of listings) {
          const { id } = Object(listing);
          // IDs descend, and new listings have greater ones.
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

/** One attempt. Only the end line proves that the list is complete: a proxy may cut a response and end it cleanly. */
async function* readList<T extends object>(transport: Transport, query: Query, options: CallOptions) {
  const operation = { method: 'GET', path: '/listings', query, headers: { Accept: NDJSON } } as const;
  let count = 0;
  let end: End | undefined;
  const chunks = await transport.open(operation, { ...options, maxRetries: 0 });
  for await (const lines of toLines(chunks)) {
    const rows = lines.map((line) => parse<T | End>(line));
    const listings = rows.filter((row): row is T => !isEnd(row));
    end ??= rows.find(isEnd);
    count += listings.length;
    yield listings;
  }
  if (end?.count !== count) throw unreadable();
}

/** The last line of a list. */
interface End {
  end: true;
  count: number;
}

/** Whether a line is the end line: no listing has a field named `end`. */
function isEnd(row: object): row is End {
  return 'end' in row;
}

/** Yields the lines that each chunk completes. The last line does not need a line feed. */
export async function* toLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string[], void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    // Split only the new text: a line may span a thousand chunks.
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n');
    const lines = [rest + first, ...others];
    rest = lines.pop() ?? '';
    yield lines;
  }
  if (rest !== '') yield [rest];
}
