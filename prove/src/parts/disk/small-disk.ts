import { closeSync, openSync, rmSync, truncateSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createDirectory } from '../../../../server/test/support/service.ts';
import type { Cleanup } from '../../../../server/test/support/serving.ts';
import { mountFor } from './mounts.ts';

/** A disk of a few megabytes. */
export interface SmallDisk {
  directory: string;
  /** Leaves so many bytes, of what is free. */
  fill(bytesLeft?: number): void;
  makeRoom(): void;
}

/** Whose names everybody may look at. */
export async function mountSmallDisk(t: Cleanup, megabytes: number): Promise<SmallDisk> {
  const directory = await createDirectory();
  t.after(() => rm(directory, { recursive: true, force: true }));
  mountFor(t, directory, ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`], 'tmpfs');
  const ballast = join(directory, 'ballast');
  return {
    directory,
    fill(bytesLeft = 0) {
      const bytes = writeUntilFull(ballast);
      truncateSync(ballast, Math.max(0, bytes - bytesLeft));
    },
    makeRoom: () => rmSync(ballast, { force: true }),
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
