import assert from 'node:assert/strict';
import { isOfPeople } from '../../../../testkit/src/openapi.ts';
import {
  addPerson,
  callAs,
  type Figure,
  invite,
  nameOf,
  PASSWORD,
  type Person,
  type Scene,
  sizeOf,
  someOf,
  stateOf,
} from './scene.ts';

/** Operations for members. Everything else, including new operations, is for administrators. */
const FOR_MEMBERS = new Set(
  `retrieveOverview retrieveMap retrieveAccount listEvents createImport matchColumns
  listListings createListing retrieveListing updateListing deleteListing deleteListings upsertListing
  retrieveListingByExternalId updateListingByExternalId deleteListingByExternalId listHistory
  listFeeds retrieveFeed putFeed updateFeed deleteFeed listFeedRuns retrieveFeedRun listFeedRunErrors
  listSavedViews saveView deleteSavedView`.split(/\s+/),
);
/** Headers that would raise privileges if the service read them. */
const HEADERS = { 'X-Role': 'administrator', 'X-Is-Admin': 'true', 'X-User-Id': 'usr_0', 'X-Forwarded-User': 'ada' };
const QUERIES = ['role=administrator', 'isAdmin=true', 'accountId=x', 'userId=x', '__proto__[role]=administrator'];

/** Calls administrators' operations as a member, and all account operations as another account's administrator. */
export async function tryRoles(scene: Scene): Promise<Figure[]> {
  const member = await addPerson(scene);
  const { mallory } = scene;
  const operations = scene.operations.filter((operation) => !isOfPeople(operation));
  const restricted = operations.filter(({ operationId }) => !FOR_MEMBERS.has(operationId));
  assert.ok(restricted.length > 5, `only ${restricted.length} operations are for administrators`);
  const ids = scene.things;
  const before = await stateOf(scene);
  const queries = someOf(scene.trial, QUERIES, QUERIES.length).map((query) => ({ query }));
  for (const operation of restricted) {
    for (const change of [{}, { headers: HEADERS }, ...queries]) {
      const { status } = await callAs(member.browser, operation, ids, change);
      scene.tally.forbidden += 1;
      assert.equal(status, 403, `${nameOf(operation)} by a member (${JSON.stringify(change)}) returns ${status}`);
    }
  }
  assert.equal(await stateOf(scene), before, 'a member changed what only administrators can change');
  const shown = { 'X-Account-Id': scene.accountId };
  for (const operation of operations) {
    const elsewhere = await callAs(mallory.browser, operation, ids, { headers: shown });
    scene.tally.forbidden += 1;
    assert.equal(elsewhere.status, 409, `${nameOf(operation)} in another account returns ${elsewhere.status}`);
  }
  // Clients choose external ids and the names of feeds, so both accounts can have the same ones.
  const named = /\{(?!externalId|name)/;
  for (const operation of operations.filter(({ path }) => named.test(path))) {
    const { status } = await callAs(mallory.browser, operation, ids);
    assert.equal(status, 404, `${nameOf(operation)} of another account returns ${status}`);
  }
  const given = { accountId: scene.accountId };
  await mallory.browser.ask('PUT', '/admin/session/account', given, 404);
  assert.equal(await stateOf(scene), before, 'an administrator of another account changed something');
  return [
    ['operations for administrators, tried by a member', `${restricted.length}, 0 executed`],
    ['operations tried by the administrator of another account', `${operations.length}, 0 executed`],
  ];
}

export async function tryBodies(scene: Scene): Promise<Figure[]> {
  const member = await addPerson(scene);
  const operations = scene.operations.filter(({ requestBody }) => requestBody !== undefined);
  const before = await stateOf(scene);
  let sent = 0;
  for (const operation of operations) {
    for (const [type, media] of Object.entries(operation.requestBody?.content ?? {})) {
      if (!type.endsWith('json') || typeof media.example !== 'object' || Array.isArray(media.example)) continue;
      const example = JSON.stringify(media.example ?? {});
      const others = MORE.filter(({ name }) => !Object.hasOwn(Object(media.example), name));
      for (const more of someOf(scene.trial, others, 6)) {
        const body = example === '{}' ? `{${more.text}}` : `${example.slice(0, -1)},${more.text}}`;
        for (const { browser } of [member, scene.ada]) {
          const what = `${nameOf(operation)} with ${more.text}`;
          const answer = await callAs(browser, operation, scene.things, { body, headers: { 'Content-Type': type } });
          assert.ok(answer.status >= 400 && answer.status < 500, `${what} returns ${answer.status}`);
          sent += 1;
        }
      }
    }
  }
  assert.equal(await stateOf(scene), before, 'an extra member in a body changed something');
  await tryAcceptance(scene);
  const { status } = await member.browser.get('GET', '/admin/members');
  assert.equal(status, 403, `after these requests, a member who lists the members gets ${status}`);
  scene.tally.forbidden += sent;
  return [['bodies with extra members: roles, ids, prototypes', `${sent}, 0 accepted`]];
}

const MORE = [
  ['role', '"administrator"'],
  ['isAdmin', 'true'],
  ['accountId', '"acc_0"'],
  ['account_id', '"acc_0"'],
  ['userId', '"usr_0"'],
  ['emailVerified', 'true'],
  ['banned', 'false'],
  ['twoFactorEnabled', 'false'],
  ['trustDevice', 'true'],
  ['callbackURL', '"https://evil.example"'],
  ['__proto__', '{"role":"administrator","isAdmin":true}'],
  ['constructor', '{"prototype":{"role":"administrator"}}'],
].map(([name = '', value]) => ({ name, text: `"${name}":${value}` }));

async function tryAcceptance(scene: Scene): Promise<void> {
  const token = await invite(scene.ada, 'climber@example.com');
  const given = { token, name: 'Climber', password: PASSWORD };
  const climber = scene.visitor();
  const tried = await climber.get('POST', '/admin/invitations/accept', { ...given, role: 'administrator' });
  if (tried.status !== 200) await climber.ask('POST', '/admin/invitations/accept', given);
  const { account } = await climber.ask('GET', '/admin/session');
  assert.equal(account.role, 'member', `an invited member who claims another role becomes ${account.role}`);
}

const ADMINISTRATORS = "select user_id from memberships where account_id = ? and role = 'administrator'";

/** Two administrators demote, and two others remove, each other at once. One of each pair must remain. */
export async function tryLastAdministrator(scene: Scene): Promise<Figure[]> {
  const { ada, accountId, database, trial } = scene;
  const other = await addPerson(scene, 'administrator');
  const pair = [ada, other];
  const demote = async ({ browser }: Person, index: number) =>
    (await browser.get('PATCH', `/admin/members/${pair[1 - index]?.id}`, { role: 'member' })).status;
  const rounds = sizeOf(trial, 20, 2);
  for (let round = 0; round < rounds; round += 1) {
    const statuses = await Promise.all(pair.map(demote));
    const left = await database.sql(ADMINISTRATORS, accountId);
    assert.equal(left.length, 1, `two administrators demoted each other at once (${statuses}): ${left.length} remain`);
    const stayed = pair.find(({ id }) => id === left[0]?.user_id);
    const demoted = pair.find(({ id }) => id !== left[0]?.user_id);
    await stayed?.browser.ask('PATCH', `/admin/members/${stayed.id}`, { role: 'member' }, 409);
    await stayed?.browser.ask('DELETE', `/admin/members/${stayed.id}`, undefined, 409);
    await stayed?.browser.ask('PATCH', `/admin/members/${demoted?.id}`, { role: 'administrator' });
  }
  const left = await tryRemoval(scene);
  return [
    ['rounds in which two administrators demoted each other at once', `${rounds}, one remained each time`],
    ['administrators who removed each other at once', `2, ${left} remained`],
  ];
}

/** Uses the other account, because the administrator who is removed here does not get access again. */
async function tryRemoval({ mallory, visitor, database }: Scene): Promise<number> {
  const { account } = await mallory.browser.ask('GET', '/admin/session');
  const token = await invite(mallory, 'partner@example.com', 'administrator');
  const browser = visitor();
  const given = { token, name: 'Partner', password: PASSWORD };
  const { user } = await browser.ask('POST', '/admin/invitations/accept', given);
  const statuses = await Promise.all([
    mallory.browser.get('DELETE', `/admin/members/${user.id}`),
    browser.get('DELETE', `/admin/members/${mallory.id}`),
  ]);
  const left = await database.sql(ADMINISTRATORS, account.id);
  const told = statuses.map(({ status }) => status).join(', ');
  assert.equal(left.length, 1, `of two administrators who removed each other at once (${told}), ${left.length} remain`);
  return left.length;
}
