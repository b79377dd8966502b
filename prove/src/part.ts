import type { Cleanup } from '../../testkit/src/serving.ts';

/** One promise of the service, and what is done to break it. */
export interface Part {
  /** As on the command line, such as `crashes-sqlite`. */
  name: string;
  title: string;
  /** As a user would say it: one sentence. */
  promise: string;
  /** With each of these the part must fail. */
  faults: readonly Fault[];
  /** @throws AssertionError when the promise is broken; whatever else it throws says that it could not be tried */
  run(trial: Trial): Promise<Outcome>;
}

/** Something wrong that is planted on purpose, to see whether it is found. */
export interface Fault {
  name: string;
  /** What is wrong, in words. */
  what: string;
  /** Changes of the service's sources; without any the part itself does what is wrong. */
  patches?: readonly Patch[];
}

/** A change of one source file of the service, made only as it is loaded (`plant.ts`). */
export interface Patch {
  /** From the repository's root. */
  file: string;
  /** Stands in the file exactly once. */
  from: string;
  to: string;
}

/** One run of a part. */
export interface Trial extends Cleanup {
  /** `full` is published, `small` takes seconds: it runs with the tests, and finds the planted faults. */
  size: 'full' | 'small';
  /** For all that is left to chance. */
  seed: number;
  fault: Fault | undefined;
  /** Empty at the beginning, removed at the end. */
  directory: string;
  /** Progress, for people. */
  say(text: string): void;
}

/** What is said of a promise that was kept. */
export interface Outcome {
  /** What was done, as part of a table's row: `200 × kill -9 under load`. */
  tried: string;
  /** What came of it, likewise: `0 of 48,211 acknowledged writes lost`. */
  figure: string;
  /** All there is to tell. */
  figures: readonly (readonly [what: string, value: string])[];
  /** What could not be tried on this machine, and why. */
  skipped?: readonly string[];
}
