import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { drive, type Load } from '../../../../bench/src/driver.ts';
import { serializeCall } from '../../../../bench/src/requests.ts';
import { addPerson, type Figure, PASSWORD, type Scene, sizeOf } from './scene.ts';

const AT_ONCE = 50;
const PEOPLE = 10;
const READERS = 4;

/** Many sign-ins at once, repeatedly, while a program reads through the API. */
export async function tryLogins(scene: Scene): Promise<Figure[]> {
  const { trial } = scene;
  const people = await Promise.all(
    Array.from({ length: sizeOf(trial, PEOPLE, 2) }, async () => (await addPerson(scene)).email),
  );
  const count = sizeOf(trial, AT_ONCE, 20);
  const quiet = await readMeanwhile(scene, () => sleep(sizeOf(trial, 5_000, 200)));
  const refusals: number[] = [];
  const busy = await readMeanwhile(scene, async () => {
    for (let round = 0; round < sizeOf(trial, 5, 1); round += 1)
      refusals.push(await signInAtOnce(scene, people, count));
  });
  const ms = ({ p99Ms }: Load) => `${p99Ms.toFixed(1)} ms`;
  return [
    [`${count} sign-ins at once: how many got 429 and succeeded later`, refusals.join(', ')],
    [
      'p99 of the API before and during sign-ins',
      `${ms(quiet)}, ${ms(busy)} (${(busy.p99Ms / quiet.p99Ms).toFixed(1)} ×)`,
    ],
    ['requests to the API meanwhile', `${busy.requests}, all 200`],
  ];
}

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
    assert.ok(Number(headers.get('retry-after')) > 0, 'a 429 without Retry-After');
    const again = await browser.enter(email, PASSWORD);
    assert.equal(again.status, 200, `a later sign-in is answered ${again.status}: ${again.text}`);
  }
  return refused.length;
}

async function readMeanwhile({ url, key }: Scene, work: () => Promise<unknown>): Promise<Load> {
  const port = Number(new URL(url).port);
  const request = serializeCall(port, { method: 'GET', path: '/v1/listings?limit=20', key });
  const exchange = { request, expected: { status: 200, contains: [] } };
  let isDone = false;
  const next = () => (isDone ? undefined : exchange);
  const reading = drive({ port, connections: READERS, next, seconds: Number.POSITIVE_INFINITY });
  const checked = reading.catch((error: Error) => assert.fail(`while people sign in, the API: ${error.message}`));
  // Awaited below.
  checked.catch(() => {});
  await work().finally(() => {
    isDone = true;
  });
  return checked;
}
