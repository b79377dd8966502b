import type { Patch, PlantedFault } from '../../part.ts';
import { LOST_WRITE } from '../ledger/planted-faults.ts';

/** A service that asks SQLite for less than it promises, and does not notice. */
function asksFor(mode: string, number: number): Patch[] {
  return [
    ['openConnection', 'synchronous = full', `synchronous = ${mode}`],
    ['openConnection', "'synchronous', 2", `'synchronous', ${number}`],
  ];
}

export const crashFaults: readonly PlantedFault[] = [
  {
    what: 'Writes are answered 20 ms before their commit',
    foundBy: LOST_WRITE,
    patches: [
      [
        'WriteQueue.#drain',
        'this.#commit()',
        'for (const answer of answers) answer(); await sleep(20); this.#commit()',
      ],
    ],
  },
  {
    what: 'A start of the service discards the log that a crash left',
    foundBy: LOST_WRITE,
    patches: [
      [
        'openSqlite',
        'openConnection(path)',
        "(process.getBuiltinModule('fs').rmSync(path + '-wal', { force: true }), openConnection(path))",
      ],
    ],
  },
];

/** Found by a power loss only. */
export const powerFaults: readonly PlantedFault[] = [
  { what: 'SQLite syncs nothing (`synchronous=OFF`)', foundBy: LOST_WRITE, patches: asksFor('off', 0) },
  {
    what: 'SQLite syncs only at a checkpoint (`synchronous=NORMAL`)',
    foundBy: LOST_WRITE,
    patches: asksFor('normal', 1),
  },
  {
    what: 'A directory that the service makes is not synced into its parent',
    foundBy: 'what was acknowledged is gone',
    patches: [['makeDirectory', 'syncNames(parent);', '']],
  },
];
