import type { Fields, ListFormat, ListFrame } from '../contract/formats/list-format.ts';
import { inChunks } from './chunks.ts';
import type { Reply } from './reply.ts';

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
  let count = 0;
  const toText = (docs: readonly string[]) => {
    const isFurther = count > 0 && docs.length > 0;
    count += docs.length;
    return (isFurther ? format.separator : '') + format.rows(docs, fields).join(format.separator);
  };
  const start = format.begin(fields) + toText(first);
  const end = () => format.end(frame, count);
  const body = rest === undefined ? start + end() : inChunks(start, rest, toText, end);
  const type = { 'Content-Type': format.contentType };
  return { status: 200, headers: { ...type, ...format.headers?.(frame), ...headers }, body, isCompressible: true };
}
