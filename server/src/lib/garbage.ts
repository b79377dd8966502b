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
