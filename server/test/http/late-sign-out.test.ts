import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { Authenticator } from '../../../testkit/src/authenticator.ts';
import { type Browser, createPerson, PASSWORD, signIn } from '../../../testkit/src/browser.ts';
import { fillBeyondBuffers, MINIMAL, readAll } from '../../../testkit/src/listings.ts';
import { linesOf, readError } from '../../../testkit/src/replies.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { until } from '../../../testkit/src/until.ts';
import { OPERATOR } from '../../src/domain/access/audit.ts';
import { createAdministrator } from '../../src/domain/accounts/administrators.ts';
import { endOtherSessions } from '../../src/domain/accounts/profile.ts';
import { words } from '../storage/support.ts';
import { isAnyHeld } from '../support/held.ts';
import { withholdBody } from '../support/withheld-body.ts';

const service = await startSharedService();

/** How a signed-in user loses access. */
const ENDS: [name: string, end: (userId: string) => string][] = [
  ['all sessions are deleted', (userId) => `delete from sessions where user_id = '${userId}'`],
  ['the session expires', (userId) => `update sessions set expires_at = '2020-01-01' where user_id = '${userId}'`],
  ['the user is removed from the account', (userId) => `delete from memberships where user_id = '${userId}'`],
];

async function enter() {
  const person = await createPerson(service);
  const keeper = await signIn(service, await createPerson(service, { accountId: person.accountId }));
  const browser = await signIn(service, person);
  const end = (statement: string) => service.database.write((session) => session.execute(words(statement), {}));
  const listings = async () => (await keeper.ask('GET', '/admin/listings')).data.length;
  return { person, browser, keeper, end, listings };
}

function headersOf(browser: Browser): Record<string, string> {
  return { Cookie: browser.cookie, Origin: service.url };
}

for (const [name, statementOf] of ENDS) {
  describe(`when ${name}`, () => {
    test('the next request gets 401 or 409', async () => {
      const { person, browser, end } = await enter();
      await browser.ask('GET', '/admin/listings');
      await end(statementOf(person.userId));
      const response = await browser.send('GET', '/admin/listings');
      assert.ok([401, 409].includes(response.status));
      await response.text();
    });

    test('a waiting request gets 401', async () => {
      const { person, browser, end } = await enter();
      const held = browser.send('GET', '/admin/events?wait=60');
      await until('the request waits', isAnyHeld);
      await end(statementOf(person.userId));
      // Another user's change wakes the long poll.
      const other = await signIn(service, await createPerson(service, { accountId: person.accountId }));
      await other.ask('POST', '/admin/listings', MINIMAL, 201);
      const response = await held;
      const { error } = Object(await response.json());
      assert.deepEqual([response.status, error.code, error.message], [401, 'unauthorized', 'Sign in first.']);
    });

    test('a change whose body is being sent gets 401 and is not made', async () => {
      const { person, browser, end, listings } = await enter();
      const send = await withholdBody(service, browser, '/admin/listings');
      await end(statementOf(person.userId));
      const { message } = await readError(await send(MINIMAL), 401, 'unauthorized');
      assert.match(message, /Sign in first/);
      assert.equal(await listings(), 0);
    });

    test('an import stops with 401; its saved rows stay and are in the audit log', async () => {
      const { person, browser, keeper, end, listings } = await enter();
      const headers = { ...headersOf(browser), 'Content-Type': 'application/x-ndjson' };
      const sending = request(`${service.url}/admin/imports`, { method: 'POST', headers });
      const replied: Promise<[IncomingMessage]> = once(sending, 'response').then(([reply]) => [reply]);
      const row = `${JSON.stringify(MINIMAL)}\n`;
      sending.write(row);
      await until('the first row is saved', async () => (await listings()) === 1);
      await end(statementOf(person.userId));
      sending.end(row);
      const [reply] = await replied;
      const { error } = JSON.parse(await text(reply));
      assert.deepEqual([reply.statusCode, error.code, error.created], [401, 'unauthorized', 1]);
      assert.equal(await listings(), 1);
      const { data } = await keeper.ask('GET', '/admin/activity');
      const imports = data.filter(({ action }: { action: string }) => action === 'import.finished');
      assert.deepEqual(linesOf(imports, 'target.name'), ['1 created, 0 updated, 0 unchanged, 0 failed']);
    });

    test('a list that is being sent is cut off', async () => {
      const { person, browser, end } = await enter();
      const { accountId } = person;
      const { id: keyId, key } = await browser.ask('POST', '/admin/api-keys', { name: 'Program' }, 201);
      await fillBeyondBuffers(service, { accountId, keyId, key });
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
      const headers = headersOf(browser);
      get(`${service.url}/admin/listings`, { headers, agent: false }, resolve).on('error', reject);
      const response = await promise;
      await end(statementOf(person.userId));
      const { isComplete } = await readAll(response);
      assert.equal(isComplete, false);
    });
  });
}

