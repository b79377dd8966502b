import assert from 'node:assert/strict';
import { type Figure, type Scene, someOf } from './scene.ts';

/** As much as such a body may be. */
const BODY_BYTES = 16_000;
/** Nothing takes a tenth of it, on whatever machine; what takes the square of the length takes a minute. */
const PATIENCE_MS = 15_000;
const MARKS = '\u0301\u0316';
const OTHERS = ['a.', 'a@', '-', '..', '\u{1f3fb}', '\u00df'];

/** Somebody who is nobody sends addresses and passwords that fill a body: the service answers, and goes on. */
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
