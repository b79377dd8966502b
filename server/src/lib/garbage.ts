import { getHeapSpaceStatistics } from 'node:v8';

/**
 * The size of a buffer that makes V8 collect garbage. V8 starts to collect when memory outside of its heap
 * grows by more than 64 MiB (`kExternalAllocationSoftLimit`) between collections. Memory that is freed in the
 * meantime is subtracted, so 66 MiB was not enough while imports ran. The buffer is never written to, so the
 * operating system never allocates memory for it.
 */
const BYTES = 80 * 1024 * 1024;
/** After this delay, the caller's own values are garbage, too. */
const DELAY_MS = 50;

let isPending = false;

/**
 * Starts an incremental garbage collection, which blocks the event loop for about 10 ms. Call this after work
 * that leaves megabytes of garbage: otherwise V8 lets much more of it build up, and then collects during
 * other work.
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

/**
 * The maximum size of a semi-space of V8's young generation, which `bin/v8-flags.js` sets with a flag. Without
 * the flag, the maximum is different, and `untilMarkingEnds` does not wait.
 */
const SEMI_SPACE_MB = Number(
  /--max-semi-space-size=(\d+)/.exec(process.execArgv.join(' '))?.[1] ?? Number.POSITIVE_INFINITY,
);
const MARKING_BYTES = 1.5 * SEMI_SPACE_MB * 1024 * 1024;
const POLL_MS = 2;
const WAIT_MAX_MS = 100;

/**
 * While V8 marks the old generation, it does not collect the young one, which then exceeds its maximum, and
 * everything in it survives. Await this function in work that allocates megabytes: it waits until marking
 * ends, but for at most `WAIT_MAX_MS`.
 */
export async function untilMarkingEnds(): Promise<void> {
  if (!isMarking()) return;
  const endMs = performance.now() + WAIT_MAX_MS;
  while (isMarking() && performance.now() < endMs) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

/** V8 does not report whether it is marking, but the young generation exceeds its maximum only during marking. */
function isMarking(): boolean {
  if (SEMI_SPACE_MB === Number.POSITIVE_INFINITY) return false;
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  return young !== undefined && young.space_used_size > MARKING_BYTES;
}
