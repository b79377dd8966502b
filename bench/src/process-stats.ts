import { readFileSync } from 'node:fs';

/** USER_HZ, the unit of /proc, which is 100 on Linux regardless of the kernel's clock rate. */
const TICKS_PER_SECOND = 100;

/** Processor use as shares of one core, 0–1; undefined if unknown. */
export type Busy = {
  server: number | undefined;
  driver: number;
  /** All other processes on the cores of the server and the driver, including the virtual machine's host. */
  others: number | undefined;
};

/** If other processes use more than this share of a core, a measurement is inconclusive. */
const OTHERS_BUSY_MAX = 0.1;

export function isQuiet({ others }: Busy): boolean {
  return (others ?? 0) <= OTHERS_BUSY_MAX;
}

/**
 * Starts to measure the processor use of a server and this process.
 * @param cores the cores that both are pinned to, such as `0,1`
 * @returns a function that ends the measurement
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

/** The processor time of a process and all its threads, in seconds. */
export function cpuSecondsOf(pid: number): number | undefined {
  const stat = readProc(`${pid}/stat`);
  // The second field is a name that may contain spaces and parentheses.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields === undefined ? undefined : (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** The processor time that cores spent on processes, including stolen time, in seconds. */
function cpuSecondsOfCores(cores: string): number | undefined {
  const stat = readProc('stat');
  if (stat === undefined) return undefined;
  const ticks = cores.split(',').map((core) => {
    const [user = 0, nice = 0, system = 0, _idle, _waiting, irq = 0, softirq = 0, steal = 0] =
      new RegExp(`^cpu${core} (.*)$`, 'm').exec(stat)?.[1]?.split(' ').map(Number) ?? [];
    // Interrupts also count toward the interrupted processes, so they must be included here.
    return user + nice + system + irq + softirq + steal;
  });
  return ticks.reduce((sum, count) => sum + count, 0) / TICKS_PER_SECOND;
}

/** The resident memory of a process in bytes; undefined without /proc. */
export function residentBytesOf(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s*(\d+) kB$/m.exec(readProc(`${pid}/status`) ?? '')?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

const SAMPLE_MS = 10;

/** Samples a process's memory during some work. */
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
