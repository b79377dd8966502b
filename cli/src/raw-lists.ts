import { ConnectionError, type ListQuery, TimeoutError } from '@property-listings/client';
import { Transport } from '@property-listings/client/transport';
import type { Service } from './connection.ts';
import { PAGE_SIZE_MAX } from './listings.ts';

export const MEDIA_TYPES = { ndjson: 'application/x-ndjson', csv: 'text/csv', geojson: 'application/geo+json' };
const LINE_FEED = 10;

/** Streams a list as the service formats it. @throws {ConnectionError} if the list is incomplete */
export async function* readRaw(
  service: Service,
  mediaType: string,
  query: ListQuery = {},
  path = '/listings',
): AsyncGenerator<Uint8Array> {
  yield* readBody((await openList(service, mediaType, query, path)).data);
}

/** Streams CSV with a single header row, even if `limit` requires several pages. */
export async function* readCsv(service: Service, query: ListQuery, limit?: number): AsyncGenerator<Uint8Array> {
  if (limit === undefined) return yield* readRaw(service, MEDIA_TYPES.csv, query);
  let cursor: string | undefined;
  for (let left = limit; left > 0; left -= PAGE_SIZE_MAX) {
    const page = { ...query, limit: Math.min(left, PAGE_SIZE_MAX), cursor };
    const { data, response } = await openList(service, MEDIA_TYPES.csv, page);
    yield* cursor === undefined ? readBody(data) : withoutFirstLine(readBody(data));
    cursor = nextCursor(response);
    if (cursor === undefined) return;
  }
}

function openList(service: Service, mediaType: string, query: ListQuery, path = '/listings') {
  const operation = { method: 'GET', path, query, headers: { Accept: mediaType } } as const;
  return new Transport(service).open(operation).withResponse();
}

async function* readBody(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    throw error instanceof TimeoutError ? error : new ConnectionError('The list is incomplete.', { code: 'list_cut' });
  }
}

/** Drops the CSV header, which is one line because column names contain no line feed. */
async function* withoutFirstLine(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isPast = false;
  for await (const chunk of chunks) {
    const start: number = isPast ? 0 : chunk.indexOf(LINE_FEED) + 1;
    isPast ||= start > 0;
    if (isPast) yield chunk.subarray(start);
  }
}

/** Reads the next page's cursor from the `Link` header (RFC 8288). */
function nextCursor({ headers }: Response): string | undefined {
  const [, link] = /<([^>]*)>; rel="next"/.exec(headers.get('Link') ?? '') ?? [];
  return link === undefined ? undefined : (new URL(link, 'http://localhost').searchParams.get('cursor') ?? undefined);
}
