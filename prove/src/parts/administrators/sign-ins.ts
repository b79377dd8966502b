import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { drive, type Load } from '../../../../bench/src/driver.ts';
import { residentBytesOf } from '../../../../bench/src/process-stats.ts';
import { serializeCall } from '../../../../bench/src/requests.ts';
import { atOnce } from '../../at-once.ts';
import { addPerson, type Figure, guessMany, PASSWORD, type Scene, sizeOf, someOf, Visitor } from './scene.ts';

const AT_ONCE = 50;
const PEOPLE = 10;
const READERS = 4;

/** Sends bursts of concurrent sign-ins while a client reads through the API. */
export async function tryLogins(scene: Scene): Promise<Figure[]> {
  const { trial } = scene;
  const people = await atOnce(sizeOf(trial, PEOPLE, 2), async () => (await addPerson(scene)).email);
  const count = sizeOf(trial, AT_ONCE, 20);
  const quiet = await readMeanwhile(scene, () => sleep(sizeOf(trial, 5_000, 200)));
  const refusals: number[] = [];
  const busy = await readMeanwhile(scene, async () => {
    for (let round = 0; round < sizeOf(trial, 5, 1); round += 1)
      refusals.push(await signInAtOnce(scene, people, count));
  });
  const ms = ({ p99Ms }: Load) => `${p99Ms.toFixed(1)} ms`;
  const ratio = (busy.p99Ms / quiet.p99Ms).toFixed(1);
  return [
    [`of ${count} concurrent sign-ins, those that got 429 and succeeded later`, refusals.join(', ')],
    ['p99 of the API before and during sign-ins', `${ms(quiet)}, ${ms(busy)} (${ratio} ×)`],
    ['requests to the API during sign-ins', `${busy.requests}, all 200`],
  ];
}

async function signInAtOnce(scene: Scene, people: readonly string[], count: number): Promise<number> {
  const first = await atOnce(count, async (index) => {
    const browser = scene.visitor();
    const email = people[index % people.length] ?? '';
    return { browser, email, ...(await browser.enter(email, PASSWORD)) };
  });
  const refused = first.filter(({ status }) => status !== 200);
  for (const { browser, email, status, headers } of refused) {
    assert.equal(status, 429, `one of ${count} concurrent sign-ins gets ${status}`);
    assert.ok(Number(headers.get('retry-after')) > 0, 'a 429 without Retry-After');
    const again = await browser.enter(email, PASSWORD);
    assert.equal(again.status, 200, `a later sign-in gets ${again.status}: ${again.text}`);
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
  const checked = reading.catch((error: Error) => assert.fail(`the API failed during sign-ins: ${error.message}`));
  // The caller awaits `checked`. This only prevents an unhandled rejection until then.
  checked.catch(() => {});
  await work().finally(() => {
    isDone = true;
  });
  return checked;
}

/** Nearly the maximum size of a request body, which is 16 KiB. */
const BODY_BYTES = 16_000;
/** Ten times as long as any request takes. An algorithm that takes quadratic time would need a minute. */
const PATIENCE_MS = 15_000;
const MARKS = '\u0301\u0316';
const OTHERS = ['a.', 'a@', '-', '..', '\u{1f3fb}', '\u00df'];

/** Signs in with an email or password that nearly fills the body. The service must stay responsive. */
export async function tryLongTexts(scene: Scene): Promise<Figure[]> {
  const pieces = [MARKS, ...someOf(scene.trial, OTHERS, OTHERS.length)];
  const texts = pieces.map((piece) => `a${piece.repeat(BODY_BYTES / Buffer.byteLength(piece) - 100)}@example.com`);
  for (const text of texts) {
    for (const body of [
      { email: text, password: 'a guess' },
      { email: 'nobody@example.com', password: text },
    ]) {
      const what = `a sign-in with ${text.length} characters like ${JSON.stringify(text.slice(1, 3))}`;
      const answer = await patiently(what, scene.visitor().get('POST', '/admin/auth/sign-in/email', body));
      assert.ok([401, 422].includes(answer.status), `${what} returns ${answer.status}`);
    }
  }
  return [['sign-ins with a 16 KB email or password', `${2 * texts.length}, none of which blocked a worker`]];
}

function patiently<T>(what: string, answer: Promise<T>): Promise<T> {
  const words = `${what} blocked a worker for ${PATIENCE_MS / 1_000} s`;
  const late = sleep(PATIENCE_MS, undefined, { ref: false }).then(() => assert.fail(words));
  return Promise.race([answer, late]);
}

const LANES = 8;
const TIMES = 20_000;
const ADDRESS_LENGTH = 15 * 1024;
const GROWTH_BYTES_MAX = 200e6;

/** Failed sign-ins with the longest possible emails must not increase the counters' memory without limit. */
export async function tryMemory(scene: Scene): Promise<Figure[]> {
  const attacker = scene.visitor().address;
  const before = residentBytesOf(scene.pid);
  const counts = await guessMany(scene, TIMES, LANES, async (index) => {
    const email = `${'x'.repeat(ADDRESS_LENGTH)}${index}@example.com`;
    return (await new Visitor(scene.url, attacker).enter(email, 'a guess')).status;
  });
  const others = [...counts].filter(([status]) => status !== 401 && status !== 429);
  assert.deepEqual(others, [], 'sign-ins with long emails got unexpected responses');
  const told = `${TIMES} sign-ins with emails of ${ADDRESS_LENGTH} characters`;
  const what = `memory of the counting process after ${told}`;
  const after = residentBytesOf(scene.pid);
  if (before === undefined || after === undefined) return [[what, 'not measurable on this machine']];
  const grownBytes = after - before;
  assert.ok(grownBytes < GROWTH_BYTES_MAX, `the counting process grew by ${grownBytes} bytes`);
  return [[what, `${Math.round(grownBytes / 1e6)} MB more`]];
}
