import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { type Figure, guessMany, type Scene } from './scene.ts';
import { Visitor } from './visitor.ts';

const LANES = 8;
const TIMES = 20_000;
/** Together much more than what may be kept of them. */
const ADDRESS_LENGTH = 32 * 1024;
const GROWTH_BYTES_MAX = 200e6;

/** Tries passwords of addresses that are as long as can be: what is counted of them is bounded. */
export async function tryMemory(scene: Scene): Promise<Figure[]> {
  const attacker = scene.visitor().address;
  const before = await memoryBytesOf(scene.pid);
  await guessMany(scene, TIMES, LANES, async (index) => {
    const email = `${'x'.repeat(ADDRESS_LENGTH)}${index}@example.com`;
    return (await new Visitor(scene.url, attacker).enter(email, 'a guess')).status;
  });
  const grownBytes = (await memoryBytesOf(scene.pid)) - before;
  assert.ok(grownBytes < GROWTH_BYTES_MAX, `the counting process grew by ${grownBytes} bytes`);
  const told = `${TIMES} attempts with addresses of ${ADDRESS_LENGTH} characters`;
  return [[`memory of the counting process after ${told}`, `${Math.round(grownBytes / 1e6)} MB more`]];
}

/** What a process has in memory. */
async function memoryBytesOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}
