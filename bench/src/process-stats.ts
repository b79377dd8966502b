import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second, whatever the kernel's own clock does. */
const TICKS_PER_SECOND = 100;

/** How much of one core's time was used, 0…1; nothing where it cannot be known. */
export type Busy = {
  server: number | undefined;
  driver: number;
  /** Of the cores of both, by whatever else runs on this machine, or on the one that it is a guest of. */
  others: number | undefined;
};

/** Part of a core for anybody else. */
const OTHERS_BUSY_MAX = 0.1;

export function isQuiet({ others }: Busy): boolean {
  return (others ?? 0) <= OTHERS_BUSY_MAX;
}

/**
 * Starts to watch how busy a server and this process are.
 * @param cores those that the two are pinned to, such as `0,1`
 * @returns a function that ends it and tells
 */
export function watchBusy(pid: number, cores: string | undefined): () => Busy {
  const before = readTimes(pid, cores);
  return () => {
    const after = readTimes(pid, cores);
    const part = (pick: (times: Times) => number | undefined): number =>
      ((pick(after) ?? Number.NaN) - (pick(before) ?? Number.NaN)) / (after.clock - before.clock);
    const server = part((times) => times.server);
    const driver = part((times) => times.driver);
    const others = part((times) => times.all) - server - driver;
    return { server: known(server), driver, others: known(Math.max(0, others)) };
  };
}

type Times = { clock: number; server: number | undefined; driver: number; all: number | undefined };

function readTimes(pid: number, cores: string | undefined): Times {
  const { user, system } = process.cpuUsage();
  return {
    clock: performance.now() / 1000,
    server: cpuSecondsOf(pid),
    driver: (user + system) / 1e6,
    all: cores === undefined ? undefined : cpuSecondsOfCores(cores),
  };
}

function known(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value;
}

/** Processor time a process has used in all its threads, in seconds. */
export function cpuSecondsOf(pid: number): number | undefined {
  const stat = readProc(`${pid}/stat`);
  // The name in the second field may hold blanks and brackets, so fields are counted from its end.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields === undefined ? undefined : (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Processor time that some cores gave to processes, or that was stolen from them, in seconds. */
function cpuSecondsOfCores(cores: string): number | undefined {
  const stat = readProc('stat');
  if (stat === undefined) return undefined;
  const ticks = cores.split(',').map((core) => {
    const [user = 0, nice = 0, system = 0, _idle, _waiting, irq = 0, softirq = 0, steal = 0] =
      new RegExp(`^cpu${core} (.*)$`, 'm').exec(stat)?.[1]?.split(' ').map(Number) ?? [];
    // What the network takes in interrupts is also part of the time of the processes that were interrupted.
    return user + nice + system + irq + softirq + steal;
  });
  return ticks.reduce((sum, count) => sum + count, 0) / TICKS_PER_SECOND;
}

/** Memory of a process that is in RAM, in bytes; nothing where there is no /proc. */
export function residentBytesOf(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s*(\d+) kB$/m.exec(readProc(`${pid}/status`) ?? '')?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

const SAMPLE_MS = 10;

/** Does some work, and says how much memory a process was seen to have meanwhile at most. */
export async function watchPeak<T>(pid: number, work: () => Promise<T>): Promise<{ result: T; peakBytes: number }> {
  let peakBytes = 0;
  const sample = (): void => {
    peakBytes = Math.max(peakBytes, residentBytesOf(pid) ?? Number.NaN);
  };
  sample();
  const sampler = setInterval(sample, SAMPLE_MS);
  try {
    const result = await work();
    sample();
    return { result, peakBytes };
  } finally {
    clearInterval(sampler);
  }
}

function readProc(file: string): string | undefined {
  try {
    return readFileSync(`/proc/${file}`, 'latin1');
  } catch {
    return undefined;
  }
}
