import { readFileSync } from 'node:fs';

/** USER_HZ, the unit of CPU times in /proc, which is 100 on Linux regardless of the kernel's clock rate. */
const TICKS_PER_SECOND = 100;

/** Processor use as a share of one core; undefined if it is unknown. */
export type Busy = {
  /** Includes the database server, if the bench started one. */
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
 * @param database the pid of the PostgreSQL server
 * @returns a function that ends the measurement
 */
export function watchBusy(pid: number, cores: string | undefined, database?: number): () => Busy {
  const before = readTimes(pid, cores, database);
  return () => {
    const after = readTimes(pid, cores, database);
    const part = (pick: (times: Times) => number | undefined): number =>
      ((pick(after) ?? Number.NaN) - (pick(before) ?? Number.NaN)) / (after.clock - before.clock);
    const server = part((times) => times.server);
    const driver = part((times) => times.driver);
    const others = part((times) => times.all) - server - driver;
    return { server: known(server), driver, others: known(Math.max(0, others)) };
  };
}

type Times = { clock: number; server: number | undefined; driver: number; all: number | undefined };

function readTimes(pid: number, cores: string | undefined, database: number | undefined): Times {
  const { user, system } = process.cpuUsage();
  const server = cpuSecondsOf(pid);
  return {
    clock: performance.now() / 1000,
    server: server === undefined || database === undefined ? server : server + cpuSecondsOfTree(database),
    driver: (user + system) / 1e6,
    all: cores === undefined ? undefined : cpuSecondsOfCores(cores),
  };
}

function known(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value;
}

/** Returns the processor time of a process and all its threads, in seconds. */
export function cpuSecondsOf(pid: number): number | undefined {
  const fields = statOf(pid);
  return fields === undefined ? undefined : secondsOf(fields, OWN_TIMES);
}

/** Returns the processor time of a process and its child processes, including those that have ended, in seconds. */
function cpuSecondsOfTree(pid: number): number {
  const children = (readProc(`${pid}/task/${pid}/children`) ?? '').split(' ').filter(Boolean);
  const own = secondsOf(statOf(pid) ?? [], [...OWN_TIMES, ...ENDED_CHILDREN_TIMES]);
  return children.reduce((sum, child) => sum + (cpuSecondsOf(Number(child)) ?? 0), own);
}

/** The indexes of the user and system times in the result of `statOf`. */
const OWN_TIMES = [11, 12];
const ENDED_CHILDREN_TIMES = [13, 14];

/** Returns the fields of /proc/PID/stat that follow the process's name, which may contain spaces and parentheses. */
function statOf(pid: number): string[] | undefined {
  const stat = readProc(`${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function secondsOf(fields: readonly string[], times: readonly number[]): number {
  return times.reduce((sum, index) => sum + Number(fields[index]), 0) / TICKS_PER_SECOND;
}

/** Returns the time that cores were busy, including interrupts and stolen time, in seconds. */
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

/** Returns the resident memory of a process in bytes; undefined without /proc. */
export function residentBytesOf(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s*(\d+) kB$/m.exec(readProc(`${pid}/status`) ?? '')?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

const SAMPLE_MS = 10;

/** Samples a process's memory while `work` runs. @returns the result of the work, and the peak */
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
