import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Trial } from '../../part.ts';
import type { Random } from '../../random.ts';
import type { Crashes } from './crash.ts';
import { Disk } from './disk.ts';

const SOURCE = join(import.meta.dirname, 'power-loss.c');

/** After the first ones, with the tenant's making and some load, nothing is left but what was synced. */
const STRICT_FIRST = 2;
/** And after so many of the others. */
const STRICT_SHARE = 0.25;

/** What makes of each crash a power loss. */
export function preparePowerLoss(
  { directory }: Trial,
  random: Random,
  given: Record<string, string>,
): Required<Pick<Crashes, 'settings' | 'between'>> {
  const library = join(directory, 'power-loss.so');
  execFileSync('cc', ['-O2', '-shared', '-fPIC', '-pthread', '-o', library, SOURCE]);
  const root = join(directory, `disk-${random.upTo(1e9)}`);
  const log = `${root}.log`;
  mkdirSync(root);
  let disk = new Disk(root);
  let losses = 0;
  return {
    settings: {
      ...given,
      LD_PRELOAD: library,
      POWER_LOSS_ROOT: root,
      POWER_LOSS_LOG: log,
      // The service makes it, and its parent.
      DATA_DIR: join(root, 'var', 'listings'),
    },
    between() {
      disk.follow(readFileSync(log));
      const isStrict = losses < STRICT_FIRST || random.next() < STRICT_SHARE;
      disk.losePower(isStrict ? undefined : random);
      losses += 1;
      rmSync(log);
      disk = new Disk(root);
    },
  };
}
