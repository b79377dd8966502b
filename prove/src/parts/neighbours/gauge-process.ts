// Loaded first in each process of the service (`--import`): measures from inside, and writes what it finds to a file.
import { appendFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { clockMs } from '../overload/order.ts';
import { COLLECT_SIGNAL, GAUGE_FILE_VARIABLE, type Reading } from './gauge.ts';

const TICK_MS = 5;
/** Shorter ones are what timers are late by anyway. */
const TOLD_MS = 10;
const MICROSECONDS_PER_MS = 1_000;

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
    if (stallMs >= TOLD_MS) tell({ is: 'stall', endMs: now.clockMs, stallMs, cpuMs: now.cpuMs - before.cpuMs });
    before = now;
  }, TICK_MS).unref();
  process.on(COLLECT_SIGNAL, () => {
    collectGarbage();
    tell({ is: 'collected', pid: process.pid });
    // That took a while, and was asked for.
    before = look();
  });
}

function look() {
  const { user, system } = process.threadCpuUsage();
  return { clockMs: clockMs(), cpuMs: (user + system) / MICROSECONDS_PER_MS };
}
