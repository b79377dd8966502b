import type { PlantedFault } from '../../part.ts';

export const plantedFaults: readonly PlantedFault[] = [
  {
    what: 'A backup copies the file that is in use, and not its log',
    foundBy: 'changes that were acknowledged before are not in a backup',
    patches: [
      [
        'copyPages',
        'await backup(source, target, { rate: ALL_PAGES })',
        "process.getBuiltinModule('fs').copyFileSync(path, target)",
      ],
      // A log that was just taken over has nothing that the file lacks.
      ['PAGES_MIN', '1_000', '1_000_000'],
    ],
  },
  {
    what: 'A backup blocks all writes while it copies',
    foundBy: 'while a backup stands still, no write succeeds',
    patches: [
      [
        'copyPages',
        'await backup(',
        "using locking = new DatabaseSync(path, { timeout: 10_000 }); locking.exec('begin immediate'); await backup(",
      ],
    ],
  },
  {
    what: 'A restored database keeps its epoch',
    foundBy: 'a restored database has the epoch of the one before',
    patches: [['renewEpoch', '{ cursorSecret, epoch }', '{ cursorSecret, epoch: before }']],
  },
  {
    what: 'A restore does not look at the digest',
    foundBy: 'the digest of a backup was not looked at',
    patches: [['restore', 'await verifyDigest(file);', '']],
  },
  {
    what: 'A restore takes the file away from a running service',
    foundBy: 'a running service was not in the way of a restore',
    patches: [['replaceDatabase', 'lock(old, path);', '']],
  },
  {
    what: 'A restore replaces a database without being told to',
    foundBy: 'a database that was there was replaced without --force',
    patches: [['restore', '!options.force', 'false']],
  },
];
