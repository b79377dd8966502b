/** Calls `work` with each index below `count`, all at once. */
export function atOnce<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => work(index)));
}

/** Calls `work` for each item, for at most `lanes` items at a time. */
export async function inLanes<T>(lanes: number, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  await atOnce(lanes, async () => {
    for (const item of waiting) await work(item);
  });
}
