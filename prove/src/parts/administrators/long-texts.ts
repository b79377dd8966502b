import assert from 'node:assert/strict';
import { residentBytesOf } from '../../../../bench/src/process-stats.ts';
import { type Figure, guessMany, type Scene, someOf } from './scene.ts';
import { Visitor } from './visitor.ts';

/** The body limit. */
const BODY_BYTES = 16_000;
/** No request needs a tenth of this; quadratic work takes a minute. */
const PATIENCE_MS = 15_000;
const MARKS = '\u0301\u0316';
const OTHERS = ['a.', 'a@', '-', '..', '\u{1f3fb}', '\u00df'];

/** Emails and passwords that fill the body, sent without a session: the service must stay responsive. */
export async function tryLongTexts(scene: Scene): Promise<Figure[]> {
  const pieces = [MARKS, ...someOf(scene.trial, OTHERS, OTHERS.length)];
  const texts = pieces.map((piece) => `a${piece.repeat(BODY_BYTES / Buffer.byteLength(piece) - 100)}@example.com`);
  for (const text of texts) {
    for (const body of [
      { email: text, password: 'a guess' },
      { email: 'nobody@example.com', password: text },
    ]) {
      const what = `an attempt with ${text.length} characters like ${JSON.stringify(text.slice(1, 3))}`;
      const answer = await patiently(what, scene.visitor().get('POST', '/admin/auth/sign-in/email', body));
      assert.ok([401, 422].includes(answer.status), `${what} is answered ${answer.status}`);
    }
  }
  return [['attempts with 16 KB for an address or a password', `${2 * texts.length}, each answered at once`]];
}

async function patiently<T>(what: string, answer: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const words = `${what} stopped a worker for ${PATIENCE_MS / 1_000} s`;
  const timer = setTimeout(() => reject(new assert.AssertionError({ message: words })), PATIENCE_MS);
  try {
    return await Promise.race([answer, promise]);
  } finally {
    clearTimeout(timer);
  }
}

const LANES = 8;
const TIMES = 20_000;
const ADDRESS_LENGTH = 15 * 1024;
const GROWTH_BYTES_MAX = 200e6;

/** Failed sign-ins with the longest possible emails: the counters' memory is bounded. */
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
