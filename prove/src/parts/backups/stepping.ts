import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setImmediate as aTurn } from 'node:timers/promises';
import { hasEnded } from '../../../../testkit/src/serving.ts';

const CLOCK = new Int32Array(new SharedArrayBuffer(4));
/** Very much longer than a write takes: whoever waits so long waits for the program that stands still. */
export const STANDSTILL_MAX_MS = 10_000;

/**
 * Lets a program run in short steps, and after each, while it works at a file, stand still until others have gone on: it may
 * hold nothing that they wait for. So it does not matter how fast the machine is.
 * @returns how often others have gone on
 */
export async function stepThrough(
  child: ChildProcess,
  { file, stepMs, goOn }: { file: string; stepMs: number; goOn: () => Promise<boolean> },
): Promise<number> {
  let stops = 0;
  let isAtWork = false;
  while (!hasEnded(child)) {
    child.kill('SIGCONT');
    // Nothing else is done here meanwhile: a step that takes longer would be one in which all is over.
    Atomics.wait(CLOCK, 0, 0, stepMs);
    child.kill('SIGSTOP');
    await aTurn();
    const wasAtWork = isAtWork;
    isAtWork = existsSync(file);
    if (wasAtWork && !isAtWork) break;
    if (!isAtWork) continue;
    assert.ok(await goOn(), 'while a backup stands still, nobody can write');
    stops += 1;
  }
  child.kill('SIGCONT');
  return stops;
}
