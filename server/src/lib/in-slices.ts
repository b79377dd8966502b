const SLICE_MS = 1;

/** Calls `work` for each item, for about a millisecond per event-loop turn. Items can be added in the meantime. */
export async function inSlices<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let endMs = performance.now() + SLICE_MS;
  for (const item of items) {
    work(item);
    // Lets the code that `work` resumes run up to its next await.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    if (performance.now() < endMs) continue;
    await new Promise((resolve) => setImmediate(resolve));
    endMs = performance.now() + SLICE_MS;
  }
}