/** The actions in the account's audit log, newest first. */
async function actionsIn(browser: Browser): Promise<string[]> {
  return linesOf((await browser.ask('GET', '/admin/activity')).data, 'action');
}

describe("a change of the user's own data", () => {
  for (const [name, path, bodyOf] of [
    ['a new name', 'update-user', async () => ({ name: 'Mallory' })],
    [
      'the end of a session',
      'revoke-session',
      async (owner) => {
        const sessions = await owner.ask('GET', '/admin/auth/list-sessions');
        return { id: sessions.find(({ isCurrent }: { isCurrent: boolean }) => isCurrent).id };
      },
    ],
    [
      'the deletion of a passkey',
      'passkey/revoke',
      async (owner) => {
        const given = { name: 'MacBook', password: PASSWORD };
        const options = await owner.ask('POST', '/admin/auth/passkey/begin-registration', given);
        const response = new Authenticator(service.url).create(options);
        const { id } = await owner.ask('POST', '/admin/auth/passkey/register', { name: 'MacBook', response }, 201);
        return { id };
      },
    ],
  ] as [name: string, path: string, bodyOf: (owner: Browser) => Promise<object>][]) {
    test(`gets 401 and is not made if the session ended while the body was being sent: ${name}`, async () => {
      const { person, browser: thief } = await enter();
      const owner = await signIn(service, person);
      const body = await bodyOf(owner);
      const send = await withholdBody(service, thief, `/admin/auth/${path}`);
      await owner.ask('POST', '/admin/auth/revoke-other-sessions', {}, 204);
      const state = async () => [
        await owner.ask('GET', '/admin/session'),
        await owner.ask('GET', '/admin/auth/passkey/list'),
        await actionsIn(owner),
      ];
      const before = await state();
      await readError(await send(body), 401, 'unauthorized');
      assert.deepEqual(await state(), before);
    });
  }

  test('is not made by an ended session: the end of other sessions', async () => {
    const { person, browser } = await enter();
    const { userId, name, email } = person;
    const actor = { type: 'administrator', id: userId, name, email, address: null } as const;
    const ended = { sessionId: 'ses_ended', userId, actor };
    await assert.rejects(endOtherSessions(service.database, ended), { code: 'unauthorized' });
    await browser.ask('GET', '/admin/listings');
  });

  test('is recorded only in accounts that the user belongs to when it is made', async () => {
    const { person, browser, keeper, end } = await enter();
    const { browser: formerKeeper, person: former } = await enter();
    await createAdministrator(service.database, former.accountId, { email: person.email }, 'member', OPERATOR);
    const send = await withholdBody(service, browser, '/admin/auth/update-user');
    await end(`delete from memberships where user_id = '${person.userId}' and account_id = '${former.accountId}'`);
    assert.equal((await send({ name: 'Grace Hopper' })).status, 200);
    assert.equal((await actionsIn(keeper))[0], 'administrator.name_changed');
    assert.ok(!(await actionsIn(formerKeeper)).includes('administrator.name_changed'));
  });
});
