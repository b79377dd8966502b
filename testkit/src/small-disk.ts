import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, truncateSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cleanup, defer } from './cleanup.ts';
import { mount } from './mounts.ts';
import { createDirectory } from './service.ts';

export interface SmallDisk {
  directory: string;
  /** Fills the disk except for this many bytes. */
  fill(bytesLeft?: number): void;
  /** Removes what `fill` wrote. @returns how many bytes were freed */
  makeRoom(): number;
  grow(bytes: number): void;
}

/** Mounts a small disk that all users can read. */
export async function mountSmallDisk(t: Cleanup, megabytes: number): Promise<SmallDisk> {
  const directory = await createDirectory();
  const unmount = mount(directory, ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`], 'tmpfs');
  defer(t, async () => {
    await unmount();
    await rm(directory, { recursive: true, force: true });
  });
  const ballast = join(directory, 'ballast');
  let size = megabytes * 2 ** 20;
  let filled = 0;
  return {
    directory,
    fill(bytesLeft = 0) {
      const bytes = writeUntilFull(ballast);
      filled = Math.max(0, bytes - bytesLeft);
      truncateSync(ballast, filled);
    },
    makeRoom() {
      rmSync(ballast, { force: true });
      return filled;
    },
    grow(bytes) {
      size += bytes;
      execFileSync('mount', ['-o', `remount,size=${size}`, directory]);
    },
  };
}

const BLOCK = Buffer.alloc(4_096, 'x');

function writeUntilFull(path: string): number {
  const file = openSync(path, 'w');
  let bytes = 0;
  try {
    for (;;) bytes += writeSync(file, BLOCK);
  } catch (error) {
    if (Object(error).code !== 'ENOSPC') throw error;
    return bytes;
  } finally {
    closeSync(file);
  }
}
