// Each process of the service preloads this module, which measures the process and writes to a file.
import { appendFileSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { clockMs } from '../../../../bench/src/flood-order.ts';
import { COLLECT_SIGNAL, GAUGE_FILE_VARIABLE, type Reading } from './gauge.ts';

const TICK_MS = 5;
/** A timer's delay is reported if it is at least this long. Shorter delays are normal. */
const TOLD_MS = 10;
const NANOSECONDS_PER_MS = 1e6;
/** This file contains the CPU time and the run-queue time of the main thread. */
const SCHEDULE = `/proc/self/task/${process.pid}/schedstat`;

const { [GAUGE_FILE_VARIABLE]: file } = process.env;
if (file !== undefined && isMainThread) watch(file);

function watch(path: string): void {
  const tell = (reading: Reading) => appendFileSync(path, `${JSON.stringify(reading)}\n`);
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  let before = look();
  setInterval(() => {
    const now = look();
    const stallMs = now.clockMs - before.clockMs - TICK_MS;
    if (stallMs >= TOLD_MS)
      tell({
        is: 'stall',
        endMs: now.clockMs,
        stallMs,
        ownMs: stallMs - now.waitedMs + before.waitedMs,
        workMs: now.workedMs - before.workedMs,
      });
    before = now;
  }, TICK_MS).unref();
  process.on(COLLECT_SIGNAL, async () => {
    collectGarbage();
    // Memory outside the heap is released in a later turn of the event loop.
    await sleep(TICK_MS);
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    tell({ is: 'collected', pid: process.pid, heldBytes: heapUsed + external });
    // The garbage collection itself is not a stall.
    before = look();
  });
}

function look() {
  const [workedNs, waitedNs] = readFileSync(SCHEDULE, 'latin1').split(' ').map(Number);
  return {
    clockMs: clockMs(),
    workedMs: (workedNs ?? 0) / NANOSECONDS_PER_MS,
    waitedMs: (waitedNs ?? 0) / NANOSECONDS_PER_MS,
  };
}
