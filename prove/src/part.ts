import type { Cleanup } from '../../testkit/src/cleanup.ts';

export interface Part {
  /** The name on the command line, such as `crashes-sqlite`. */
  name: string;
  title: string;
  promise: string;
  /** The faults that the part must find. By default, they are in the part's `planted-faults.txt`. */
  plantedFaults?: readonly PlantedFault[];
  /** @throws AssertionError if the promise is broken, or another error if the trial could not run */
  run(trial: Trial): Promise<Outcome>;
}

/** A fault that is put into the service to test whether a part finds it. */
export interface PlantedFault {
  /** A description, unique within the part. */
  what: string;
  /** Words from the source of the check that must find the fault; several if chance decides which check fails. */
  foundBy: string | readonly string[];
  /** What must be true for the part to find the fault, or an instruction for the part's small form. */
  needs?: string;
  /** Changes to the service's sources. Without patches, the part itself plants the fault. */
  patches?: readonly Patch[];
}

/**
 * A change to one declaration of the server (`findDeclaration`), made when the file is loaded. `from`
 * occurs in the declaration exactly once. The shorter it is, the more edits around it the patch survives.
 */
export type Patch = readonly [symbol: string, from: string, to: string];

export interface Trial extends Cleanup {
  /** The results of `full` are published. `small` takes seconds, runs with the tests, and finds planted faults. */
  size: 'full' | 'small';
  seed: number;
  plantedFault: PlantedFault | undefined;
  /** The trial's directory, which is empty at first and is removed at the end. */
  directory: string;
  say(text: string): void;
}

export interface Outcome {
  /** The attempts, as a table cell: `200 × kill -9 under load`. */
  tried: string;
  /** The result, as a table cell: `0 of 48,211 acknowledged writes lost`. */
  figure: string;
  figures: readonly (readonly [what: string, value: string])[];
  /** What this machine cannot try, with the reason. */
  skipped?: readonly string[];
}
