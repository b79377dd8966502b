import assert from 'node:assert/strict';
import type { Told } from '../../../../testkit/src/openapi.ts';
import { sendRaw } from '../../../../testkit/src/raw.ts';
import { addPerson, type Figure, guessMany, PASSWORD, type Person, type Scene, sizeOf } from './scene.ts';
import { Visitor } from './visitor.ts';

/** Few enough that no process rejects a sign-in because its hashing queue is full. */
const LANES = 8;
/** Each worker counts for itself if the first process does not answer within half a second. */
const COUNTERS = 3;
/** Per counter: an email at one address, one address, and an email in total. */
const AT_PLACE_MAX = 10;
const OF_PLACE_MAX = 50;
const OF_EMAIL_MAX = 100;
const COMMON = ['password1', 'qwertyuiop', 'letmein123', 'Summer2026!', 'iloveyou99'];

/** All cheap ways to guess a password. */
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
  assertRefused(counts, times, AT_PLACE_MAX, 'from one address');
  const elsewhere = await scene.visitor().enter(victim.email, PASSWORD);
  assert.equal(elsewhere.status, 200, `the right password elsewhere is answered ${elsewhere.status}`);
  return [['guesses from one address that were hashed', tell(counts, times)]];
}

async function tryManyAddresses(scene: Scene): Promise<Figure[]> {
  const times = sizeOf(scene.trial, 10_000, 330);
  const victim = await addPerson(scene);
  const addresses = Array.from({ length: Math.ceil(times / 5) }, () => scene.visitor().address);
  const counts = await guessMany(scene, times, LANES, (index) =>
    guess(addresses[index % addresses.length] ?? '', scene, victim, index),
  );
  assertRefused(counts, times, OF_EMAIL_MAX, 'on one account from many addresses');
  const home = await new Visitor(scene.url, victim.browser.address).enter(victim.email, PASSWORD);
  assert.equal(home.status, 200, `the right password from a signed-in address is answered ${home.status}`);
  const change = { currentPassword: PASSWORD, newPassword: PASSWORD };
  await victim.browser.ask('POST', '/admin/auth/change-password', change);
  const { status, headers } = await scene.visitor().enter(victim.email, PASSWORD);
  const waitSeconds = Number(headers.get('retry-after'));
  assert.ok(status === 200 || (waitSeconds > 0 && waitSeconds <= 3600), `elsewhere: ${status}, ${waitSeconds} s`);
  return [
    [`guesses from ${addresses.length} addresses that were hashed`, tell(counts, times)],
    ['then the right password, from a signed-in address', 'succeeds'],
    ['then the right password, from another address', status === 200 ? 'succeeds' : `waits for ${waitSeconds} s`],
  ];
}

/** `X-Forwarded-For` from an untrusted proxy is ignored; each guess claims another address. */
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
  assertRefused(counts, times, places * AT_PLACE_MAX, 'that lie about their address');
  return [[`guesses from ${places} loopback addresses that forge another each time`, tell(counts, times)]];
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
  assertRefused(counts, times, places * OF_PLACE_MAX, 'over many accounts');
  for (const { email } of known) {
    const { status } = await visitor().enter(email, PASSWORD);
    assert.equal(status, 200, `the right password of a sprayed user is answered ${status}`);
  }
  return [[`guesses over ${emails.length} accounts from ${places} addresses`, tell(counts, times)]];
}

async function guess(address: string, { url }: Scene, { email }: Person, index: number): Promise<number | string> {
  return outcomeOf(await new Visitor(url, address).enter(email, `${COMMON[index % COMMON.length]}${index}`));
}

function outcomeOf({ status, headers }: Told): number | string {
  if (headers.getSetCookie().length > 0) return `${status} with a cookie`;
  return status === 429 && headers.get('retry-after') === null ? '429 without Retry-After' : status;
}

function assertRefused(counts: Map<number | string, number>, times: number, counted: number, which: string): void {
  const lookedAtMax = counted * COUNTERS;
  assert.ok(times > lookedAtMax, `${times} guesses ${which} would not tell whether they are counted`);
  const lookedAt = counts.get(401) ?? 0;
  assert.ok(lookedAt <= lookedAtMax, `${lookedAt} of ${times} guesses ${which} were looked at, ${lookedAtMax} may be`);
  const others = [...counts].filter(([outcome]) => outcome !== 401 && outcome !== 429);
  assert.deepEqual(others, [], `guesses ${which} were answered otherwise`);
}

function tell(counts: Map<number | string, number>, times: number): string {
  return `${counts.get(401) ?? 0} of ${times}, 0 got in`;
}
