import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { addPerson, type Figure, type Person, type Scene, sizeOf } from './scene.ts';
import type { Answer } from './visitor.ts';

/** In the full size one person's address is used no more often than the service looks at it. */
const PAIRS_OF_PERSON = 70;
const AREA_TOLERANCE = 0.12;
const RATIO_TOLERANCE = { full: 1.15, small: 1.8 };

/** Whether the time of a refusal tells if somebody has this address: a known and an unknown one by turns. */
export async function tryTimes(scene: Scene): Promise<Figure[]> {
  const { trial } = scene;
  const people = await Promise.all(Array.from({ length: sizeOf(trial, 5, 1) }, () => addPerson(scene)));
  const pairs = sizeOf(trial, people.length * PAIRS_OF_PERSON, 14);
  const [known, unknown]: number[][] = [[], []];
  // The first ones load what identity needs.
  for (let index = 0; index < 4; index += 1) await timeOf(scene, `warm${index}@example.com`);
  for (let index = 0; index < pairs; index += 1) {
    const { email = '' } = people[index % people.length] ?? {};
    const stranger = `${crypto.randomUUID()}@example.com`;
    const times = { [email]: 0, [stranger]: 0 };
    // Which comes first must not matter either.
    for (const each of index % 2 === 0 ? [email, stranger] : [stranger, email]) times[each] = await timeOf(scene, each);
    known?.push(times[email] ?? 0);
    unknown?.push(times[stranger] ?? 0);
  }
  const ratio = median(known ?? []) / median(unknown ?? []);
  const area = areaUnderCurve(known ?? [], unknown ?? []);
  const told = `${median(known ?? []).toFixed(1)} ms known, ${median(unknown ?? []).toFixed(1)} ms unknown (medians of ${pairs})`;
  const tolerance = RATIO_TOLERANCE[trial.size];
  assert.ok(ratio < tolerance && ratio > 1 / tolerance, `the time tells whether an address is known: ${told}`);
  if (trial.size === 'full') {
    assert.ok(Math.abs(area - 0.5) < AREA_TOLERANCE, `a rank test tells known from unknown: ${area}; ${told}`);
  }
  return [
    ['a wrong password takes', told],
    ['rank test (0.5: nothing to tell, 0 or 1: everything)', area.toFixed(3)],
  ];
}

async function timeOf({ visitor }: Scene, email: string): Promise<number> {
  const browser = visitor();
  const startedAt = performance.now();
  const { status } = await browser.enter(email, 'a wrong password');
  const tookMs = performance.now() - startedAt;
  assert.equal(status, 401, `a wrong password of ${email} is answered ${status}`);
  return tookMs;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.trunc(values.length / 2)] ?? Number.NaN;
}

/** How often one of the first is above one of the second (Mann and Whitney): 0.5 if nothing can be told. */
function areaUnderCurve(first: readonly number[], second: readonly number[]): number {
  const above = first.flatMap((a) => second.map((b) => (Math.sign(a - b) + 1) / 2));
  return above.reduce((sum, each) => sum + each, 0) / above.length;
}

/** Whether the words of a refusal tell if somebody has this address, or something is there. */
export async function tryTexts(scene: Scene): Promise<Figure[]> {
  const { ada, mallory } = scene;
  const person = await addPerson(scene);
  const removed = await addPerson(scene);
  await ada.browser.ask('DELETE', `/admin/members/${removed.id}`, undefined, 204);
  const emails = [person.email, removed.email, 'nobody@example.com', mallory.email];
  let compared = 0;
  const assertAlike = (what: string, answers: readonly Answer[]) => {
    const [first = '', ...others] = answers.map(comparable);
    for (const other of others) assert.equal(other, first, `${what} tells known from unknown`);
    compared += answers.length;
  };
  const ask = async (of: (email: string) => Promise<Answer>) => {
    const answers: Answer[] = [];
    for (const email of emails) answers.push(await of(email));
    return answers;
  };
  assertAlike('a wrong password', await ask((email) => scene.visitor().enter(email, 'a wrong password')));
  const attackers = new Map(emails.map((email) => [email, scene.visitor()]));
  for (let turn = 0; turn < 12; turn += 1) {
    assertAlike(
      'the eleventh wrong password',
      await ask(async (email) => attackers.get(email)?.enter(email, 'x') ?? fail()),
    );
  }
  for (const path of [
    'request-password-reset',
    'forget-password',
    'reset-password',
    'send-verification-email',
    'change-email',
  ]) {
    const url = `/admin/auth/${path}`;
    assertAlike(
      url,
      await ask((email) => scene.visitor().get('POST', url, { email, newEmail: email, redirectTo: '/' })),
    );
    assertAlike(url, await ask((email) => mallory.browser.get('POST', url, { email, newEmail: email })));
  }
  const rename = (email: string) => mallory.browser.get('POST', '/admin/auth/update-user', { name: 'Mallory', email });
  assertAlike('a change of the own profile', await ask(rename));
  assertAlike('an invitation', await askAboutInvitations(scene, [person, removed]));
  assertAlike('the choice of an account', await askAboutAccounts(scene));
  assertAlike('the removal of a member', await askAboutPeople(scene, person));
  return [['replies about known and unknown addresses, people and accounts that were the same', String(compared)]];
}

/** An administrator of another account invites: what they are told is the same whoever it is. */
async function askAboutInvitations({ mallory }: Scene, people: readonly Person[]): Promise<Answer[]> {
  const emails = [...people.map(({ email }) => email), `${crypto.randomUUID()}@example.com`];
  const invite = async (email: string) => {
    const answer = await mallory.browser.get('POST', '/admin/invitations', { email, role: 'member' });
    const { id, createdAt, expiresAt, url, ...same } = JSON.parse(answer.text);
    assert.ok(id && createdAt && expiresAt && url, answer.text);
    return { ...answer, headers: new Headers(), text: JSON.stringify(same).replaceAll(email, 'EMAIL') };
  };
  return Promise.all(emails.map(invite));
}

async function askAboutAccounts({ mallory, accountId }: Scene): Promise<Answer[]> {
  const choose = (id: string) => mallory.browser.get('PUT', '/admin/session/account', { accountId: id });
  return Promise.all([accountId, 'acc_00000000000000000000000000'].map(choose));
}

async function askAboutPeople({ mallory }: Scene, person: Person): Promise<Answer[]> {
  const remove = async (id: string) => {
    const answer = await mallory.browser.get('DELETE', `/admin/members/${id}`);
    return { ...answer, text: answer.text.replaceAll(id, 'ID') };
  };
  return Promise.all([person.id, `usr_${'0'.repeat(person.id.length - 4)}`].map(remove));
}

/** All of a reply but what is another one each time. */
function comparable({ status, headers, text }: Answer): string {
  const lines = [...headers].filter(([name]) => !['date', 'x-request-id', 'retry-after'].includes(name));
  return JSON.stringify([status, lines, text.replace(/"requestId":"[^"]*"/, '').replace(/in \d+ minutes/, '')]);
}

function fail(): never {
  throw new Error('nobody is there');
}
