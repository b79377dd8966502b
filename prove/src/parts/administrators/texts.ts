import assert from 'node:assert/strict';
import type { Told } from '../../../../testkit/src/openapi.ts';
import { addPerson, type Figure, type Person, type Scene } from './scene.ts';

const GUESSES_MAX = 60;
/** Where other services would offer a password or email reset. */
const RESETS = [
  '/admin/auth/request-password-reset',
  '/admin/auth/forget-password',
  '/admin/auth/reset-password',
  '/admin/auth/send-verification-email',
  '/admin/auth/change-email',
];

/** Whether the text of a rejection reveals an existing email or object. */
export async function tryTexts(scene: Scene): Promise<Figure[]> {
  const { ada, mallory } = scene;
  const person = await addPerson(scene);
  const removed = await addPerson(scene);
  await ada.browser.ask('DELETE', `/admin/members/${removed.id}`, undefined, 204);
  const emails = [person.email, removed.email, 'nobody@example.com', mallory.email];
  let compared = 0;
  const assertAlike = (what: string, answers: readonly Told[]) => {
    const [first = '', ...others] = answers.map(comparable);
    for (const other of others) assert.equal(other, first, `${what} tells known from unknown`);
    compared += answers.length;
  };
  const ask = async (of: (email: string) => Promise<Told>) => {
    const answers: Told[] = [];
    for (const email of emails) answers.push(await of(email));
    return answers;
  };
  assertAlike('a wrong password', await ask((email) => scene.visitor().enter(email, 'a wrong password')));
  assertAlike('a password too many', await ask((email) => guessUntilRefused(scene, email)));
  for (const path of RESETS) {
    const body = (email: string) => ({ email, newEmail: email, redirectTo: '/' });
    assertAlike(path, await ask((email) => scene.visitor().get('POST', path, body(email))));
    assertAlike(path, await ask((email) => mallory.browser.get('POST', path, body(email))));
  }
  const rename = (email: string) => mallory.browser.get('POST', '/admin/auth/update-user', { name: 'Mallory', email });
  assertAlike('a change of the own profile', await ask(rename));
  assertAlike('an invitation', await askAboutInvitations(scene, [person, removed]));
  assertAlike('the choice of an account', await askAboutAccounts(scene));
  assertAlike('the removal of a member', await askAboutPeople(scene, person));
  return [['equal responses about known and unknown emails, people, and accounts', String(compared)]];
}

async function guessUntilRefused({ visitor }: Scene, email: string): Promise<Told> {
  const browser = visitor();
  let answer = await browser.enter(email, 'a guess');
  for (let guesses = 1; answer.status === 401 && guesses < GUESSES_MAX; guesses += 1) {
    answer = await browser.enter(email, 'a guess');
  }
  return answer;
}

/** An administrator of another account gets the same response for known and unknown emails. */
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

async function askAboutAccounts({ mallory, accountId }: Scene): Promise<Told[]> {
  const choose = (id: string) => mallory.browser.get('PUT', '/admin/session/account', { accountId: id });
  return Promise.all([accountId, 'acc_00000000000000000000000000'].map(choose));
}

async function askAboutPeople({ mallory }: Scene, person: Person): Promise<Told[]> {
  const remove = async (id: string) => {
    const answer = await mallory.browser.get('DELETE', `/admin/members/${id}`);
    return { ...answer, text: answer.text.replaceAll(id, 'ID') };
  };
  return Promise.all([person.id, `usr_${'0'.repeat(person.id.length - 4)}`].map(remove));
}

/** A reply without what differs each time. */
function comparable({ status, headers, text }: Told): string {
  const lines = [...headers].filter(([name]) => !['date', 'x-request-id', 'retry-after'].includes(name));
  return JSON.stringify([status, lines, text.replace(/"requestId":"[^"]*"/, '').replace(/in \d+ minutes/, '')]);
}
