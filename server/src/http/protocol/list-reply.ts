import type { Point } from '../../model/geo.ts';
import type { Fields, ListFormat, ListFrame } from '../contract/formats/list-format.ts';
import { inChunks } from './chunks.ts';
import type { Reply } from './reply.ts';

/** A list before it is formatted; each listing is its stored JSON string. */
export interface ListContent {
  frame: ListFrame;
  first: readonly string[];
  /** The listings after `first`, read while they are sent; undefined if there are none. */
  rest: AsyncIterable<readonly string[]> | undefined;
}

export function replyList(
  format: ListFormat,
  content: ListContent,
  { fields, near }: { fields?: Fields; near?: Point | undefined },
  headers: Record<string, string>,
): Reply {
  const { frame, first, rest } = content;
  let count = 0;
  const toTexts = (docs: readonly string[]) => {
    const texts: string[] = [];
    for (const row of format.rows(docs, fields, near)) {
      if (count > 0) texts.push(format.separator);
      texts.push(row);
      count += 1;
    }
    return texts;
  };
  const start = [format.begin(fields), ...toTexts(first)];
  const end = () => format.end(frame, count);
  const body = rest === undefined ? start.join('') + end() : inChunks(start, rest, toTexts, end);
  const type = { 'Content-Type': format.contentType };
  return { status: 200, headers: { ...type, ...format.headers?.(frame), ...headers }, body, isCompressible: true };
}
