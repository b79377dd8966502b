import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Lowers this thread's priority: `nice` is 0 to 19, as in nice(1). Only Linux has priorities for threads. */
export function setThreadPriority(nice: number): void {
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), nice);
  } catch {
    // On failure, the thread keeps its priority.
  }
}
