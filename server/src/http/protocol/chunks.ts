import { iterate } from '../../lib/iterate.ts';

/**
 * Streams a body: `start`, the text of each run, and `end`. Texts that were sent do not stay in
 * memory, even if the client reads slowly.
 */
export function inChunks<T>(
  start: string,
  rest: AsyncIterable<T>,
  toText: (run: T) => string,
  end: () => string,
): AsyncIterable<string> {
  const runs = rest[Symbol.asyncIterator]();
  let first: string | undefined = start;
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
    return run === undefined ? end() : toText(run);
  });
}
