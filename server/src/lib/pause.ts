const SLICE_MS = 2;

/** Returns a function to await between the steps of long work. It awaits `turn` after each slice of time. */
export function pauseAfterSlices(turn: () => Promise<void>): () => Promise<void> {
  let sliceEndMs = performance.now() + SLICE_MS;
  return async () => {
    if (performance.now() < sliceEndMs) return;
    await turn();
    sliceEndMs = performance.now() + SLICE_MS;
  };
}
