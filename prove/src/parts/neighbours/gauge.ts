import { globSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
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
/** A service is idle up to this many cores above its quiet load, with (`wanted`) or without waiting (`worked`). */
const IDLE_CORES_MAX = { wanted: 0.3, worked: 0.1 };
const LOAD_NAMES = ['wanted', 'worked'] as const;
const NANOSECONDS_PER_MS = 1e6;
/** If the service works longer than this, its work is not expected to end. */
const RUN_ON_MAX_MS = 3_000;
const COLLECT_TIMEOUT_MS = 5_000;

export type Reading = ({ is: 'stall'; endMs: number } & Stall) | { is: 'collected'; pid: number; heldBytes: number };

/** How long the event loop was blocked: in total, without waiting for a core, and its CPU time. */
export interface Stall {
  stallMs: number;
  ownMs: number;
  workMs: number;
}

/** The number of cores used (`worked`), and of cores used or waited for (`wanted`). */
export interface Load {
  worked: number;
  wanted: number;
}

/** The CPU time that each thread has used and waited for since it started, in nanoseconds. */
interface Sample {
  atMs: number;
  threads: Map<string, Load>;
}

export class Gauge {
  readonly #file: string;
  readonly pids: () => number[];
  readonly #findAll: () => number[];

  /** `pids` returns the service's processes, and `findAll` also returns those of the database. */
  constructor(file: string, pids: () => number[], findAll: () => number[]) {
    this.#file = file;
    this.pids = pids;
    this.#findAll = findAll;
  }

  static settings(file: string, given: Record<string, string>): Record<string, string> {
    writeFileSync(file, '');
    return { ...given, NODE_OPTIONS: `${given.NODE_OPTIONS ?? ''} --import=${PROGRAM}`, [GAUGE_FILE_VARIABLE]: file };
  }

  cpuSeconds(): number {
    return this.pids().reduce((sum, pid) => sum + (cpuSecondsOf(pid) ?? 0), 0);
  }

  /** Starts to measure the service and its database. @returns a function that returns the load since then */
  watchLoad(): () => Load {
    const before = this.#sample();
    return () => loadBetween(before, this.#sample());
  }

  residentBytes(): number {
    return this.pids().reduce((sum, pid) => sum + (residentBytesOf(pid) ?? 0), 0);
  }

  /** Collects garbage. @returns the memory in use after that, or undefined if a process does not respond */
  async settle(): Promise<{ heldBytes: number; residentBytes: number } | undefined> {
    const pids = this.pids();
    truncateSync(this.#file);
    for (const pid of pids) process.kill(pid, COLLECT_SIGNAL);
    const collected = () => this.#read().filter((reading) => reading.is === 'collected');
    const areDone = () => pids.every((wanted) => collected().some(({ pid }) => pid === wanted));
    const isDone = await until('garbage is collected', areDone, COLLECT_TIMEOUT_MS).catch(() => false);
    if (!isDone) return undefined;
    const heldBytes = collected().reduce((sum, each) => sum + each.heldBytes, 0);
    return { heldBytes, residentBytes: this.residentBytes() };
  }

  /** Starts sampling memory. @returns a function that stops the sampling and returns the peak */
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

  /** Returns the maximum of each figure of the stalls since a time (`clockMs`). */
  worstSince(startMs: number): Stall {
    const stalls = this.#read().flatMap((each) => (each.is === 'stall' && each.endMs >= startMs ? [each] : []));
    const most = (pick: (stall: Stall) => number) => Math.max(0, ...stalls.map(pick));
    return {
      stallMs: most(({ stallMs }) => stallMs),
      ownMs: most(({ ownMs }) => ownMs),
      workMs: most(({ workMs, stallMs }) => Math.min(workMs, stallMs)),
    };
  }

  /**
   * Resolves with how long the service keeps working, in milliseconds: how long its load exceeds its quiet
   * load (in cores). Time spent waiting for a core counts as work, unless the service hardly does any work in
   * that time, which means that other load on the machine has grown.
   */
  async runsOn(quiet: Load): Promise<number> {
    const startMs = performance.now();
    const samples: Sample[] = [];
    for (;;) {
      const now = this.#sample();
      samples.push(now);
      const before = samples.findLast(({ atMs }) => now.atMs - atMs >= WINDOW_MS);
      if (before !== undefined) {
        const load = loadBetween(before, now);
        const isIdle = LOAD_NAMES.some((name) => load[name] <= quiet[name] + IDLE_CORES_MAX[name]);
        const runOnMs = before.atMs - startMs;
        if (isIdle || runOnMs >= RUN_ON_MAX_MS) return runOnMs;
      }
      await new Promise((resolve) => setTimeout(resolve, CPU_INTERVAL_MS));
    }
  }

  #sample(): Sample {
    return { atMs: performance.now(), threads: new Map(this.#findAll().flatMap(threadsOf)) };
  }

  #read(): Reading[] {
    const lines = readFileSync(this.#file, 'utf8').split('\n');
    return lines.filter(Boolean).map((line) => JSON.parse(line));
  }
}

function threadsOf(pid: number): [string, Load][] {
  return globSync(`/proc/${pid}/task/*/schedstat`).flatMap((file): [string, Load][] => {
    try {
      const [worked = 0, waited = 0] = readFileSync(file, 'latin1').split(' ').map(Number);
      return [[file, { worked, wanted: worked + waited }]];
    } catch {
      return []; // the thread has ended
    }
  });
}

/** Computes the load between two samples, without threads that have ended. */
function loadBetween(before: Sample, now: Sample): Load {
  const load = { worked: 0, wanted: 0 };
  const durationNs = (now.atMs - before.atMs) * NANOSECONDS_PER_MS;
  for (const [thread, atEnd] of now.threads) {
    const atStart = before.threads.get(thread);
    for (const name of LOAD_NAMES) load[name] += (atEnd[name] - (atStart?.[name] ?? 0)) / durationNs;
  }
  return load;
}
