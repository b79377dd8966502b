import assert from 'node:assert/strict';
import { createHistogram, performance } from 'node:perf_hooks';
import { addPerson, type Figure, PASSWORD, type Scene, sizeOf } from './scene.ts';
import type { Visitor } from './visitor.ts';

const AT_ONCE = 50;
const PEOPLE = 10;
const READERS = 4;
const MS_TO_MICROSECONDS = 1_000;

/** So many sign in at once, again and again, while a program reads by the API. */
export async function tryLogins(scene: Scene): Promise<Figure[]> {
  const { trial } = scene;
  const people = await Promise.all(
    Array.from({ length: sizeOf(trial, PEOPLE, 2) }, async () => (await addPerson(scene)).email),
  );
  const count = sizeOf(trial, AT_ONCE, 20);
  const quiet = await readMeanwhile(
    scene,
    () => new Promise((resolve) => setTimeout(resolve, sizeOf(trial, 5_000, 200))),
  );
  const refusals: number[] = [];
  const busy = await readMeanwhile(scene, async () => {
    for (let round = 0; round < sizeOf(trial, 5, 1); round += 1)
      refusals.push(await signInAtOnce(scene, people, count));
  });
  return [
    [`${count} sign in at once: told to come back in a second, and in with a later try`, refusals.join(', ')],
    [
      'p99 of the API before and meanwhile',
      `${quiet.p99Ms.toFixed(1)} ms, ${busy.p99Ms.toFixed(1)} ms (${(busy.p99Ms / quiet.p99Ms).toFixed(1)} ×)`,
    ],
    ['requests of the API meanwhile', `${busy.requests}, each answered 200`],
  ];
}

/** Each tries until they are in; how many were told to come back. */
async function signInAtOnce(scene: Scene, people: readonly string[], count: number): Promise<number> {
  const first = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const browser = scene.visitor();
      const email = people[index % people.length] ?? '';
      return { browser, email, ...(await browser.enter(email, PASSWORD)) };
    }),
  );
  const refused = first.filter(({ status }) => status !== 200);
  for (const { browser, email, status, headers } of refused) {
    assert.equal(status, 429, `one of ${count} who sign in at once is answered ${status}`);
    assert.ok(Number(headers.get('retry-after')) > 0, 'who is to come back is not told when');
    await enter(browser, email);
  }
  return refused.length;
}

async function enter(browser: Visitor, email: string): Promise<void> {
  const { status, text } = await browser.enter(email, PASSWORD);
  assert.equal(status, 200, `who comes back is answered ${status}: ${text}`);
}

/** Reads with the key until the work is done. */
async function readMeanwhile({ url, key }: Scene, work: () => Promise<unknown>) {
  const histogram = createHistogram();
  let isDone = false;
  let requests = 0;
  const read = async () => {
    while (!isDone) {
      const startedAt = performance.now();
      const response = await fetch(`${url}/v1/listings?limit=20`, { headers: { Authorization: `Bearer ${key}` } });
      await response.text();
      assert.equal(response.status, 200, `while people sign in the API answers ${response.status}`);
      histogram.record(Math.max(1, Math.round((performance.now() - startedAt) * MS_TO_MICROSECONDS)));
      requests += 1;
    }
  };
  const reading = Promise.all(Array.from({ length: READERS }, read));
  // It is told below: until then nobody waits for it.
  reading.catch(() => {});
  try {
    await work();
  } finally {
    isDone = true;
  }
  await reading;
  return { requests, p99Ms: histogram.percentile(99) / MS_TO_MICROSECONDS };
}
