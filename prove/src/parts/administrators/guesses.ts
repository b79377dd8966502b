import assert from 'node:assert/strict';
import type { Told } from '../../../../testkit/src/openapi.ts';
import { sendRaw } from '../../../../testkit/src/raw.ts';
import { nextTotp, totp } from '../../../../testkit/src/totp.ts';
import { addPerson, type Figure, guessMany, PASSWORD, type Person, type Scene, sizeOf, Visitor } from './scene.ts';

/** Few enough that no queue for password hashing overflows. */
const LANES = 8;
/** The first process and two workers. A worker counts on its own if the first process takes half a second. */
const COUNTERS = 3;
/** The attempts that each counter allows for an email from one address, for an address, and for an email. */
const AT_PLACE_MAX = 10;
const OF_PLACE_MAX = 50;
const OF_EMAIL_MAX = 100;
const COMMON = ['password1', 'qwertyuiop', 'letmein123', 'Summer2026!', 'iloveyou99'];

export async function tryPasswords(scene: Scene): Promise<Figure[]> {
  return [
    ...(await tryOneAddress(scene)),
    ...(await tryManyAddresses(scene)),
    ...(await tryForgedAddresses(scene)),
    ...(await trySpraying(scene)),
  ];
}

async function tryOneAddress(scene: Scene): Promise<Figure[]> {
  const times = sizeOf(scene.trial, 10_000, 36);
  const victim = await addPerson(scene);
  const attacker = scene.visitor();
  const counts = await guessMany(scene, times, LANES, (index) => guess(attacker.address, scene, victim, index));
  const told = assertRefused(counts, times, AT_PLACE_MAX, 'from one address');
  const elsewhere = await scene.visitor().enter(victim.email, PASSWORD);
  assert.equal(elsewhere.status, 200, `the right password from another address gets ${elsewhere.status}`);
  return [['guesses from one address that were hashed', told]];
}

async function tryManyAddresses(scene: Scene): Promise<Figure[]> {
  const times = sizeOf(scene.trial, 10_000, 330);
  const victim = await addPerson(scene);
  const addresses = Array.from({ length: Math.ceil(times / 5) }, () => scene.visitor().address);
  const counts = await guessMany(scene, times, LANES, (index) =>
    guess(addresses[index % addresses.length] ?? '', scene, victim, index),
  );
  const told = assertRefused(counts, times, OF_EMAIL_MAX, 'on one account from many addresses');
  const home = await new Visitor(scene.url, victim.browser.address).enter(victim.email, PASSWORD);
  assert.equal(home.status, 200, `the right password from a signed-in address gets ${home.status}`);
  const change = { currentPassword: PASSWORD, newPassword: PASSWORD };
  await victim.browser.ask('POST', '/admin/auth/change-password', change);
  const { status, headers } = await scene.visitor().enter(victim.email, PASSWORD);
  const waitSeconds = Number(headers.get('retry-after'));
  assert.ok(
    status === 200 || (waitSeconds > 0 && waitSeconds <= 3600),
    `the right password from a new address gets ${status} and must wait for ${waitSeconds} s`,
  );
  return [
    [`guesses from ${addresses.length} addresses that were hashed`, told],
    ['then the right password, from a signed-in address', 'succeeds'],
    ['then the right password, from another address', status === 200 ? 'succeeds' : `waits for ${waitSeconds} s`],
  ];
}

