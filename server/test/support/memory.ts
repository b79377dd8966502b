import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

export const MEBIBYTE = 1024 * 1024;

/** Memory in use after a garbage collection. */
export function memoryBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const SAMPLE_MS = 100;
/** Garbage collections pause the measured work, so they take at most a tenth of the time. */
const SAMPLE_COST = 10;

/** Runs `work` and measures the maximum growth of memory. */
export async function watchMemory<T>(work: () => Promise<T>): Promise<{ result: T; growthBytes: number }> {
  const before = memoryBytes();
  let peak = before;
  let pauseMs = SAMPLE_MS;
  const running = work();
  const isOver = running.then(() => true);
  while (!(await Promise.race([isOver, sleep(pauseMs, false)]))) {
    const startTimeMs = performance.now();
    peak = Math.max(peak, memoryBytes());
    pauseMs = Math.max(SAMPLE_MS, SAMPLE_COST * (performance.now() - startTimeMs));
  }
  return { result: await running, growthBytes: peak - before };
}
