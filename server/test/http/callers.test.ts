import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createPerson, signIn } from '../../../testkit/src/browser.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { OPERATOR } from '../../src/domain/access/audit.ts';
import { createAccount } from '../../src/domain/accounts/accounts.ts';
import { createAdministrator } from '../../src/domain/accounts/administrators.ts';
import { removeMember } from '../../src/domain/accounts/memberships.ts';
import type { AnyOperation } from '../../src/http/contract/operation.ts';
import { ADMIN, V1 } from '../../src/http/map.ts';
import type { Access } from '../../src/model/api-keys.ts';

const service = await startSharedService();
const { database } = service;

const owner = await createPerson(service);
const { accountId } = owner;

async function keyWith(access: Access): Promise<Record<string, string>> {
  return { Authorization: `Bearer ${(await service.createKey(accountId, access)).key}`, Origin: service.url };
}

async function sessionOf(person: Parameters<typeof signIn>[1]): Promise<Record<string, string>> {
  return { Cookie: (await signIn(service, person)).cookie, Origin: service.url };
}

/** The session of a user who was removed from the account but belongs to another one. */
const former = await createPerson(service, { accountId, role: 'member' });
const formerSession = await sessionOf(former);
const other = await createAccount(database, 'Other Homes');
await createAdministrator(database, other.id, { email: former.email }, 'member', OPERATOR);
await removeMember(database, accountId, former.userId, 'operator');

const PRINCIPALS = {
  anonymous: { Origin: service.url },
  'a key': await keyWith('full'),
  'a read-only key': await keyWith('read'),
  'a member': await sessionOf(await createPerson(service, { accountId, role: 'member' })),
  'an administrator': await sessionOf(owner),
  'a former member': formerSession,
};
type Name = keyof typeof PRINCIPALS;

/** Error codes of denied requests. A read-only key is admitted; its changes are rejected later. */
const DENIED = new Set(['unauthorized', 'forbidden', 'account_changed']);

/** Sends an invalid body, so that nothing changes. */
async function send(name: Name, method: string, path: string, hasBody: boolean): Promise<Response> {
  const headers = { ...PRINCIPALS[name], ...(hasBody && { 'Content-Type': 'application/json' }) };
  return fetch(service.url + path, { method, headers, ...(hasBody && { body: '{' }) });
}

async function denialOf(name: Name, base: string, { method, path, body }: AnyOperation): Promise<string | undefined> {
  const target = base + path.replaceAll(/\{\w+\}/g, 'x');
  const text = await (await send(name, method.toUpperCase(), target, body !== undefined)).text();
  const code: unknown = text.startsWith('{"error"') ? JSON.parse(text).error.code : undefined;
  return typeof code === 'string' && DENIED.has(code) ? code : undefined;
}

/** Expected denials by the operation's `caller`, below each base. */
const EXPECTED: Record<string, Record<string, Partial<Record<Name, string>>>> = {
  '/v1': {
    account: {
      anonymous: 'unauthorized',
      'a member': 'unauthorized',
      'an administrator': 'unauthorized',
      'a former member': 'unauthorized',
    },
  },
  '/admin': {
    account: {
      anonymous: 'unauthorized',
      'a key': 'unauthorized',
      'a read-only key': 'unauthorized',
      'a former member': 'account_changed',
    },
    user: { anonymous: 'unauthorized', 'a key': 'unauthorized', 'a read-only key': 'unauthorized' },
    anyone: {},
  },
};
const V1_CALLERS = { ...EXPECTED['/v1'], full: EXPECTED['/v1']?.account, key: EXPECTED['/v1']?.account };
const OF_ACCOUNT = EXPECTED['/admin']?.account;
const OF_ADMINISTRATORS = { ...OF_ACCOUNT, 'a member': 'forbidden' };
const ADMIN_CALLERS = {
  ...EXPECTED['/admin'],
  full: OF_ADMINISTRATORS,
  member: OF_ACCOUNT,
  administrator: OF_ADMINISTRATORS,
};

for (const [{ base, operations }, callers] of [
  [V1, V1_CALLERS],
  [ADMIN, ADMIN_CALLERS],
] as const) {
  describe(`endpoints below ${base} admit only their documented callers`, () => {
    for (const operation of operations) {
      const { method, path, caller, operationId } = operation;
      test(`${method.toUpperCase()} ${path}: ${caller}`, async () => {
        const expected = Object.entries(callers).find(([name]) => name === caller)?.[1];
        assert.ok(expected, `this API has no caller "${caller}"`);
        for (const name of Object.keys(PRINCIPALS) as Name[]) {
          if (operationId === 'signOut' && name !== 'anonymous') continue;
          assert.equal(await denialOf(name, base, operation), expected[name], name);
        }
      });
    }
  });
}

test('without access, every path gets 401, never 404 or 405', async () => {
  const lettingIn: [base: string, name: Name][] = [
    ['/v1', 'a key'],
    ['/admin', 'a member'],
  ];
  for (const [base, name] of lettingIn) {
    for (const [method, path, status] of [
      ['GET', '/nothing', 404],
      ['GET', '/listings/', 404],
      ['GET', '/listings/%ff', 404],
      ['PUT', '/listings', 405],
      ['POST', '/openapi.json', 405],
    ] as const) {
      assert.equal((await send('anonymous', method, base + path, false)).status, 401, path);
      assert.equal((await send(name, method, base + path, false)).status, status, path);
    }
  }
});

test('an unknown path below /admin/auth gets 404 for everyone', async () => {
  for (const name of ['anonymous', 'a member'] as const)
    assert.equal((await send(name, 'POST', '/admin/auth/sign-up/email', false)).status, 404, name);
});
