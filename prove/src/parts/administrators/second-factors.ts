import assert from 'node:assert/strict';
import { nextTotp, totp } from '../../../../testkit/src/totp.ts';
import { addPerson, enterAgain, type Figure, guessMany, PASSWORD, type Person, type Scene, sizeOf } from './scene.ts';
import type { Visitor } from './visitor.ts';

/** Attempts until the lock; each concurrent attempt may add one. */
const LOOKED_AT_MAX = 10;
const AT_ONCE = 20;

interface Guarded extends Person {
  uri: string;
  backupCodes: string[];
}

export async function trySecondFactors(scene: Scene): Promise<Figure[]> {
  const ofApp = await tryGuesses(scene, 'totp', (index) => String(index % 1_000_000).padStart(6, '0'));
  const ofPaper = await tryGuesses(scene, 'backup-code', (index) => `0000-0000-${1_000 + (index % 9_000)}`);
  await tryAgain(scene);
  return [
    ['guessed authenticator codes, with the right password, that were checked', ofApp],
    ['guessed recovery codes, likewise', ofPaper],
    [`of ${AT_ONCE} at once with one code`, '1 let in; each code once'],
  ];
}

/** Guesses with the right password from many addresses, with several challenges open at once. */
async function tryGuesses(scene: Scene, factor: string, codeAt: (index: number) => string): Promise<string> {
  const times = sizeOf(scene.trial, 10_000, 30);
  const challenges = sizeOf(scene.trial, 40, 6);
  const person = await addGuarded(scene);
  const right = new Set([...person.backupCodes, totp(person.uri), nextTotp(person.uri)]);
  const browsers = await challengesOf(scene, person, challenges);
  const counts = await guessMany(scene, times, challenges, async (index) => {
    const code = right.has(codeAt(index)) ? codeAt(index + 1) : codeAt(index);
    const browser = browsers[index % challenges];
    const answer = await browser?.get('POST', `/admin/auth/two-factor/verify-${factor}`, { code });
    return answer?.status ?? 0;
  });
  const lookedAt = counts.get(422) ?? 0;
  const max = LOOKED_AT_MAX + challenges - 1;
  assert.ok(lookedAt <= max, `${lookedAt} of ${times} guesses of a ${factor} were looked at, ${max} may be`);
  const others = [...counts.keys()].filter((status) => ![401, 422, 429].includes(Number(status)));
  assert.deepEqual(others, [], `guesses of a ${factor} were answered otherwise`);
  for (const browser of browsers) assert.equal(await browser.whoIsHere(), undefined, 'a guessed code signed a user in');
  assert.equal(await person.browser.whoIsHere(), person.email, 'guesses signed a user out');
  return `${lookedAt} of ${times}, 0 got in`;
}

async function tryAgain(scene: Scene): Promise<void> {
  const person = await addGuarded(scene);
  const [backup = ''] = person.backupCodes;
  for (const [factor, code] of [
    ['totp', nextTotp(person.uri)],
    ['backup-code', backup],
  ] as const) {
    const path = `/admin/auth/two-factor/verify-${factor}`;
    const browsers = await challengesOf(scene, person, sizeOf(scene.trial, AT_ONCE, 5));
    const answers = await Promise.all(browsers.map((browser) => browser.get('POST', path, { code })));
    const lucky = answers.filter(({ status }) => status === 200).length;
    assert.equal(lucky, 1, `of ${browsers.length} at once with one ${factor} ${lucky} were let in`);
    const [late] = await challengesOf(scene, person, 1);
    const again = await late?.get('POST', path, { code });
    assert.notEqual(again?.status, 200, `a ${factor} works twice`);
    await scene.database.sql('update two_factors set failed_verification_count = 0, locked_until = null');
  }
}

async function addGuarded(scene: Scene): Promise<Guarded> {
  const person = await addPerson(scene);
  const enabled = await person.browser.ask('POST', '/admin/auth/two-factor/enable', { password: PASSWORD });
  const uri = String(enabled.totpURI);
  await person.browser.ask('POST', '/admin/auth/two-factor/verify-totp', { code: totp(uri) });
  return { ...person, uri, backupCodes: enabled.backupCodes };
}

/** Browsers that gave the password and still owe the code. */
async function challengesOf(scene: Scene, person: Person, count: number): Promise<Visitor[]> {
  const browsers: Visitor[] = [];
  while (browsers.length < count) browsers.push(await enterAgain(scene, person));
  return browsers;
}
