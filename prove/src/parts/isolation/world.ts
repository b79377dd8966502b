import assert from 'node:assert/strict';
import { type DocumentedOperation, isOfPeople, readDocument } from '../../../../testkit/src/openapi.ts';
import type { Operator } from '../../../../testkit/src/operator.ts';
import { until } from '../../../../testkit/src/until.ts';
import type { Canaries, Owner } from './canaries.ts';
import { fill } from './filling.ts';
import { administratorsOf, bearer, type Credential, Founder, nameOf, type Tenant, type Wire } from './tenant.ts';

/** Matches ids that the service generated, and beginnings of keys. */
const IDS = /\b(?:[a-z]{3}_[0-9a-z]{26}|plk_[0-9A-Za-z]+)/g;

/** What reports say about canaries that are ids. */
const MADE = 'an id';

export interface Gate {
  base: '/v1' | '/admin';
  operations: DocumentedOperation[];
}

export type Filled = Awaited<ReturnType<typeof furnish>>;

export type World = Awaited<ReturnType<typeof createWorld>>;

export async function createWorld(url: string, wire: Wire, canaries: Canaries, operator: Operator) {
  const founder = new Founder(url, wire, canaries, operator);
  const v1: Gate = { base: '/v1', operations: readDocument('openapi').operations };
  const admin: Gate = { base: '/admin', operations: readDocument('admin').operations };
  const gates = { v1, admin };
  const [ours, theirs, third] = [
    await furnish(founder, 'our account', 10),
    await furnish(founder, 'their account', 120),
    await furnish(founder, 'the third account', 60),
  ];
  // Our administrator is also a member of the third account, with this session there.
  const guestSession = await inviteTo(founder, ours, third);
  const endedSession = await founder.signIn(ours.administrator, ours.owner);
  await founder.ask({ method: 'POST', path: '/admin/auth/sign-out', headers: endedSession }, 204);
  const world = { wire, canaries, founder, gates, ours, theirs, third, guestSession, endedSession };
  for (const tenant of [ours, theirs, third]) await learn(world, tenant);
  await until('the keys have expired', () =>
    [ours, theirs, third].every(({ expiryTimeMs }) => Date.now() > expiryTimeMs),
  );
  return world;
}

async function furnish(founder: Founder, owner: Owner, rows: number) {
  const tenant = await founder.found(owner);
  const member = await founder.join(owner, tenant.accountId, 'member');
  const memberSession = await founder.signIn(member, owner);
  return { ...tenant, ...(await fill(founder, tenant, rows)), member, memberSession };
}

/** Makes the administrator of an account a member of another one. @returns a session in the other account */
async function inviteTo(founder: Founder, home: Tenant, host: Tenant): Promise<Credential> {
  const { canaries } = founder;
  const { owner, session } = host;
  const guest = home.administrator;
  const guestSession = await founder.signIn(guest, owner);
  const given = { email: guest.email, role: 'member' };
  const invited = await founder.sendJson('POST', '/admin/invitations', session, given, 201);
  const [, token = ''] = String(invited.url).split('=', 2);
  await founder.sendJson('POST', '/admin/invitations/accept', guestSession, { token });
  for (const text of [guest.name, guest.email.split('@', 1).join(), guest.userId])
    canaries.add(text, administratorsOf(owner), 'a person');
  // The guest sees the names of both accounts.
  for (const { accountId, accountName } of [home, host]) {
    for (const text of [accountId, accountName]) canaries.add(text, nameOf(guest), 'name of an account');
  }
  return guestSession;
}

/** Records the owners of an account's ids. The account must see all of its own canaries. */
async function learn({ founder, gates, canaries }: World, tenant: Filled): Promise<void> {
  const { owner, keys, session, memberSession, administrator, member } = tenant;
  const seen = new Set<string>();
  const read = async (gate: Gate, headers: Credential, reader: Owner, person: Owner) => {
    for (const operation of gate.operations.filter(({ method, path }) => method === 'get' && !path.includes('{'))) {
      const { status, body } = await founder.wire.send({ method: 'GET', path: gate.base + operation.path, headers });
      if (status !== 200) continue;
      const isOfOne = isOfPeople(operation);
      const visible = new Set([reader, owner, person]);
      const leaks = canaries.leaks(body, visible, new Set()).filter((words) => !words.startsWith(MADE));
      assert.deepEqual(leaks, [], `GET ${gate.base}${operation.path} shows data of others to ${reader}`);
      for (const [id] of body.matchAll(IDS)) {
        if (isOfOne || !seen.has(id)) canaries.add(id, isOfOne ? person : reader, MADE);
        if (!isOfOne) seen.add(id);
      }
      for (const word of canaries.find(body)) seen.add(word);
    }
  };
  for (const { secret } of [keys.full, keys.read]) await read(gates.v1, bearer(secret), owner, owner);
  await read(gates.admin, memberSession, owner, nameOf(member));
  await read(gates.admin, session, administratorsOf(owner), nameOf(administrator));
  await assertCounts(founder, tenant);
  for (const each of [owner, administratorsOf(owner)]) {
    assert.deepEqual(canaries.missing(each, seen), [], `${each} does not see all of its own data`);
  }
}

async function assertCounts(founder: Founder, { keys, session, owner }: Tenant): Promise<void> {
  const get = async (path: string, headers: Credential) =>
    JSON.parse((await founder.ask({ method: 'GET', path, headers })).body);
  const { total, data } = await get('/v1/listings?count=true&beds[gte]=0', bearer(keys.full.secret));
  const { listings, keyCount } = await get('/admin/overview', session);
  const { data: own } = await get('/admin/api-keys', session);
  const counted = { total, overview: listings.total, keys: keyCount };
  const is = { total: data.length, overview: data.length, keys: own.length };
  assert.deepEqual(counted, is, `${owner} gets wrong counts`);
}
