import { csvFormat } from './formats/csv.ts';
import { geojsonFormat } from './formats/geojson.ts';
import { jsonFormat } from './formats/json.ts';
import type { Fields, ListFormat, ListFrame } from './formats/list-format.ts';
import { ndjsonFormat } from './formats/ndjson.ts';
import type { Reply } from './reply.ts';

/** How a list can be had, the default first. */
const FORMATS = [jsonFormat, ndjsonFormat, csvFormat, geojsonFormat];

export const LIST_TYPES = FORMATS.map(({ mediaType }) => mediaType);

/** The format of this media type, one of `LIST_TYPES`. */
export function formatOf(mediaType: string): ListFormat {
  return FORMATS.find((format) => format.mediaType === mediaType) ?? jsonFormat;
}

/** A list that was found, whatever it is sent as; listings are the JSON texts that are stored. */
export interface ListContent {
  frame: ListFrame;
  first: readonly string[];
  /** What comes after the first ones, read while they are sent; undefined if nothing does. */
  rest: AsyncIterable<readonly string[]> | undefined;
}

/** The reply with a list; what does not stand in the first run is read while it is sent. */
export function replyList(
  format: ListFormat,
  content: ListContent,
  fields: Fields,
  headers: Record<string, string>,
): Reply {
  const { frame, first, rest } = content;
  const start = format.begin(fields) + format.rows(first, fields).join(format.separator);
  const body =
    rest === undefined
      ? start + format.end(frame, first.length)
      : inChunks(start, first.length, { frame, rest }, format, fields);
  const type = { 'Content-Type': format.contentType };
  return { status: 200, headers: { ...type, ...format.headers?.(frame), ...headers }, body, isCompressible: true };
}

/** The first run is not among what is given: it would stay in memory as long as the reader takes. */
async function* inChunks(
  start: string,
  countAtStart: number,
  { frame, rest }: Pick<ListContent, 'frame' | 'rest'>,
  format: ListFormat,
  fields: Fields,
): AsyncGenerator<string> {
  yield start;
  let count = countAtStart;
  for await (const docs of rest ?? []) {
    const text = format.rows(docs, fields).join(format.separator);
    yield count > 0 && docs.length > 0 ? format.separator + text : text;
    count += docs.length;
  }
  yield format.end(frame, count);
}
