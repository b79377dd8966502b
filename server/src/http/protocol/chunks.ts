import { iterate } from '../../lib/iterate.ts';

/**
 * A body that is read while it is sent: `start`, the text of each run, and `end`. A slow reader
 * keeps none of the sent texts in memory.
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
