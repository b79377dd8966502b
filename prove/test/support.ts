import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import type { Part } from '../src/part.ts';
import { runTrial } from '../src/trial.ts';

/** Runs the small form of a part as a test. `PROVE_SEED` repeats the choices of an earlier run. */
export function testPart(part: Part): void {
  const seed = Number(process.env.PROVE_SEED ?? randomInt(2 ** 31));
  test(`${part.title}: ${part.promise}`, async (t) => {
    const verdict = await runTrial(part, {
      size: 'small',
      seed,
      plantedFault: undefined,
      say: (text) => t.diagnostic(text),
    });
    assert.equal(verdict.is, 'kept', `${'words' in verdict ? verdict.words : ''} (PROVE_SEED=${seed})`);
  });
}
