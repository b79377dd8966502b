import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * Lets other threads go before this one where they compete for a processor: `nice` as in nice(1), 0 to 19. Linux numbers each
 * thread, and names its directory so; other systems have no such directory, and there all threads are equal.
 */
export function setThreadPriority(nice: number): void {
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), nice);
  } catch {
    // It works as before.
  }
}
