import { iterate } from '../../lib/iterate.ts';

export type Texts = readonly string[];

/** Streams `start`, the strings of each run, and `end`. Sent strings are not kept, even if the client reads slowly. */
export function inChunks<T>(
  start: Texts,
  rest: AsyncIterable<T>,
  toTexts: (run: T) => Texts,
  end: () => string,
): AsyncIterable<Buffer> {
  const runs = rest[Symbol.asyncIterator]();
  let first: Buffer | undefined = toBytes(start);
  let isEnded = false;
  return iterate(async () => {
    if (isEnded) return undefined;
    if (first !== undefined) {
      const chunk = first;
      first = undefined;
      return chunk;
    }
    const { value: run } = await runs.next();
    isEnded = run === undefined;
    return toBytes(run === undefined ? [end()] : toTexts(run));
  });
}

/**
 * Encodes the strings one by one. If they were joined, a single character above U+00FF would double the
 * memory and triple the time. If the chunks were strings, the chunks of many slow readers would be promoted
 * to V8's old generation, and memory would grow until that generation is collected.
 */
function toBytes(texts: Texts): Buffer {
  const bytes = Buffer.allocUnsafe(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0));
  let length = 0;
  for (const text of texts) length += bytes.write(text, length);
  // Returns only what was written, because the rest of an unsafe buffer is old memory.
  return bytes.subarray(0, length);
}
