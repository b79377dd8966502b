import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Told } from '../../../../testkit/src/openapi.ts';
import { atOnce } from '../../at-once.ts';
import {
  AT_ONCE,
  addPerson,
  describe,
  type Figure,
  guessLinks,
  invite,
  PASSWORD,
  type Person,
  type Scene,
  type Visitor,
} from './scene.ts';

type Start = Pick<Scene, 'trial' | 'database' | 'tally' | 'visitor'>;

/** Guesses setup links, and uses the real one after its expiry, many times at once, and again after that. */
export async function trySetupLink(start: Start): Promise<{ ada: Person; accountId: string; figures: Figure[] }> {
  const { trial, database, visitor } = start;
  const person = { name: 'Ada Lovelace', email: 'ada@example.com', password: PASSWORD, accountName: 'Hill Country' };
  const guesses = await guessLinks(start, ['/admin/setup', '/admin/setup/preview'], person, 403);

  const token = (await readFile(join(trial.directory, 'setup-link.txt'), 'utf8')).trim().split('#token=')[1];
  const given = { token, ...person };
  const [link] = await database.sql('select expires_at from setup_links');
  await database.sql('update setup_links set expires_at = ?', Date.now() - 1);
  await visitor().ask('POST', '/admin/setup', given, 403);
  await database.sql('update setup_links set expires_at = ?', Number(link?.expires_at));

  const browsers = Array.from({ length: AT_ONCE }, visitor);
  const setUp = (browser: Visitor, index: number) =>
    browser.get('POST', '/admin/setup', { ...given, email: `ada${index}@example.com` });
  const statuses = (await Promise.all(browsers.map(setUp))).map(({ status }) => status);
  const [winner = -1, ...others] = statuses.flatMap((status, index) => (status === 201 ? [index] : []));
  assert.deepEqual(others, [], `of ${AT_ONCE} concurrent uses of the setup link, ${others.length + 1} succeeded`);
  assert.ok(winner >= 0, `none of ${AT_ONCE} concurrent uses of the setup link succeeded: ${statuses}`);
  const users = await database.sql('select id from users');
  assert.equal(users.length, 1, `there are ${users.length} first administrators`);
  await visitor().ask('POST', '/admin/setup', given, 409);
  const browser = browsers[winner] ?? visitor();
  const { user, account } = await browser.ask('GET', '/admin/session');
  const figures: Figure[] = [
    ['guessed setup links that were accepted', `0 of ${guesses}`],
    [`of ${AT_ONCE} concurrent uses of the setup link`, `1 succeeded (${describe(statuses)})`],
  ];
  return { ada: { id: user.id, email: user.email, browser }, accountId: account.id, figures };
}

const WEEK_AGO = Date.now() - 7 * 24 * 60 * 60 * 1000;

export async function tryInvitations(scene: Scene): Promise<Figure[]> {
  const paths: [string, string] = ['/admin/invitations/accept', '/admin/invitations/preview'];
  const guesses = await guessLinks(scene, paths, { name: 'Mallory', password: PASSWORD }, 404);
  const newcomers = await tryAtOnce(scene);
  await tryOver(scene);
  const guests = await tryForOther(scene);
  const joined = `1 new user joined (${newcomers}), 1 signed-in user joined (${guests})`;
  return [
    ['guessed invitations that were accepted', `0 of ${guesses}`],
    [`of ${AT_ONCE} concurrent uses of one invitation`, joined],
    ['used, expired, or revoked invitations, and those by or to removed users or for others', '0 accepted'],
  ];
}

async function tryAtOnce(scene: Scene): Promise<string> {
  const token = await invite(scene.ada, 'at-once@example.com');
  const told = await acceptAtOnce((index) => {
    const given = { token, name: `Grace ${index}`, password: PASSWORD };
    return scene.visitor().get('POST', '/admin/invitations/accept', given);
  });
  await assertOver(scene, token, 'that was used');
  return told;
}

/** Accepts an invitation many times at once. Exactly one try must succeed. @returns how often each status occurred */
async function acceptAtOnce(accept: (index: number) => Promise<Told>): Promise<string> {
  const statuses = (await atOnce(AT_ONCE, accept)).map(({ status }) => status);
  const { length } = statuses.filter((status) => status === 200);
  assert.equal(length, 1, `of ${AT_ONCE} concurrent uses of one invitation did not succeed exactly once: ${statuses}`);
  return describe(statuses);
}

async function tryOver(scene: Scene): Promise<void> {
  const { ada, database } = scene;
  const expired = await invite(ada, 'late@example.com');
  await database.sql('update invitations set expires_at = ? where email = ?', WEEK_AGO, 'late@example.com');
  await assertOver(scene, expired, 'that has expired');

  const replaced = await invite(ada, 'twice@example.com');
  const revoked = await invite(ada, 'twice@example.com');
  await assertOver(scene, replaced, 'that was replaced');
  const { data } = await ada.browser.ask('GET', '/admin/invitations');
  const { id } = data.find(({ email }: Record<string, string>) => email === 'twice@example.com');
  await ada.browser.ask('DELETE', `/admin/invitations/${id}`, undefined, 204);
  await assertOver(scene, revoked, 'that was revoked');

  const helper = await addPerson(scene, 'administrator');
  const ofRemoved = await invite(helper, 'friend@example.com', 'administrator');
  const toRemoved = await invite(ada, 'gone@example.com');
  const gone = scene.visitor();
  await gone.ask('POST', '/admin/invitations/accept', { token: toRemoved, name: 'Gone', password: PASSWORD });
  const { user } = await gone.ask('GET', '/admin/session');
  for (const memberId of [helper.id, user.id]) {
    await ada.browser.ask('DELETE', `/admin/members/${memberId}`, undefined, 204);
  }
  await assertOver(scene, ofRemoved, 'from an administrator who was removed');
  await assertOver(scene, toRemoved, 'to a user who was removed');
  assert.equal(await gone.whoIsHere(), undefined, 'a removed user is signed in');
}

/** Tries invitations for existing users, as the invited user and as others. */
async function tryForOther(scene: Scene): Promise<string> {
  const { mallory, visitor } = scene;
  const other = await addPerson(scene);
  const token = await invite(mallory, other.email);
  for (const browser of [mallory.browser, scene.ada.browser]) {
    await browser.ask('POST', '/admin/invitations/accept', { token }, 409);
  }
  const given = { token, name: 'Not Grace', password: 'another password' };
  await visitor().ask('POST', '/admin/invitations/accept', given, 401);
  const told = await acceptAtOnce(() => other.browser.get('POST', '/admin/invitations/accept', { token }));
  const rows = await scene.database.sql('select account_id from memberships where user_id = ?', other.id);
  assert.equal(rows.length, 2, 'a user who accepted two invitations does not have two memberships');
  await assertOver(scene, token, 'that was used');
  return told;
}

/** @throws AssertionError unless requests with the invitation's token get 404 and no cookie */
async function assertOver({ visitor }: Scene, token: string, which: string): Promise<void> {
  const given = { token, name: 'Mallory', password: PASSWORD };
  for (const [path, body] of [
    ['/admin/invitations/preview', { token }],
    ['/admin/invitations/accept', given],
  ] as const) {
    const browser = visitor();
    const { status, text } = await browser.get('POST', path, body);
    assert.equal(status, 404, `an invitation ${which} gets ${status} ${text}`);
    assert.equal(browser.cookies.size, 0, `an invitation ${which} sets a cookie`);
  }
}
