import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { MINIMAL, post, send } from '../support/listings.ts';
import { readList, readListing } from '../support/replies.ts';
import { startTestService, type Tenant } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());

/** Stands in every text of the other account, and nowhere else. */
const SECRET = 'Xyzzy';
const THEIRS = {
  ...MINIMAL,
  address: `${SECRET} Street 1`,
  city: SECRET,
  externalId: `${SECRET}-1`,
  description: `The ${SECRET} house`,
  listPrice: 450_000,
  latitude: 30,
  longitude: -97,
};
const RETRY = { 'Idempotency-Key': `${SECRET}-retry` };

const other = await service.createTenant('Theirs');
const theirs = await readListing(await post(service, other, THEIRS, RETRY), 201);
for (let index = 2; index < 5; index += 1) {
  await readListing(await post(service, other, { ...THEIRS, externalId: `${SECRET}-${index}` }), 201);
}

/** All that the other account has, as its own key sees it. */
async function theirState(): Promise<string> {
  const paths = ['/v1/listings', '/v1/events', '/v1/me'];
  const replies = await Promise.all(paths.map((path) => service.fetch(other, path)));
  return (await Promise.all(replies.map((reply) => reply.text()))).join('\n');
}

async function theirCursor(query: string): Promise<string> {
  const page = await readList(await service.fetch(other, `/v1/listings?${query}`));
  assert.ok(page.nextCursor);
  return `${query}&cursor=${page.nextCursor}`;
}

const external = `/listings/external/${SECRET}-1`;
const ndjson = { 'Content-Type': 'application/x-ndjson' };
const csv = { 'Content-Type': 'text/csv' };
const row = (fields: object) => `${JSON.stringify({ ...MINIMAL, ...fields })}\n`;

type Request = [method: string, path: string, body?: unknown, headers?: Record<string, string>];

/** Each endpoint with each parameter that can carry something of another account, and what it answers. */
const REQUESTS: [name: string, status: number, request: Request][] = [
  ['an id in a path', 404, ['GET', `/listings/${theirs.id}`]],
  ['an id in a path, and its ETag', 404, ['GET', `/listings/${theirs.id}`, undefined, { 'If-None-Match': '"1"' }]],
  ['an id in a path of a change', 404, ['PATCH', `/listings/${theirs.id}`, { beds: 9 }]],
  ['an id in a path of a change, and its version', 404, ['PATCH', `/listings/${theirs.id}`, {}, { 'If-Match': '"1"' }]],
  ['an id in a path of a deletion', 404, ['DELETE', `/listings/${theirs.id}`]],
  ['an external id in a path', 404, ['GET', external]],
  ['an external id in a path of a deletion', 404, ['DELETE', external]],
  ['an external id in a path of a replacement', 201, ['PUT', external, MINIMAL, { 'If-None-Match': '*' }]],
  ['an external id in a path that only replaces', 412, ['PUT', external, MINIMAL, { 'If-Match': '*' }]],
  ['an external id in a body', 201, ['POST', '/listings', { ...MINIMAL, externalId: `${SECRET}-1` }]],
  ['an id in a body', 422, ['POST', '/listings', { ...MINIMAL, id: theirs.id }]],
  ['an Idempotency-Key', 201, ['POST', '/listings', MINIMAL, RETRY]],
  ['an Idempotency-Key with its request', 201, ['POST', '/listings', THEIRS, RETRY]],
  ['an external id in a filter', 200, ['GET', `/listings?externalId=${SECRET}-1`]],
  ['a value in a filter', 200, ['GET', `/listings?city=${SECRET}&count=true`]],
  ['a word', 200, ['GET', `/listings?q=${SECRET}`]],
  ['a beginning of a word', 200, ['GET', '/listings?q=xyz&count=true']],
  ['a place', 200, ['GET', '/listings?near=30,-97&radius=100km']],
  ['a rectangle', 200, ['GET', '/listings?bbox=-98,29,-96,31']],
  ['a cursor', 400, ['GET', `/listings?${await theirCursor('limit=1')}`]],
  ['a cursor of a sorted list', 400, ['GET', `/listings?${await theirCursor('limit=1&sort=-listPrice')}`]],
  ['a cursor of a search', 400, ['GET', `/listings?${await theirCursor(`limit=1&q=${SECRET}`)}`]],
  ['a sequence', 410, ['GET', '/events?after=4']],
  ['an id in a row', 200, ['POST', '/imports', row({ id: theirs.id }), ndjson]],
  ['an external id in a row', 200, ['POST', '/imports', row({ externalId: `${SECRET}-1` }), ndjson]],
  ['an id in an atomic row', 422, ['POST', '/imports?atomic=true', row({ id: theirs.id }), ndjson]],
  ['an Idempotency-Key of an import', 200, ['POST', '/imports?atomic=true', row({}), { ...ndjson, ...RETRY }]],
  ['an id in a cell', 200, ['POST', '/imports', `id,address,beds,baths\n${theirs.id},A,1,1\n`, csv]],
];

/** What a tenant may see of the other one: what it has itself sent. */
async function seenOf(tenant: Tenant, request: Request): Promise<{ status: number; text: string }> {
  const response = await send(service, tenant, ...request);
  const text = await response.text();
  return { status: response.status, text: `${JSON.stringify([...response.headers])}${text}` };
}

describe('what belongs to another account shows nothing and changes nothing', () => {
  for (const [name, status, request] of REQUESTS) {
    test(`${name}: ${request[0]} ${request[1].split('?')[0]?.replace(theirs.id, '{id}')}`, async () => {
      const tenant = await service.createTenant('Ours');
      const before = await theirState();
      const seen = await seenOf(tenant, request);
      assert.equal(seen.status, status, seen.text);
      assert.equal(await theirState(), before);
      assert.ok(!seen.text.includes(other.accountId));
      const sent = JSON.stringify(request);
      assert.ok(!seen.text.includes(theirs.id) || sent.includes(theirs.id));
      if (request[0] === 'GET') assert.doesNotMatch(seen.text, new RegExp(`${SECRET} Street`));
      const own = await readList(await service.fetch(tenant, '/v1/listings'));
      for (const { id } of own.data) assert.ok(!before.includes(id), 'what it has is its own');
    });
  }
});
