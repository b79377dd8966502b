import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Trial } from '../../part.ts';
import type { Random } from '../../random.ts';
import type { Crashes } from './crash.ts';
import { Disk } from './disk.ts';

const DATABASE = 'var/listings/listings.db';
/** @returns undefined where power losses can be simulated */
export function whyNoPowerLoss(): string | undefined {
  if (process.platform !== 'linux') return 'Power loss: calls are recorded on Linux only.';
  if (spawnSync('cc', ['--version']).error !== undefined) return 'Power loss: there is no C compiler, `cc`.';
  return undefined;
}

const SOURCE = join(import.meta.dirname, 'power-loss.c');

export interface PowerLoss extends Required<Pick<Crashes, 'settings' | 'between'>> {
  sums: { losses: number; unsynced: number; inCheckpoint: number };
}

/** The first losses keep only synced data. */
const STRICT_FIRST = 2;
const STRICT_SHARE = 0.25;

/** Turns each crash into a power loss. */
export function preparePowerLoss({ directory }: Trial, random: Random, given: Record<string, string>): PowerLoss {
  const library = join(directory, 'power-loss.so');
  if (!existsSync(library)) execFileSync('cc', ['-O2', '-shared', '-fPIC', '-pthread', '-o', library, SOURCE]);
  const root = join(directory, `disk-${random.upTo(1e9)}`);
  const log = `${root}.log`;
  mkdirSync(root);
  let disk = new Disk(root);
  const sums = { losses: 0, unsynced: 0, inCheckpoint: 0 };
  return {
    sums,
    settings: {
      ...given,
      LD_PRELOAD: library,
      POWER_LOSS_ROOT: root,
      POWER_LOSS_LOG: log,
      // The service creates it and its parent.
      DATA_DIR: join(root, dirname(DATABASE)),
    },
    between() {
      if (sums.losses === 0 || existsSync(log)) disk.follow(readFileSync(log));
      const unsynced = disk.findUnsynced();
      if (unsynced.length > 0) sums.unsynced += 1;
      if (unsynced.includes(join(root, DATABASE))) sums.inCheckpoint += 1;
      const isStrict = sums.losses < STRICT_FIRST || random.next() < STRICT_SHARE;
      disk.losePower(isStrict ? undefined : random);
      sums.losses += 1;
      rmSync(log, { force: true });
      disk = new Disk(root);
    },
  };
}
