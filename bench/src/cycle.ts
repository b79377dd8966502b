/** Repeats the items forever. @throws if there are no items */
export function cycle<T>(items: readonly T[]): () => T {
  let at = -1;
  return () => {
    at = (at + 1) % items.length;
    const item = items[at];
    if (item === undefined) throw new Error('there are no items to repeat');
    return item;
  };
}
