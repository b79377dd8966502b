import { ConnectionError, type ListQuery } from '@property-listings/client';
import { pause, retryDelayMs, send, toSearch, Watch } from '@property-listings/client/request';
import type { Service } from './connection.ts';
import { PAGE_SIZE_MAX } from './listings.ts';

const LINE_FEED = 10;
/** A service that says nothing for so long is taken for gone. */
const SILENCE_MS_MAX = 60_000;
/** As often as the client. */
const RETRIES = 2;

/** The bytes of a list as the service writes them. @throws if they are cut, so that nobody takes them for all */
export async function* readRaw(service: Service, mediaType: string, query: ListQuery): AsyncGenerator<Uint8Array> {
  yield* readBody(await openList(service, mediaType, query));
}

/** CSV with one header row; of more than a page's listings the service gives several. */
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

/** As the client does, it tries again what may pass. */
async function openList(service: Service, mediaType: string, query: ListQuery): Promise<OpenedList> {
  for (let tries = 1; ; tries += 1) {
    const watch = new Watch(SILENCE_MS_MAX, undefined);
    try {
      return { response: await requestList(service, mediaType, query, watch), watch };
    } catch (error) {
      watch.end();
      const delayMs = retryDelayMs(error, 'always', tries, service.maxRetries ?? RETRIES);
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
  throw new ConnectionError('The reply is not one of the service: look at its address.');
}

/** However long whoever reads it takes for a piece: only the service's silence counts. */
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
      : new ConnectionError('The list was cut: the rest is missing.', { code: 'list_cut' });
  } finally {
    watch.end();
  }
}

/** The names of the columns hold no line feed. */
async function* withoutFirstLine(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isBehind = false;
  for await (const piece of pieces) {
    const lineEnd: number = isBehind ? -1 : piece.indexOf(LINE_FEED);
    if (isBehind || lineEnd >= 0) yield piece.subarray(lineEnd + 1);
    isBehind ||= lineEnd >= 0;
  }
}

/** Where the next page begins (RFC 8288). */
function nextCursor({ headers }: Response): string | undefined {
  const [, link] = /<([^>]*)>; rel="next"/.exec(headers.get('Link') ?? '') ?? [];
  return link === undefined ? undefined : (new URL(link, 'http://localhost').searchParams.get('cursor') ?? undefined);
}
