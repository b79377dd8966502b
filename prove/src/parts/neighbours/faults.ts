import type { Fault } from '../../part.ts';

/** A fault, and the members of the corpus that find it. */
interface PlantedFault extends Fault {
  members: readonly string[];
}

export const faults: readonly PlantedFault[] = [];

/** Those that a small trial of a fault needs. */
export function membersOf(fault: Fault | undefined): readonly string[] | undefined {
  return faults.find(({ name }) => name === fault?.name)?.members;
}
