/**
 * What `next` gives, one after the other until it gives undefined. A generator would hold what it gave last until it is
 * asked again, however long that takes; this holds nothing.
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
