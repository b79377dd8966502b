import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createPerson, signIn } from '../../../testkit/src/browser.ts';
import {
  addFeed,
  addInvitation,
  addKey,
  addMember,
  call,
  createWorld,
  SESSION_GATE,
  type World,
} from '../../../testkit/src/calls.ts';
import { MINIMAL } from '../../../testkit/src/listings.ts';
import { isOfPeople, OpenApiDocument } from '../../../testkit/src/openapi.ts';
import { KEY_REJECTED, readError } from '../../../testkit/src/replies.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { V1 } from '../../src/http/map.ts';
import { FOR_ADMINISTRATORS } from '../support/provocations.ts';

const service = await startSharedService();

const document = new OpenApiDocument(await (await fetch(`${service.url}/admin/openapi.json`)).text());
const operations = document.operations.filter((operation) => !isOfPeople(operation));

const LISTING = { ...MINIMAL, externalId: 'MLS-20931' };
const world = await createWorld(service, SESSION_GATE, LISTING);
await addKey(world);
await addMember(world);
await addInvitation(world);
const { accountId } = world;
const member = await signIn(service, await createPerson(service, { accountId, role: 'member' }));
const { cookie } = await signIn(service, await createPerson(service, { accountId }));
const { key } = await service.createKey(accountId);
const sameOrigin = { Origin: service.url };

/** Operations on names that each account chooses, and the status if the name is new. */
const CREATES: Record<string, number> = { upsertListing: 201, putFeed: 200 };

/** The account's data except the audit log. */
async function stateOf({ caller, gate }: World): Promise<string> {
  const paths = ['/listings', '/events', '/api-keys', '/account', '/members', '/invitations'];
  const texts = paths.map(async (path) => (await caller.fetch(gate.base + path)).text());
  return (await Promise.all(texts)).join('\n');
}

const before = await stateOf(world);

async function assertDenied(response: Response, status: number, code: string): Promise<void> {
  const copy = await response.clone().text();
  await readError(response, status, code);
  assert.ok(!copy.includes(accountId) && !copy.includes('Elm Street'));
}

for (const operation of operations) {
  describe(`${operation.method.toUpperCase()} /admin${operation.path}`, () => {
    if (FOR_ADMINISTRATORS.includes(operation.operationId)) {
      test('changes nothing for members and shows them nothing', async () => {
        await assertDenied(await call(world, operation, { caller: member }), 403, 'forbidden');
        assert.equal(await stateOf(world), before);
      });
    } else {
      test('is open to members', async () => {
        const own = await createWorld(service, SESSION_GATE, LISTING);
        const caller = await signIn(service, await createPerson(service, { accountId: own.accountId, role: 'member' }));
        if (operation.path.startsWith('/feeds')) await addFeed(own);
        if (operation.path.startsWith('/views/')) {
          const view = { name: 'In Austin', search: 'city=Austin' };
          own.ids.viewName = (await caller.ask('POST', '/admin/views', view)).name;
        }
        const change = operation.operationId === 'createListing' ? { body: JSON.stringify(MINIMAL) } : {};
        const response = await call(own, operation, { caller, ...change });
        assert.ok(response.ok, await response.text());
      });
    }
    if (operation.path.includes('{')) {
      test("does not find another account's data", async () => {
        const caller = await signIn(service, await createPerson(service));
        const response = await call({ ...world, caller }, operation);
        assert.equal(response.status, CREATES[operation.operationId] ?? 404, await response.text());
      });
    }
    test('leaves the account unchanged after denied requests', async () => {
      assert.equal(await stateOf(world), before);
    });
  });
}

test('a forged or misnamed cookie, or a key in a cookie, gets 401', async () => {
  for (const Cookie of [
    cookie.replace(/=./, (start) => (start === '=A' ? '=B' : '=A')),
    cookie.replace(/^[^=]+/, 'session'),
    `${cookie.split('=', 1)}=${key}`,
  ]) {
    const response = await fetch(`${service.url}/admin/listings`, { headers: { ...sameOrigin, Cookie } });
    assert.equal(response.headers.get('www-authenticate'), null);
    await assertDenied(response, 401, 'unauthorized');
  }
});

test('the document names the session cookie', () => {
  const { session } = JSON.parse(document.text).components.securitySchemes;
  assert.deepEqual([session.in, session.name], ['cookie', cookie.split('=', 1).join()]);
});

test('no /v1 endpoint accepts a session', async () => {
  for (const { method, path } of V1.operations) {
    const init = { method: method.toUpperCase(), headers: { Cookie: cookie, ...sameOrigin } };
    const response = await fetch(`${service.url}/v1${path.replace(/\{\w+\}/, world.ids.id ?? '')}`, init);
    assert.deepEqual([response.status, await response.text()], [401, KEY_REJECTED], `${method} ${path}`);
  }
  assert.equal(await stateOf(world), before);
});

test('no response below /admin is cached, including errors', async () => {
  for (const path of ['/admin/listings', '/admin/session', '/admin/nothing']) {
    const response = await member.fetch(path);
    await response.text();
    assert.match(response.headers.get('cache-control') ?? '', /no-store/, path);
  }
});
