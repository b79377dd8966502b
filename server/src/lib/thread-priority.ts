import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Lowers the priority of this thread on Linux, where each thread has its own; `nice` is 0 to 19, as in nice(1). */
export function setThreadPriority(nice: number): void {
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), nice);
  } catch {
    // On failure, the thread keeps its priority.
  }
}
