import assert from 'node:assert/strict';
import { isOfPeople } from '../../../../testkit/src/openapi.ts';
import { callAs, nameOf, stateOf } from './operations.ts';
import { addPerson, type Figure, type Scene, someOf } from './scene.ts';

/** Operations for members. Everything else, including new operations, is for administrators. */
const FOR_MEMBERS = new Set([
  ...['retrieveOverview', 'retrieveAccount', 'listEvents', 'createImport', 'listListings', 'createListing'],
  ...['retrieveListing', 'updateListing', 'deleteListing', 'upsertListing'],
  ...['retrieveListingByExternalId', 'deleteListingByExternalId'],
]);
/** Would raise privileges if they were read. */
const HEADERS = { 'X-Role': 'administrator', 'X-Is-Admin': 'true', 'X-User-Id': 'usr_0', 'X-Forwarded-User': 'ada' };
const QUERIES = ['role=administrator', 'isAdmin=true', 'accountId=x', 'userId=x', '__proto__[role]=administrator'];

/** Members, and administrators of another account, call what they must not. */
export async function tryRoles(scene: Scene): Promise<Figure[]> {
  const member = await addPerson(scene);
  const { mallory } = scene;
  const operations = scene.operations.filter((operation) => !isOfPeople(operation));
  const restricted = operations.filter(({ operationId }) => !FOR_MEMBERS.has(operationId));
  assert.ok(restricted.length > 5, `only ${restricted.length} operations are for administrators`);
  const ids = scene.things;
  const before = await stateOf(scene);
  for (const operation of restricted) {
    for (const change of [
      {},
      { headers: HEADERS },
      ...someOf(scene.trial, QUERIES, QUERIES.length).map((query) => ({ query })),
    ]) {
      const { status } = await callAs(member.browser, operation, ids, change);
      scene.tally.forbidden += 1;
      assert.equal(status, 403, `${nameOf(operation)} by a member (${JSON.stringify(change)}) is answered ${status}`);
    }
  }
  assert.equal(await stateOf(scene), before, 'a member has changed what is for administrators');
  const shown = { 'X-Account-Id': scene.accountId };
  for (const operation of operations) {
    const elsewhere = await callAs(mallory.browser, operation, ids, { headers: shown });
    scene.tally.forbidden += 1;
    assert.equal(elsewhere.status, 409, `${nameOf(operation)} in another account is answered ${elsewhere.status}`);
  }
  for (const operation of operations.filter(({ path }) => path.includes('{') && !path.includes('{externalId}'))) {
    const { status } = await callAs(mallory.browser, operation, ids);
    assert.equal(status, 404, `${nameOf(operation)} of another account is answered ${status}`);
  }
  const given = { accountId: scene.accountId };
  await mallory.browser.ask('PUT', '/admin/session/account', given, 404);
  assert.equal(await stateOf(scene), before, 'an administrator of another account has changed something');
  return [
    ['operations for administrators, tried by a member', `${restricted.length}, 0 done`],
    ['operations tried by the administrator of another account', `${operations.length}, 0 done`],
  ];
}
