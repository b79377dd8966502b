import { AssertionError } from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { defer } from '../../testkit/src/cleanup.ts';
import { createDirectory } from '../../testkit/src/service.ts';
import type { Outcome, Part, PlantedFault, Trial } from './part.ts';

export type Verdict = { seconds: number } & (
  | { is: 'kept'; outcome: Outcome }
  | { is: 'broken' | 'untried'; words: string }
);

export async function runTrial(
  part: Part,
  given: Pick<Trial, 'size' | 'seed' | 'plantedFault' | 'say'>,
): Promise<Verdict> {
  const startedAt = performance.now();
  const directory = await createDirectory();
  const ends = new AsyncDisposableStack();
  const trial = { ...given, directory, after: (end: () => unknown) => ends.defer(async () => void (await end())) };
  defer(trial, () => rm(directory, { recursive: true, force: true }));
  const secondsSoFar = () => (performance.now() - startedAt) / 1_000;
  try {
    const outcome = await part.run(trial);
    return { is: 'kept', outcome, seconds: secondsSoFar() };
  } catch (error) {
    const seconds = secondsSoFar();
    if (error instanceof AssertionError) return { is: 'broken', words: error.message, seconds };
    return { is: 'untried', words: error instanceof Error ? String(error.stack) : String(error), seconds };
  } finally {
    await ends.disposeAsync();
  }
}

/** Whether one of the checks that must find a planted fault found it. */
export function isFound({ foundBy }: PlantedFault, verdict: Verdict): boolean {
  return verdict.is === 'broken' && [foundBy].flat().some((words) => verdict.words.includes(words));
}
