import assert from 'node:assert/strict';
import { median } from '../../../../bench/src/statistics.ts';
import { addPerson, type Figure, type Person, type Scene, sizeOf } from './scene.ts';

/** Below the limit of attempts for one email. */
const PAIRS_OF_PERSON = 70;
const PAIRS_SMALL = 48;
const PEOPLE = 5;
const WARM_UP = 4;
/** How far the share may be from a half; chance exceeds this once in 100,000 times. */
const TOLERANCE = 0.12;
/** Hashes are cheap in the small form, so a millisecond counts more. */
const RATIO_MAX = { full: 1.2, small: 1.45 };

interface Pair {
  knownMs: number;
  unknownMs: number;
}

/**
 * Whether the time of a rejection reveals an existing email. Known and unknown emails alternate, so
 * other load affects both.
 */
export async function tryTimes(scene: Scene): Promise<Figure[]> {
  const { size } = scene.trial;
  const people = await Promise.all(Array.from({ length: sizeOf(scene.trial, PEOPLE, 1) }, () => addPerson(scene)));
  await measure(scene, [await addPerson(scene)], WARM_UP);
  const pairs = await measure(scene, people, size === 'full' ? people.length * PAIRS_OF_PERSON : PAIRS_SMALL);
  const known = pairs.map(({ knownMs }) => knownMs);
  const unknown = pairs.map(({ unknownMs }) => unknownMs);
  const told = `${median(known).toFixed(1)} ms known, ${median(unknown).toFixed(1)} ms unknown`;
  const slower = pairs.filter(({ knownMs, unknownMs }) => knownMs > unknownMs).length;
  const ratio = median(known) / median(unknown);
  const isOften = size === 'full' && Math.abs(slower / pairs.length - 0.5) > TOLERANCE;
  const share = `in ${slower} of ${pairs.length} pairs the known one was slower`;
  const isAlike = !isOften && Math.max(ratio, 1 / ratio) <= RATIO_MAX[size];
  assert.ok(isAlike, `the time tells who is known: ${told}; ${share}`);
  return [
    ['a wrong password takes', `${told} (medians of ${pairs.length} by turns, one sample)`],
    ['pairs in which the known one was slower (half of them: nothing to tell)', `${slower} of ${pairs.length}`],
  ];
}

async function measure(scene: Scene, people: readonly Person[], count: number): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (let index = 0; index < count; index += 1) {
    const { email = '' } = people[index % people.length] ?? {};
    const stranger = `${crypto.randomUUID()}@example.com`;
    const [first, second] = index % 2 === 0 ? [email, stranger] : [stranger, email];
    const times = [await timeOf(scene, first), await timeOf(scene, second)];
    const [knownMs = Number.NaN, unknownMs = Number.NaN] = index % 2 === 0 ? times : times.reverse();
    pairs.push({ knownMs, unknownMs });
  }
  return pairs;
}

async function timeOf({ visitor }: Scene, email: string): Promise<number> {
  const browser = visitor();
  const startedAt = performance.now();
  const { status } = await browser.enter(email, 'a wrong password');
  const tookMs = performance.now() - startedAt;
  assert.equal(status, 401, `a wrong password of ${email} is answered ${status}`);
  return tookMs;
}
