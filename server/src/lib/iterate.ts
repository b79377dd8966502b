/** Yields the results of `next` until it returns undefined. Unlike a generator, retains no result. */
export function iterate<T>(next: () => Promise<T | undefined>): AsyncIterable<T> {
  const iterator: AsyncIterator<T> = {
    async next() {
      const value = await next();
      return value === undefined ? { done: true, value } : { done: false, value };
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
