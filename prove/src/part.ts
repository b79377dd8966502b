import type { Cleanup } from '../../testkit/src/serving.ts';

export interface Part {
  /** On the command line, such as `crashes-sqlite`. */
  name: string;
  title: string;
  promise: string;
  /** With each of these the part must fail. */
  plantedFaults: readonly PlantedFault[];
  /** @throws AssertionError when the promise is broken; whatever else it throws says that it could not be tried */
  run(trial: Trial): Promise<Outcome>;
}

/** A fault that the proof adds to the service, to see whether a part finds it. */
export interface PlantedFault {
  /** What is wrong, in words that no other fault of the part has. */
  what: string;
  /**
   * Words of the check that must find it, as the check's source has them. Several if chance decides
   * which of these checks meets it first.
   */
  foundBy: string | readonly string[];
  /** Changes to the service's sources; without any, the part itself does what is wrong. */
  patches?: readonly Patch[];
}

/**
 * A change to one declaration of the server (`findDeclaration`), made as its file is loaded. `from`
 * occurs there once; the shorter it is, the more changes around it the patch survives.
 */
export type Patch = readonly [symbol: string, from: string, to: string];

export interface Trial extends Cleanup {
  /** `full` is published. `small` takes seconds: it runs with the tests and finds planted faults. */
  size: 'full' | 'small';
  /** For all random choices. */
  seed: number;
  plantedFault: PlantedFault | undefined;
  /** Empty at the beginning, removed at the end. */
  directory: string;
  say(text: string): void;
}

/** The result for a promise that was kept. */
export interface Outcome {
  /** What was done, as a table cell: `200 × kill -9 under load`. */
  tried: string;
  /** The result, as a table cell: `0 of 48,211 acknowledged writes lost`. */
  figure: string;
  /** Details for the report. */
  figures: readonly (readonly [what: string, value: string])[];
  /** What this machine cannot try, and why. */
  skipped?: readonly string[];
}
