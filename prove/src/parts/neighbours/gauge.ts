import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cpuSecondsOf, residentBytesOf } from '../../../../bench/src/process-stats.ts';
import { until } from '../../../../testkit/src/until.ts';

export const GAUGE_FILE_VARIABLE = 'GAUGE_FILE';
export const COLLECT_SIGNAL = 'SIGUSR2';
const PROGRAM = pathToFileURL(join(import.meta.dirname, 'gauge-process.ts')).href;
const MEMORY_INTERVAL_MS = 50;
const CPU_INTERVAL_MS = 100;
const WINDOW_MS = 200;
/** The maximum CPU use of an idle service, in cores, above its quiet load. */
const IDLE_CORES_MAX = 0.3;
const NANOSECONDS_PER_SECOND = 1e9;
/** Work that takes longer is not expected to end. */
const RUN_ON_MAX_MS = 3_000;
const COLLECT_TIMEOUT_MS = 5_000;

export type Reading = ({ is: 'stall'; endMs: number } & Stall) | { is: 'collected'; pid: number; heldBytes: number };

/** A blocked event loop: for how long, without waiting for a core, and with how much CPU time. */
export interface Stall {
  stallMs: number;
  ownMs: number;
  workMs: number;
}

/** Measures the processes of a service. */
export class Gauge {
  readonly #file: string;
  readonly #findServing: () => number[];
  readonly #findAll: () => number[];

  /** `findServing` returns the service's processes, and `findAll` the database's as well. */
  constructor(file: string, findServing: () => number[], findAll: () => number[]) {
    this.#file = file;
    this.#findServing = findServing;
    this.#findAll = findAll;
  }

  static settings(file: string, given: Record<string, string>): Record<string, string> {
    writeFileSync(file, '');
    return { ...given, NODE_OPTIONS: `${given.NODE_OPTIONS ?? ''} --import=${PROGRAM}`, [GAUGE_FILE_VARIABLE]: file };
  }

  cpuSeconds(): number {
    return this.pids().reduce((sum, pid) => sum + (cpuSecondsOf(pid) ?? 0), 0);
  }

  /** CPU and run-queue time of the service and its database. */
  wantedSeconds(): number {
    return this.#findAll().reduce((sum, pid) => sum + wantedSecondsOf(pid), 0);
  }

  pids(): number[] {
    return this.#findServing();
  }

  residentBytes(): number {
    return this.pids().reduce((sum, pid) => sum + (residentBytesOf(pid) ?? 0), 0);
  }

  /** Memory after garbage collection, or undefined if a process does not respond. */
  async settle(): Promise<{ heldBytes: number; residentBytes: number } | undefined> {
    const pids = this.pids();
    truncateSync(this.#file);
    for (const pid of pids) process.kill(pid, COLLECT_SIGNAL);
    const collected = () => this.#read().flatMap((reading) => (reading.is === 'collected' ? [reading] : []));
    const areDone = () => pids.every((wanted) => collected().some(({ pid }) => pid === wanted));
    const isDone = await until('garbage is collected', areDone, COLLECT_TIMEOUT_MS).catch(() => false);
    if (!isDone) return undefined;
    const heldBytes = collected().reduce((sum, each) => sum + each.heldBytes, 0);
    return { heldBytes, residentBytes: this.residentBytes() };
  }

  /** Samples memory. @returns a function that stops it and returns the peak */
  watchMemory(): () => number {
    let peakBytes = this.residentBytes();
    const sample = () => {
      peakBytes = Math.max(peakBytes, this.residentBytes());
    };
    const timer = setInterval(sample, MEMORY_INTERVAL_MS);
    return () => {
      clearInterval(timer);
      sample();
      return peakBytes;
    };
  }

  /** The longest stalls since a time (`clockMs`). */
  worstSince(startMs: number): Stall {
    const stalls = this.#read().flatMap((reading) =>
      reading.is === 'stall' && reading.endMs >= startMs ? [reading] : [],
    );
    const most = (pick: (stall: Stall) => number) => Math.max(0, ...stalls.map(pick));
    return {
      stallMs: most(({ stallMs }) => stallMs),
      ownMs: most(({ ownMs }) => ownMs),
      workMs: most(({ workMs, stallMs }) => Math.min(workMs, stallMs)),
    };
  }

  /** Resolves with how long the service keeps working above its quiet load (`wantedCores`), in milliseconds. */
  async runsOn(wantedCores: number): Promise<number> {
    const startMs = performance.now();
    const samples: { atMs: number; seconds: number }[] = [];
    for (;;) {
      const now = { atMs: performance.now() - startMs, seconds: this.wantedSeconds() };
      samples.push(now);
      const before = samples.findLast(({ atMs }) => now.atMs - atMs >= WINDOW_MS);
      if (before !== undefined) {
        const cores = ((now.seconds - before.seconds) * 1_000) / (now.atMs - before.atMs);
        if (cores <= wantedCores + IDLE_CORES_MAX || before.atMs >= RUN_ON_MAX_MS) return before.atMs;
      }
      await new Promise((resolve) => setTimeout(resolve, CPU_INTERVAL_MS));
    }
  }

  #read(): Reading[] {
    const lines = readFileSync(this.#file, 'utf8').split('\n');
    return lines.filter(Boolean).map((line) => JSON.parse(line));
  }
}

function wantedSecondsOf(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`).map((thread) => {
      const [workedNs, waitedNs] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1')
        .split(' ')
        .map(Number);
      return (workedNs ?? 0) + (waitedNs ?? 0);
    });
    return threads.reduce((sum, each) => sum + each, 0) / NANOSECONDS_PER_SECOND;
  } catch {
    return 0;
  }
}
