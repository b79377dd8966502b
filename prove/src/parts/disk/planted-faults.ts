import type { PlantedFault } from '../../part.ts';
import { LOST_WRITE } from '../ledger/planted-faults.ts';

/** Found on a full disk only. */
export const fullFaults: readonly PlantedFault[] = [
  {
    what: 'A commit that finds no room is answered with 2xx',
    foundBy: LOST_WRITE,
    patches: [['WriteQueue.#commit', 'throw translateCommitError(error);', '']],
  },
  {
    what: 'A full disk is 503 `unavailable`, as if the request could be sent again at once',
    foundBy: 'writes on a full disk are refused as if they could be sent again at once',
    patches: [['diskFull', "'storage_full'", "'unavailable'"]],
  },
  {
    what: 'After a write that found no room, all writes are rejected',
    foundBy: 'writes go on by themselves where there is room again',
    patches: [
      ['WriteQueue.#drain', 'this.#checkpoints?.noteFull()', 'this.full = reason'],
      ['WriteQueue.submit', 'if (this.#closed)', 'if (this.full) throw this.full; if (this.#closed)'],
    ],
  },
  {
    what: 'How often a key was used while the disk was full is forgotten',
    foundBy: 'the requests of a full disk are counted',
    patches: [['KeyUse.#write', 'this.#keep(use)', 'void use']],
  },
];

export const fileFaults: readonly PlantedFault[] = [
  {
    what: 'A database with overwritten pages is served',
    foundBy: ': it is served',
    patches: [['prepareStart', 'database.requireSound?.();', '']],
  },
  {
    what: 'A database that was emptied is taken for a new one',
    foundBy: ': it is served',
    patches: [['prepareFile', 'size === 0', 'false']],
  },
  {
    what: 'A database whose log is missing is served without what was acknowledged last',
    foundBy: ': it is served',
    patches: [['prepareFile', 'hasIndexAlone(path) &&', 'false &&']],
  },
  {
    what: 'A database that cannot be written is served',
    foundBy: 'it is served, and cannot be written',
    patches: [['requireAccess', 'accessSync(path, mode);', '']],
  },
  {
    what: 'The message about a damaged database does not say how to restore it',
    foundBy: 'the words do not say what to do',
    patches: [['RESTORE_ADVICE', 'restore FILE --force', 'too bad']],
  },
];
