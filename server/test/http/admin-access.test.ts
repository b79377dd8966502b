import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Browser } from '../../../testkit/src/browser.ts';
import { createPerson, signIn } from '../../../testkit/src/browser.ts';
import {
  addInvitation,
  addKey,
  addMember,
  type Caller,
  call,
  createWorld,
  SESSION_GATE,
  type World,
} from '../../../testkit/src/calls.ts';
import { MINIMAL } from '../../../testkit/src/listings.ts';
import { type DocumentedOperation, isOfPeople, OpenApiDocument } from '../../../testkit/src/openapi.ts';
import { startTestService } from '../../../testkit/src/service.ts';
import { issueApiKey } from '../../src/domain/api-keys.ts';
import { V1 } from '../../src/http/map.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());

const document = new OpenApiDocument(await (await fetch(`${service.url}/admin/openapi.json`)).text());
const operations = document.operations.filter((operation) => !isOfPeople(operation));

/** What only administrators may do; everything else members may, too. */
const FOR_ADMINISTRATORS = new Set([
  'listApiKeys',
  'createApiKey',
  'deleteApiKey',
  'updateAccount',
  'listActivity',
  'listMembers',
  'updateMember',
  'deleteMember',
  'listInvitations',
  'createInvitation',
  'deleteInvitation',
]);
const KEY_REFUSED = '{"error":{"code":"unauthorized","message":"Invalid or missing API key"}}';

const LISTING = { ...MINIMAL, externalId: 'MLS-20931' };
const world = await createWorld(service, SESSION_GATE, LISTING);
await addKey(world);
await addMember(world);
await addInvitation(world);
const { accountId } = world;
const member = await signIn(service, await createPerson(service, { accountId, role: 'member' }));
const { secret: key } = await issueApiKey(service.database, {
  accountId,
  name: 'Program',
  access: 'full',
  expiresAt: null,
  createdBy: null,
});

/** All that the account has, but for who has looked at it. */
async function stateOf({ caller, gate }: World): Promise<string> {
  const paths = ['/listings', '/events', '/api-keys', '/account', '/members', '/invitations'];
  const texts = paths.map(async (path) => (await caller.fetch(gate.base + path)).text());
  return (await Promise.all(texts)).join('\n');
}

/** Sends what a browser would with these headers, and none of its own. */
function withHeaders(headers: Record<string, string>): Caller {
  return {
    fetch: (path, init = {}) =>
      fetch(`${service.url}${path}`, {
        ...init,
        headers: { ...Object.fromEntries(new Headers(init.headers)), ...headers },
      }),
  };
}

function cookieOf({ cookies }: Browser): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
}

const cookie = cookieOf(await signIn(service, await createPerson(service, { accountId })));
const forged = cookie.replace(/=./, (start) => (start === '=A' ? '=B' : '=A'));
const sameOrigin = { Origin: service.url };

const before = await stateOf(world);

/** Who is not let in, whatever they ask for. */
const OUTSIDERS: [name: string, headers: Record<string, string>][] = [
  ['nobody', {}],
  ['an API key of the account', { Authorization: `Bearer ${key}` }],
  ['an API key where the session should be', { Cookie: `${cookie.split('=', 1)}=${key}` }],
  ['a cookie with another signature', { Cookie: forged }],
  ['a cookie of another name', { Cookie: cookie.replace(/^[^=]+/, 'session') }],
];

async function assertRefused(response: Response, status: number, code: string): Promise<void> {
  const text = await response.text();
  assert.equal(response.status, status, text);
  assert.equal(JSON.parse(text).error.code, code);
  assert.ok(!text.includes(accountId) && !text.includes('Elm Street'));
}

for (const operation of operations) {
  describe(`${operation.method.toUpperCase()} /admin${operation.path}`, () => {
    for (const [name, headers] of OUTSIDERS) {
      test(`is refused to ${name}`, async () => {
        const response = await call(world, operation, { caller: withHeaders({ ...sameOrigin, ...headers }) });
        assert.equal(response.headers.get('www-authenticate'), null);
        await assertRefused(response, 401, 'unauthorized');
      });
    }
    if (FOR_ADMINISTRATORS.has(operation.operationId)) {
      test('is refused to members', async () => {
        await assertRefused(await call(world, operation, { caller: member }), 403, 'forbidden');
      });
    } else {
      test('is open to members', () => assertOpen(operation, true));
    }
    test('is open to administrators', () => assertOpen(operation, false));
    if (operation.path.includes('{')) {
      test('finds nothing of another account', async () => {
        const { ids } = await createWorld(service, SESSION_GATE, { ...LISTING, externalId: 'MLS-1' });
        const others = { ...world, ids, caller: await newcomer() };
        const response = await call(others, operation);
        // By the caller's own id there is nothing to find: it is theirs.
        assert.equal(response.status, operation.method === 'put' ? 201 : 404, await response.text());
      });
    }
    test('has changed nothing for those who are not let in', async () => {
      assert.equal(await stateOf(world), before);
    });
  });
}

/** In an account of its own, since it may change something. */
async function assertOpen(operation: DocumentedOperation, isForMember: boolean): Promise<void> {
  const own = await createWorld(service, SESSION_GATE, LISTING);
  await addKey(own);
  await addInvitation(own);
  const role = isForMember ? 'member' : 'administrator';
  const caller = await signIn(service, await createPerson(service, { accountId: own.accountId, role }));
  const change = operation.operationId === 'createListing' ? { body: JSON.stringify(MINIMAL) } : {};
  const response = await call(own, operation, { caller, ...change });
  assert.ok(response.ok, await response.text());
}

async function newcomer(): Promise<Browser> {
  return signIn(service, await createPerson(service));
}

test('the cookie is the one that the document names', () => {
  const { session } = JSON.parse(document.text).components.securitySchemes;
  assert.deepEqual([session.in, session.name], ['cookie', cookie.split('=', 1).join()]);
});

test('a path below /admin that is not there is 401 without a session and 404 with one', async () => {
  for (const path of ['/admin/', '/admin/nothing', '/admin/listings/', '/admin/me', '/admin/api-keys/a/b']) {
    await assertRefused(await fetch(`${service.url}${path}`), 401, 'unauthorized');
    await assertRefused(await member.fetch(path), 404, 'not_found');
  }
});

test('no operation of /v1 takes a session', async () => {
  for (const { method, path } of V1.operations) {
    const init = { method: method.toUpperCase(), headers: { Cookie: cookie, ...sameOrigin } };
    const response = await fetch(`${service.url}/v1${path.replace(/\{\w+\}/, world.ids.id ?? '')}`, init);
    assert.deepEqual([response.status, await response.text()], [401, KEY_REFUSED], `${method} ${path}`);
  }
  assert.equal(await stateOf(world), before);
});

test('nothing below /admin may be kept by a browser or a proxy, errors neither', async () => {
  for (const path of ['/admin/listings', '/admin/account', '/admin/nothing']) {
    const response = await member.fetch(path);
    await response.text();
    assert.match(response.headers.get('cache-control') ?? '', /no-store/, path);
  }
});
