import { getHeapSpaceStatistics } from 'node:v8';

/**
 * V8 starts to collect garbage when memory outside of its heap grows by more than 64 MiB (`kExternalAllocationSoftLimit`)
 * from one collection to the next, less what is freed meanwhile: 66 MiB were too few beside imports. This memory is never
 * touched, so the operating system provides none.
 */
const BYTES = 80 * 1024 * 1024;
/** Until the caller's own values are garbage, too. */
const DELAY_MS = 50;

let isPending = false;

/**
 * Starts an incremental garbage collection, which blocks the event loop for some 10 milliseconds. Call this after work
 * that leaves megabytes of garbage: otherwise V8 waits for much more of it, and then collects during other work.
 */
export function collectSoon(): void {
  if (isPending) return;
  isPending = true;
  setTimeout(() => {
    isPending = false;
    allocate();
  }, DELAY_MS).unref();
}

function allocate(): void {
  try {
    new ArrayBuffer(BYTES);
  } catch {
    // There is too little memory, so V8 collects garbage anyway.
  }
}

/** A flag of `bin/v8-flags.js`. Without it, the young generation has other limits, and `untilMarked` does not wait. */
const YOUNG_MB = Number(
  /--max-semi-space-size=(\d+)/.exec(process.execArgv.join(' '))?.[1] ?? Number.POSITIVE_INFINITY,
);
const MARKING_BYTES = 1.5 * YOUNG_MB * 1024 * 1024;
const POLL_MS = 2;
const WAIT_MAX_MS = 100;

/**
 * While V8 marks the old generation, it does not collect the young one, which then grows above its maximum, and all of it
 * survives. Await this in work that allocates megabytes: it waits for the end of the marking, for a limited time.
 */
export async function untilMarked(): Promise<void> {
  if (!isMarking()) return;
  const endMs = performance.now() + WAIT_MAX_MS;
  while (isMarking() && performance.now() < endMs) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

function isMarking(): boolean {
  if (YOUNG_MB === Number.POSITIVE_INFINITY) return false;
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  return young !== undefined && young.space_used_size > MARKING_BYTES;
}
