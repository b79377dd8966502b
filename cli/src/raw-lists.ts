import { ConnectionError, type ListQuery } from '@property-listings/client';
import { send, toSearch } from '@property-listings/client/request';
import type { Service } from './connection.ts';
import { PAGE_SIZE_MAX } from './listings.ts';

const LINE_FEED = 10;
/** A service that says nothing for so long is taken for gone. */
const SILENCE_MS_MAX = 60_000;

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
  /** To be touched with each piece. */
  touch: () => void;
  end: () => void;
}

async function openList({ baseUrl, apiKey, fetch }: Service, mediaType: string, query: ListQuery): Promise<OpenedList> {
  const controller = new AbortController();
  const silence = new ConnectionError('The service was silent for too long.', { code: 'timeout' });
  // It keeps no ended command alive: as long as one waits, its connection does that.
  const timer = setTimeout(() => controller.abort(silence), SILENCE_MS_MAX).unref();
  const headers = { Accept: mediaType, Authorization: `Bearer ${apiKey}` };
  const url = `${baseUrl}/listings${toSearch(query)}`;
  const response = await send(url, { headers, signal: controller.signal, fetch });
  if (!response.headers.get('Content-Type')?.startsWith(mediaType)) {
    throw new ConnectionError('The reply is not one of the service: look at its address.');
  }
  return { response, touch: () => timer.refresh(), end: () => clearTimeout(timer) };
}

async function* readBody({ response, touch, end }: OpenedList): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  try {
    for (;;) {
      const next = await reader?.read();
      if (next?.value === undefined) return;
      touch();
      yield next.value;
    }
  } catch (error) {
    throw error instanceof ConnectionError
      ? error
      : new ConnectionError('The list was cut: the rest is missing.', { code: 'list_cut' });
  } finally {
    end();
    await reader?.cancel().catch(() => {});
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
