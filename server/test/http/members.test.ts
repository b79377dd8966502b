import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Browser, createPerson, PASSWORD, type Person, signIn } from '../../../testkit/src/browser.ts';
import { linesOf, readError } from '../../../testkit/src/replies.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { createAccount, deleteAccount } from '../../src/domain/accounts/accounts.ts';
import { insertMembership } from '../../src/storage/memberships.ts';

const service = await startSharedService();

/** An administrator and a member of one account, both signed in. */
async function createTeam() {
  const ada = await createPerson(service);
  const grace = await createPerson(service, { accountId: ada.accountId, role: 'member', name: 'Grace Hopper' });
  return { ada, grace, adas: await signIn(service, ada), graces: await signIn(service, grace) };
}

async function addTo(accountId: string, { userId }: Person): Promise<void> {
  const membership = { accountId, userId, role: 'member', createdAt: Date.now() } as const;
  await service.database.write((session) => insertMembership(session, membership));
}

/** The audit log about members, newest first. */
async function teamLog(browser: Browser): Promise<unknown[]> {
  const { data } = await browser.ask('GET', '/admin/activity');
  return data
    .filter(({ action }: { action: string }) => action.startsWith('member.'))
    .map(({ action, actor, target }: Record<string, { name: string }>) => [action, actor?.name, target?.name]);
}

/** The ids of those people who are still users. */
async function storedAmong(...people: Person[]): Promise<string[]> {
  const ids = people.map(({ userId }) => `'${userId}'`);
  return linesOf(await service.sql(`select id from users where id in (${ids}) order by id`), 'id');
}

describe('a role change', () => {
  test('applies to the next request and is in the audit log', async () => {
    const { adas, graces, grace } = await createTeam();
    await graces.ask('GET', '/admin/api-keys', undefined, 403);
    const changed = await adas.ask('PATCH', `/admin/members/${grace.userId}`, { role: 'administrator' });
    assert.deepEqual([changed.id, changed.role, changed.isYou], [grace.userId, 'administrator', false]);
    await graces.ask('GET', '/admin/api-keys');
    await adas.ask('PATCH', `/admin/members/${grace.userId}`, { role: 'member' });
    await graces.ask('GET', '/admin/api-keys', undefined, 403);
    assert.deepEqual((await teamLog(adas)).slice(0, 2), [
      ['member.role_changed', 'Ada Lovelace', `Grace Hopper <${grace.email}>: member`],
      ['member.role_changed', 'Ada Lovelace', `Grace Hopper <${grace.email}>: administrator`],
    ]);
  });

  test('to the same role changes nothing and is not in the audit log', async () => {
    const { adas, ada } = await createTeam();
    const before = await teamLog(adas);
    await adas.ask('PATCH', `/admin/members/${ada.userId}`, { role: 'administrator' });
    assert.deepEqual(await teamLog(adas), before);
  });
});

describe('a removed user', () => {
  test('without another account is signed out and cannot sign in', async () => {
    const { adas, graces, grace } = await createTeam();
    await adas.ask('DELETE', `/admin/members/${grace.userId}`, undefined, 204);
    assert.equal(await graces.ask('GET', '/admin/session'), null);
    await graces.ask('GET', '/admin/listings', undefined, 401);
    const given = { email: grace.email, password: PASSWORD };
    await new Browser(service).ask('POST', '/admin/auth/sign-in/email', given, 401);
    assert.equal((await adas.ask('GET', '/admin/members')).data.length, 1);
    assert.deepEqual((await teamLog(adas))[0], ['member.removed', 'Ada Lovelace', `Grace Hopper <${grace.email}>`]);
  });

  test('with another account can choose that one', async () => {
    const { adas, graces, grace } = await createTeam();
    const { id } = await createAccount(service.database, 'Second');
    await addTo(id, grace);
    await adas.ask('DELETE', `/admin/members/${grace.userId}`, undefined, 204);
    const { account, accounts } = await graces.ask('GET', '/admin/session');
    assert.deepEqual([account, accounts.length], [null, 1]);
    assert.equal((await graces.ask('PUT', '/admin/session/account', { accountId: id })).account.id, id);
  });

  test('is the only user who is deleted', async () => {
    const { adas, grace } = await createTeam();
    const other = await createPerson(service);
    await service.sql('delete from memberships where user_id = ?', other.userId);
    await adas.ask('DELETE', `/admin/members/${grace.userId}`, undefined, 204);
    assert.deepEqual(await storedAmong(grace, other), [other.userId]);
  });

  test('gets 401 for their waiting request', async () => {
    const { adas, graces, grace } = await createTeam();
    const held = graces.send('GET', '/admin/events?wait=30');
    await adas.ask('DELETE', `/admin/members/${grace.userId}`, undefined, 204);
    await adas.ask('POST', '/admin/listings', { address: '12 Elm Street', beds: 3, baths: 2 }, 201);
    await readError(await held, 401, 'unauthorized');
  });
});

test("a deleted account's users are deleted, except those of another account", async () => {
  const { ada, grace } = await createTeam();
  const [second, other] = [await createPerson(service), await createPerson(service)];
  await addTo(second.accountId, grace);
  await service.sql('delete from memberships where user_id = ?', other.userId);
  await deleteAccount(service.database, ada.accountId);
  assert.deepEqual(
    await storedAmong(ada, grace, second, other),
    [grace, second, other].map(({ userId }) => userId),
  );
});

describe('the last administrator', () => {
  test('cannot be removed or made a member, even by themselves', async () => {
    const { ada, adas } = await createTeam();
    for (const [method, body] of [
      ['PATCH', { role: 'member' }],
      ['DELETE', undefined],
    ] as const) {
      const response = await adas.send(method, `/admin/members/${ada.userId}`, body);
      const { message } = await readError(response, 409, 'conflict');
      assert.match(message, /make someone else an administrator first/);
    }
    assert.equal((await adas.ask('GET', '/admin/session')).account.role, 'administrator');
  });

  test('remains when two demote each other at once', async () => {
    const { ada, adas, grace, graces } = await createTeam();
    await adas.ask('PATCH', `/admin/members/${grace.userId}`, { role: 'administrator' });
    const responses = await Promise.all([
      adas.send('PATCH', `/admin/members/${grace.userId}`, { role: 'member' }),
      graces.send('PATCH', `/admin/members/${ada.userId}`, { role: 'member' }),
    ]);
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 403]);
  });
});

describe('the members of an account', () => {
  test('requests cannot name another account in the body', async () => {
    const { adas, grace } = await createTeam();
    const other = await createPerson(service);
    const given = { role: 'administrator', accountId: other.accountId };
    await adas.ask('PATCH', `/admin/members/${grace.userId}`, given, 422);
  });
});
