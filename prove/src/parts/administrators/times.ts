import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { addPerson, type Figure, type Person, type Scene, sizeOf } from './scene.ts';

/** One person's address is used no more often than the service looks at it. */
const PAIRS_OF_PERSON = 70;
const PAIRS_SMALL = 12;
/** A busy machine makes one of them slow by chance, but not again and again. */
const ROUNDS_MAX = 4;
const AREA_TOLERANCE = 0.12;
const RATIO_MAX = { full: 1.2, small: 1.8 };

interface Times {
  known: number[];
  unknown: number[];
}

/** Whether the time of a refusal tells if somebody has this address: a known and an unknown one by turns. */
export async function tryTimes(scene: Scene): Promise<Figure[]> {
  const isFull = scene.trial.size === 'full';
  // The first ones load what identity needs.
  for (let index = 0; index < 4; index += 1) await timeOf(scene, `warm${index}@example.com`);
  for (let round = 1; ; round += 1) {
    const people = await Promise.all(Array.from({ length: sizeOf(scene.trial, 5, 1) }, () => addPerson(scene)));
    const times = await measure(scene, people, isFull ? people.length * PAIRS_OF_PERSON : PAIRS_SMALL);
    const ratio = ratioOf(times, isFull ? median : minimum);
    const area = areaUnderCurve(times);
    const told = `${median(times.known).toFixed(1)} ms known, ${median(times.unknown).toFixed(1)} ms unknown`;
    const figures: Figure[] = [
      ['a wrong password takes', `${told} (medians of ${times.known.length})`],
      ['rank test (0.5: nothing to tell, 0 or 1: everything)', area.toFixed(3)],
    ];
    const tells = ratio > RATIO_MAX[scene.trial.size] || (isFull && Math.abs(area - 0.5) > AREA_TOLERANCE);
    if (!tells) return figures;
    assert.ok(round < ROUNDS_MAX, `the time tells whether an address is known: ${told}, rank test ${area.toFixed(3)}`);
  }
}

/** Which of the two comes first must not matter either. */
async function measure(scene: Scene, people: readonly Person[], pairs: number): Promise<Times> {
  const times: Times = { known: [], unknown: [] };
  for (let index = 0; index < pairs; index += 1) {
    const { email = '' } = people[index % people.length] ?? {};
    const ask = {
      known: () => timeOf(scene, email),
      unknown: () => timeOf(scene, `${crypto.randomUUID()}@example.com`),
    };
    const order = index % 2 === 0 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const);
    for (const which of order) times[which].push(await ask[which]());
  }
  return times;
}

async function timeOf({ visitor }: Scene, email: string): Promise<number> {
  const browser = visitor();
  const startedAt = performance.now();
  const { status } = await browser.enter(email, 'a wrong password');
  const tookMs = performance.now() - startedAt;
  assert.equal(status, 401, `a wrong password of ${email} is answered ${status}`);
  return tookMs;
}

/** By how much one of them takes longer, at least 1. */
function ratioOf({ known, unknown }: Times, typical: (values: readonly number[]) => number): number {
  const ratio = typical(known) / typical(unknown);
  return Math.max(ratio, 1 / ratio);
}

/** What the machine does besides only adds to it. */
function minimum(values: readonly number[]): number {
  return Math.min(...values);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.trunc(values.length / 2)] ?? Number.NaN;
}

/** How often one of the first is above one of the second (Mann and Whitney): 0.5 if nothing can be told. */
function areaUnderCurve({ known, unknown }: Times): number {
  const above = known.flatMap((a) => unknown.map((b) => (Math.sign(a - b) + 1) / 2));
  return above.reduce((sum, each) => sum + each, 0) / above.length;
}
