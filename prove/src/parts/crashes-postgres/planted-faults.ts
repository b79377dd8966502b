import type { PlantedFault } from '../../part.ts';
import { LOST_WRITE } from '../ledger/planted-faults.ts';

/** What the part does wrong itself. */
export const ASYNCHRONOUS_STANDBY: PlantedFault = {
  what: 'the standby that takes over was not synchronous',
  foundBy: LOST_WRITE,
};

export const plantedFaults: readonly PlantedFault[] = [
  {
    what: "the service's sessions commit without waiting for the disk (`synchronous_commit=off`)",
    foundBy: LOST_WRITE,
    patches: [['Pool.constructor', 'application_name', "options: '-c synchronous_commit=off', application_name"]],
  },
  {
    what: 'a reply goes out before the commit is acknowledged',
    foundBy: LOST_WRITE,
    patches: [['Group.end', 'const ended =', 'for (const outcome of this.#outcomes) outcome.tell(); const ended =']],
  },
  {
    what: '`outcome_unknown` is reported as `unavailable`, which promises that nothing was written',
    foundBy: ['was refused, and had been done', 'were refused or deleted and are there'],
    patches: [['Group.end', 'hasWritten ?', 'false ?']],
  },
  ASYNCHRONOUS_STANDBY,
];
