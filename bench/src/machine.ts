import { execFileSync } from 'node:child_process';
import { readFileSync, statfsSync } from 'node:fs';
import { availableParallelism, cpus, release, tmpdir, totalmem, type } from 'node:os';

export type Machine = {
  cpu: string;
  cores: number;
  memoryGb: number;
  node: string;
  os: string;
  /** In a file system in memory, fsync takes no time, so creates appear faster than they are. */
  temporaryDirectory: 'disk' | 'memory';
};

/** The separate cores of the server and the driver. */
export type Cores = { server: string; driver: string; all: string };

/** The number of cores, which is read before this process is pinned to one of them. */
const CORES = availableParallelism();
const TMPFS_MAGIC = 0x01021994;

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: CORES,
    memoryGb: Math.round(totalmem() / 1e9),
    node: process.version,
    os: `${type()} ${release()}`,
    temporaryDirectory: statfsSync(tmpdir()).type === TMPFS_MAGIC ? 'memory' : 'disk',
  };
}

/** The short commit hash, with `+dirty` if files other than results have changed; `none` outside a repository. */
export function describeCommit(root: string): string {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    const changes = git('status', '--porcelain', '--', '.', ':(exclude)bench/results');
    return `${git('rev-parse', '--short', 'HEAD')}${changes === '' ? '' : '+dirty'}`;
  } catch {
    return 'none';
  }
}

/** Pins this process to a core and reserves another one for the servers. @returns undefined if pinning fails */
export function pinDriver(): Cores | undefined {
  try {
    const [server, driver] = allowedCores();
    if (server === undefined || driver === undefined) return undefined;
    execFileSync('taskset', ['-a', '-p', '-c', driver, String(process.pid)], { stdio: 'ignore' });
    return { server, driver, all: `${server},${driver}` };
  } catch {
    return undefined;
  }
}

/** Returns the cores that this process is allowed to use. The kernel lists them as `0-3,8`, for example. */
function allowedCores(): string[] {
  const list = /^Cpus_allowed_list:\s*(.+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
  });
}
