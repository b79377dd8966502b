import type { LockFile } from '../../lock-file.ts';
import type { PlantedFault } from '../../part.ts';

interface Spoilt extends PlantedFault {
  /** Plants the fault in the lock file. */
  spoil(lock: LockFile): void;
}

const PLACE = 'node_modules/pino';

export const plantedFaults: readonly Spoilt[] = [
  {
    what: 'a runtime dependency has an install script',
    foundBy: 'has dependencies with install scripts',
    spoil: (lock) => Object.assign(lock[PLACE] ?? {}, { hasInstallScript: true }),
  },
  {
    what: 'a runtime dependency has another license',
    foundBy: 'has dependencies with other licenses',
    spoil: (lock) => Object.assign(lock[PLACE] ?? {}, { license: 'BUSL-1.1' }),
  },
  {
    what: 'a package in the lock file has no digest',
    foundBy: 'without a digest',
    spoil: (lock) => delete lock[PLACE]?.integrity,
  },
  {
    what: 'a dependency is missing from the lock file',
    foundBy: 'needs packages that are not in the lock file',
    spoil: (lock) => delete lock[PLACE],
  },
];
