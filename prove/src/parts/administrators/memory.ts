import assert from 'node:assert/strict';
import { residentBytesOf } from '../../../../bench/src/process-stats.ts';
import { type Figure, guessMany, type Scene } from './scene.ts';
import { Visitor } from './visitor.ts';

const LANES = 8;
const TIMES = 20_000;
/** Together much more than what may be kept of them. */
const ADDRESS_LENGTH = 15 * 1024;
const GROWTH_BYTES_MAX = 200e6;

/** Tries passwords of addresses that are as long as can be: what is counted of them is bounded. */
export async function tryMemory(scene: Scene): Promise<Figure[]> {
  const attacker = scene.visitor().address;
  const before = residentBytesOf(scene.pid);
  const counts = await guessMany(scene, TIMES, LANES, async (index) => {
    const email = `${'x'.repeat(ADDRESS_LENGTH)}${index}@example.com`;
    return (await new Visitor(scene.url, attacker).enter(email, 'a guess')).status;
  });
  const others = [...counts].filter(([status]) => status !== 401 && status !== 429);
  assert.deepEqual(others, [], 'attempts with long addresses were not counted');
  const told = `${TIMES} attempts with addresses of ${ADDRESS_LENGTH} characters`;
  const what = `memory of the counting process after ${told}`;
  const after = residentBytesOf(scene.pid);
  if (before === undefined || after === undefined) return [[what, 'cannot be known here']];
  const grownBytes = after - before;
  assert.ok(grownBytes < GROWTH_BYTES_MAX, `the counting process grew by ${grownBytes} bytes`);
  return [[what, `${Math.round(grownBytes / 1e6)} MB more`]];
}