/** Each guess forges `X-Forwarded-For`, which must be ignored: the sender is not a trusted proxy. */
async function tryForgedAddresses(scene: Scene): Promise<Figure[]> {
  const { url, trial } = scene;
  const places = sizeOf(trial, 5, 1);
  const each = sizeOf(trial, 200, 36);
  const times = places * each;
  const counts = await guessMany(scene, times, 4, async (index) => {
    const body = JSON.stringify({ email: `forged${index % places}@example.com`, password: `guess ${index}` });
    const request = [
      'POST /admin/auth/sign-in/email HTTP/1.1',
      `Host: ${new URL(url).host}`,
      `Origin: ${url}`,
      `X-Forwarded-For: 192.0.${Math.trunc(index / 250)}.${index % 250}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      `Connection: close\r\n\r\n${body}`,
    ].join('\r\n');
    return (await sendRaw(url, request, `127.0.0.${2 + (index % places)}`)).status;
  });
  const told = assertRefused(counts, times, places * AT_PLACE_MAX, 'with a forged address');
  return [[`guesses from ${places} loopback addresses, with a new forged address each time`, told]];
}

async function trySpraying(scene: Scene): Promise<Figure[]> {
  const { trial, visitor } = scene;
  const [places, people] = [sizeOf(trial, 20, 1), sizeOf(trial, 5, 1)];
  const each = sizeOf(trial, 500, 165);
  const times = places * each;
  const known = await Promise.all(Array.from({ length: people }, () => addPerson(scene)));
  const unknown = Array.from({ length: each }, (_, index) => `nobody${index}@example.com`);
  const emails = [...known.map(({ email }) => email), ...unknown];
  const addresses = Array.from({ length: places }, () => visitor().address);
  const counts = await guessMany(scene, times, LANES, async (index) => {
    const browser = new Visitor(scene.url, addresses[index % places] ?? '');
    const email = emails[Math.trunc(index / places) % emails.length] ?? '';
    return outcomeOf(await browser.enter(email, COMMON[index % COMMON.length] ?? ''));
  });
  const told = assertRefused(counts, times, places * OF_PLACE_MAX, 'across many accounts');
  for (const { email } of known) {
    const { status } = await visitor().enter(email, PASSWORD);
    assert.equal(status, 200, `the right password of a sprayed user gets ${status}`);
  }
  return [[`guesses across ${emails.length} accounts from ${places} addresses`, told]];
}

async function guess(address: string, { url }: Scene, { email }: Person, index: number): Promise<number | string> {
  return outcomeOf(await new Visitor(url, address).enter(email, `${COMMON[index % COMMON.length]}${index}`));
}

function outcomeOf({ status, headers }: Told): number | string {
  if (headers.getSetCookie().length > 0) return `${status} with a cookie`;
  return status === 429 && headers.get('retry-after') === null ? '429 without Retry-After' : status;
}

/** Asserts that most guesses were not checked. @returns how many were, for the report */
function assertRefused(counts: Map<number | string, number>, times: number, counted: number, which: string): string {
  const lookedAtMax = counted * COUNTERS;
  assert.ok(times > lookedAtMax, `${times} guesses ${which} are too few to show that they are counted`);
  const lookedAt = counts.get(401) ?? 0;
  assert.ok(lookedAt <= lookedAtMax, `${lookedAt} of ${times} guesses ${which} were checked, more than ${lookedAtMax}`);
  const others = [...counts].filter(([outcome]) => outcome !== 401 && outcome !== 429);
  assert.deepEqual(others, [], `guesses ${which} got unexpected responses`);
  return `${lookedAt} of ${times}, 0 succeeded`;
}

/** The guesses that are checked before the user is locked out. Each concurrent attempt can add one. */
const LOOKED_AT_MAX = 10;
const AT_ONCE = 20;

export async function trySecondFactors(scene: Scene): Promise<Figure[]> {
  const ofApp = await tryGuesses(scene, 'totp', (index) => String(index % 1_000_000).padStart(6, '0'));
  const ofPaper = await tryGuesses(scene, 'backup-code', (index) => `0000-0000-${1_000 + (index % 9_000)}`);
  await tryAgain(scene);
  return [
    ['guessed authenticator codes, with the right password, that were checked', ofApp],
    ['guessed recovery codes, with the right password, that were checked', ofPaper],
    [`of ${AT_ONCE} concurrent uses of one code`, '1 succeeded; each code worked once'],
  ];
}

/** Guesses codes, with the right password, from many addresses and with several challenges open at once. */
async function tryGuesses(scene: Scene, factor: string, codeAt: (index: number) => string): Promise<string> {
  const times = sizeOf(scene.trial, 10_000, 30);
  const challenges = sizeOf(scene.trial, 40, 6);
  const person = await addGuarded(scene);
  const right = new Set([...person.backupCodes, totp(person.uri), nextTotp(person.uri)]);
  const browsers = await challengesOf(scene, person, challenges);
  const counts = await guessMany(scene, times, challenges, async (index) => {
    const code = right.has(codeAt(index)) ? codeAt(index + 1) : codeAt(index);
    const browser = browsers[index % challenges];
    return (await browser?.get('POST', `/admin/auth/two-factor/verify-${factor}`, { code }))?.status ?? 0;
  });
  const lookedAt = counts.get(422) ?? 0;
  const max = LOOKED_AT_MAX + challenges - 1;
  assert.ok(lookedAt <= max, `${lookedAt} of ${times} guesses of a ${factor} were checked, more than ${max}`);
  const others = [...counts.keys()].filter((status) => ![401, 422, 429].includes(Number(status)));
  assert.deepEqual(others, [], `guesses of a ${factor} got unexpected responses`);
  for (const browser of browsers) assert.equal(await browser.whoIsHere(), undefined, 'a guessed code signed a user in');
  assert.equal(await person.browser.whoIsHere(), person.email, 'guesses signed a user out');
  return `${lookedAt} of ${times}, 0 succeeded`;
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
    assert.equal(lucky, 1, `of ${browsers.length} concurrent uses of one ${factor}, ${lucky} succeeded`);
    const [late] = await challengesOf(scene, person, 1);
    const again = await late?.get('POST', path, { code });
    assert.notEqual(again?.status, 200, `a ${factor} works twice`);
    await scene.database.sql('update two_factors set failed_verification_count = 0, locked_until = null');
  }
}

async function addGuarded(scene: Scene) {
  const person = await addPerson(scene);
  const enabled = await person.browser.ask('POST', '/admin/auth/two-factor/enable', { password: PASSWORD });
  const uri = String(enabled.totpURI);
  await person.browser.ask('POST', '/admin/auth/two-factor/verify-totp', { code: totp(uri) });
  const backupCodes: string[] = enabled.backupCodes;
  return { ...person, uri, backupCodes };
}

/** Returns browsers that have passed the password check, but not the second factor. */
async function challengesOf(scene: Scene, person: Person, count: number): Promise<Visitor[]> {
  const browsers: Visitor[] = [];
  while (browsers.length < count) browsers.push(await scene.visitor().signIn(person));
  return browsers;
}
