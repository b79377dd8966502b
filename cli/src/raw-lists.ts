import { ConnectionError, type ListQuery } from '@property-listings/client';
import { pause, retryDelayMs, send, toSearch, Watch } from '@property-listings/client/request';
import type { Service } from './connection.ts';
import { PAGE_SIZE_MAX } from './listings.ts';

const LINE_FEED = 10;
/** The client's defaults. */
const IDLE_TIMEOUT_MS = 60_000;
const RETRIES = 2;

/** Streams a list as the service formats it. @throws {ConnectionError} if the list is incomplete */
export async function* readRaw(service: Service, mediaType: string, query: ListQuery): AsyncGenerator<Uint8Array> {
  yield* readBody(await openList(service, mediaType, query));
}

/** Streams CSV with a single header row, even if `limit` takes several pages. */
export async function* readCsv(
  service: Service,
  query: ListQuery,
  limit: number | undefined,
): AsyncGenerator<Uint8Array> {
  if (limit === undefined) return yield* readRaw(service, 'text/csv', query);
  let cursor: string | undefined;
  for (let left = limit; left > 0; left -= PAGE_SIZE_MAX) {
    const page = { ...query, limit: Math.min(left, PAGE_SIZE_MAX), ...(cursor !== undefined && { cursor }) };
    const opened = await openList(service, 'text/csv', page);
    yield* cursor === undefined ? readBody(opened) : withoutFirstLine(readBody(opened));
    cursor = nextCursor(opened.response);
    if (cursor === undefined) return;
  }
}

interface OpenedList {
  response: Response;
  watch: Watch;
}

/** Retries transient errors until the response starts. */
async function openList(service: Service, mediaType: string, query: ListQuery): Promise<OpenedList> {
  for (let attempts = 1; ; attempts += 1) {
    const watch = new Watch(IDLE_TIMEOUT_MS, undefined);
    try {
      return { response: await requestList(service, mediaType, query, watch), watch };
    } catch (error) {
      watch.end();
      const delayMs = retryDelayMs(error, 'always', attempts, service.maxRetries ?? RETRIES);
      if (delayMs === undefined) throw error;
      await pause(delayMs, undefined);
    }
  }
}

async function requestList(
  { baseUrl, apiKey, fetch }: Service,
  mediaType: string,
  query: ListQuery,
  watch: Watch,
): Promise<Response> {
  const headers = { Accept: mediaType, Authorization: `Bearer ${apiKey}` };
  watch.start();
  const response = await send(`${baseUrl}/listings${toSearch(query)}`, { headers, signal: watch.signal, fetch });
  if (response.headers.get('Content-Type')?.startsWith(mediaType)) return response;
  throw new ConnectionError('The response did not come from the service.');
}

/** The timeout applies only while waiting for the service, not while the reader pauses. */
async function* readBody({ response, watch }: OpenedList): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  try {
    for (;;) {
      watch.start();
      const next = await reader?.read();
      watch.rest();
      if (next?.value === undefined) return;
      yield next.value;
    }
  } catch (error) {
    throw error instanceof ConnectionError
      ? error
      : new ConnectionError('The list is incomplete.', { code: 'list_cut' });
  } finally {
    watch.end();
  }
}

/** Column names contain no line feed. */
async function* withoutFirstLine(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isPast = false;
  for await (const piece of pieces) {
    const lineEnd: number = isPast ? -1 : piece.indexOf(LINE_FEED);
    if (isPast || lineEnd >= 0) yield piece.subarray(lineEnd + 1);
    isPast ||= lineEnd >= 0;
  }
}

/** From the `Link` header (RFC 8288). */
function nextCursor({ headers }: Response): string | undefined {
  const [, link] = /<([^>]*)>; rel="next"/.exec(headers.get('Link') ?? '') ?? [];
  return link === undefined ? undefined : (new URL(link, 'http://localhost').searchParams.get('cursor') ?? undefined);
}
