/**
 * Yields the results of `next` until it returns undefined. Unlike a generator, it does not retain the last
 * result.
 */
export function iterate<T>(next: () => Promise<T | undefined>): AsyncIterable<T> {
  const iterator: AsyncIterator<T> = {
    async next() {
      const value = await next();
      return value === undefined ? { done: true, value } : { done: false, value };
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
