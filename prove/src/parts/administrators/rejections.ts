import assert from 'node:assert/strict';
import { median } from '../../../../bench/src/statistics.ts';
import type { Told } from '../../../../testkit/src/openapi.ts';
import { addPerson, type Figure, type Person, type Scene, sizeOf } from './scene.ts';

const GUESSES_MAX = 60;
/** Paths at which other services offer a password or email reset. */
const RESETS = [
  '/admin/auth/request-password-reset',
  '/admin/auth/forget-password',
  '/admin/auth/reset-password',
  '/admin/auth/send-verification-email',
  '/admin/auth/change-email',
];

/** Checks that the status, headers, and body of a rejection do not reveal whether an email or object exists. */
export async function tryTexts(scene: Scene): Promise<Figure[]> {
  const { ada, mallory } = scene;
  const person = await addPerson(scene);
  const removed = await addPerson(scene);
  await ada.browser.ask('DELETE', `/admin/members/${removed.id}`, undefined, 204);
  const emails = [person.email, removed.email, 'nobody@example.com', mallory.email];
  let compared = 0;
  const assertAlike = (what: string, answers: readonly Told[]) => {
    const [first = '', ...others] = answers.map(comparable);
    for (const other of others) assert.equal(other, first, `the response to ${what} reveals what exists`);
    compared += answers.length;
  };
  const ask = async (of: (email: string) => Promise<Told>) => {
    const answers: Told[] = [];
    for (const email of emails) answers.push(await of(email));
    return answers;
  };
  assertAlike('a wrong password', await ask((email) => scene.visitor().enter(email, 'a wrong password')));
  assertAlike('a wrong password above the limit', await ask((email) => guessUntilRefused(scene, email)));
  for (const path of RESETS) {
    const body = (email: string) => ({ email, newEmail: email, redirectTo: '/' });
    assertAlike(path, await ask((email) => scene.visitor().get('POST', path, body(email))));
    assertAlike(path, await ask((email) => mallory.browser.get('POST', path, body(email))));
  }
  const rename = (email: string) => mallory.browser.get('POST', '/admin/auth/update-user', { name: 'Mallory', email });
  assertAlike('a profile update', await ask(rename));
  assertAlike('an invitation', await askAboutInvitations(scene, [person, removed]));
  const choose = (accountId: string) => mallory.browser.get('PUT', '/admin/session/account', { accountId });
  const accountIds = [scene.accountId, 'acc_00000000000000000000000000'];
  assertAlike('a switch to an account', await Promise.all(accountIds.map(choose)));
  assertAlike('the removal of a member', await askAboutPeople(scene, person));
  return [['equal responses about known and unknown emails, users, and accounts', String(compared)]];
}

async function guessUntilRefused({ visitor }: Scene, email: string): Promise<Told> {
  const browser = visitor();
  let answer = await browser.enter(email, 'a guess');
  for (let guesses = 1; answer.status === 401 && guesses < GUESSES_MAX; guesses += 1) {
    answer = await browser.enter(email, 'a guess');
  }
  return answer;
}

/** Invites known and unknown emails as the administrator of another account. The responses must be equal. */
async function askAboutInvitations({ mallory }: Scene, people: readonly Person[]): Promise<Told[]> {
  const emails = [...people.map(({ email }) => email), `${crypto.randomUUID()}@example.com`];
  const invite = async (email: string) => {
    const answer = await mallory.browser.get('POST', '/admin/invitations', { email, role: 'member' });
    const { id, createdAt, expiresAt, url, ...same } = JSON.parse(answer.text);
    assert.ok(id && createdAt && expiresAt && url, answer.text);
    return { ...answer, headers: new Headers(), text: JSON.stringify(same).replaceAll(email, 'EMAIL') };
  };
  return Promise.all(emails.map(invite));
}

async function askAboutPeople({ mallory }: Scene, person: Person): Promise<Told[]> {
  const remove = async (id: string) => {
    const answer = await mallory.browser.get('DELETE', `/admin/members/${id}`);
    return { ...answer, text: answer.text.replaceAll(id, 'ID') };
  };
  return Promise.all([person.id, `usr_${'0'.repeat(person.id.length - 4)}`].map(remove));
}

/** Formats a response without the values that differ each time. */
function comparable({ status, headers, text }: Told): string {
  const lines = [...headers].filter(([name]) => !['date', 'x-request-id', 'retry-after'].includes(name));
  return JSON.stringify([status, lines, text.replace(/"requestId":"[^"]*"/, '').replace(/in \d+ minutes/, '')]);
}

/** The number of pairs of attempts per user. It is below the limit of attempts for one email. */
const PAIRS_OF_PERSON = 70;
const PAIRS_SMALL = 48;
const PEOPLE = 5;
const WARM_UP = 4;
/** The known email should be slower in half of the pairs, ± this share (exceeded by chance in 1 of 100,000 runs). */
const TOLERANCE = 0.12;
/** The maximum ratio of response times. In the small form, hashes are cheap, so noise has a larger effect. */
const RATIO_MAX = { full: 1.2, small: 1.45 };

/** Known and unknown emails alternate, so that other load affects the times of both equally. */
export async function tryTimes(scene: Scene): Promise<Figure[]> {
  const { size } = scene.trial;
  const people = await Promise.all(Array.from({ length: sizeOf(scene.trial, PEOPLE, 1) }, () => addPerson(scene)));
  await measure(scene, [await addPerson(scene)], WARM_UP);
  const pairs = await measure(scene, people, size === 'full' ? people.length * PAIRS_OF_PERSON : PAIRS_SMALL);
  const known = pairs.map(({ knownMs }) => knownMs);
  const unknown = pairs.map(({ unknownMs }) => unknownMs);
  const told = `${median(known).toFixed(1)} ms known, ${median(unknown).toFixed(1)} ms unknown`;
  const slower = pairs.filter(({ knownMs, unknownMs }) => knownMs > unknownMs).length;
  // A slow moment affects both requests of a pair alike, but the medians of all known and unknown emails differently.
  const ratio = median(pairs.map(({ knownMs, unknownMs }) => knownMs / unknownMs));
  const isOften = size === 'full' && Math.abs(slower / pairs.length - 0.5) > TOLERANCE;
  const share = `in ${slower} of ${pairs.length} pairs the known email was slower`;
  const isAlike = !isOften && Math.max(ratio, 1 / ratio) <= RATIO_MAX[size];
  assert.ok(isAlike, `the response time reveals known emails: ${told}; ${share}`);
  return [
    ['time to reject a wrong password', `${told} (medians of ${pairs.length} alternating pairs)`],
    ['pairs in which the known email was slower (no leak: about half)', `${slower} of ${pairs.length}`],
  ];
}

async function measure(scene: Scene, people: readonly Person[], count: number) {
  const pairs: { knownMs: number; unknownMs: number }[] = [];
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
  assert.equal(status, 401, `a wrong password of ${email} gets ${status}`);
  return tookMs;
}
