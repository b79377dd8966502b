import { iterate } from '../../lib/iterate.ts';

/** Consecutive texts. */
export type Texts = readonly string[];

/**
 * Streams a body: `start`, the texts of each run, and `end`. Texts that were sent do not stay in
 * memory, even if the client reads slowly.
 */
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
 * Encodes the texts one by one: joined, texts of which one has a character above U+00FF would take
 * twice the memory and three times as long. As texts, the chunks of many slow readers would be
 * promoted to V8's old generation, and memory would grow until its collection.
 */
function toBytes(texts: Texts): Buffer {
  const bytes = Buffer.allocUnsafe(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0));
  let length = 0;
  for (const text of texts) length += bytes.write(text, length);
  // Never more than was written: the rest of an unsafe buffer is old memory.
  return bytes.subarray(0, length);
}
