import assert from 'node:assert/strict';
import type { Canaries, Owner } from './canaries.ts';
import { administratorsOf, bearer, type Founder, type Tenant } from './tenant.ts';

export type Bait = Record<BaitKind, string>;

export const ID_KINDS = [
  ...(['accountId', 'listingId', 'deletedListingId', 'externalId', 'keyId', 'deletedKeyId'] as const),
  ...(['administratorId', 'memberId', 'invitationId', 'auditId', 'sessionId', 'entryId'] as const),
];
export const BAIT_KINDS = [
  ...ID_KINDS,
  ...(['email', 'invitedEmail', 'city', 'idempotencyKey', 'etag', 'sequence'] as const),
  ...(['cursor', 'sortedCursor', 'cityCursor', 'activityCursor', 'requestsCursor'] as const),
];
export type BaitKind = (typeof BAIT_KINDS)[number];

async function readBait<Made extends { city: string }>(founder: Founder, tenant: Tenant, made: Made) {
  const { accountId, keys, session, administrator, owner } = tenant;
  const read = (path: string) =>
    founder.ask({ method: 'GET', path, headers: path.startsWith('/v1') ? bearer(keys.full.secret) : session });
  const readJson = async (path: string) => JSON.parse((await read(path)).body);
  const list = await read('/v1/listings');
  const [entry] = (await readJson('/admin/requests')).data;
  assert.ok(entry !== undefined, `the request log of ${owner} lacks the requests with their key`);
  return {
    ...made,
    accountId,
    keyId: keys.full.id,
    deletedKeyId: keys.deleted.id,
    administratorId: administrator.userId,
    auditId: (await readJson('/admin/activity')).data[0].id,
    sessionId: (await readJson('/admin/auth/list-sessions'))[0].id,
    cursor: (await readJson('/v1/listings?limit=1')).nextCursor,
    sortedCursor: (await readJson('/v1/listings?limit=1&sort=-beds')).nextCursor,
    cityCursor: (await readJson(`/v1/listings?limit=1&city=${made.city}`)).nextCursor,
    activityCursor: (await readJson('/admin/activity?limit=1')).nextCursor,
    entryId: entry.id,
    requestsCursor: (await readJson('/admin/requests?limit=1')).nextCursor,
    etag: /"(.+)"/.exec(list.headers.etag ?? '')?.[1] ?? '',
    sequence: String(JSON.parse(list.body).sequence),
  };
}

/** Returns a listing whose strings all contain canaries. */
export function makeListing(canaries: Canaries, owner: Owner, which: string, given: { city?: string } = {}) {
  const text = (field: string) => canaries.text(owner, `${field} of ${which}`);
  return {
    externalId: text('externalId'),
    address: `12 ${text('address')} Street`,
    beds: 3,
    baths: 2,
    city: given.city ?? text('city'),
    stateOrProvince: text('stateOrProvince'),
    postalCode: text('postalCode'),
    unitNumber: text('unitNumber'),
    description: `“${text('description')}”`,
    listPrice: canaries.number(owner, `listPrice of ${which}`),
    latitude: 30,
    longitude: -97,
    photos: [{ url: `https://example.com/${text('photo')}.jpg`, caption: text('caption') }],
    metadata: { [text('a name in metadata')]: text('a value in metadata') },
  };
}

export async function fill(founder: Founder, tenant: Tenant, rows: number) {
  const { canaries } = founder;
  const { owner, accountId, session, keys } = tenant;
  const key = bearer(keys.full.secret);
  const named = await create(founder, tenant, 'the listing that others ask for');
  // This listing is in the first listing's city, so that a list of that city has a second page.
  const changed = await create(founder, tenant, 'an updated listing', { city: named.city });
  const gone = await create(founder, tenant, 'a deleted listing');
  const description = canaries.text(owner, 'a changed description');
  await founder.sendJson('PATCH', `/v1/listings/${changed.id}`, key, { description });
  await founder.ask({ method: 'DELETE', path: `/v1/listings/${gone.id}`, headers: key }, 204);
  await importRows(founder, tenant, rows);
  const byHand = makeListing(canaries, owner, 'a listing from the dashboard');
  await founder.sendJson('POST', '/admin/listings', session, byHand, 201);
  const member = await founder.join(owner, accountId, 'member');
  const invitedEmail = `${canaries.text(administratorsOf(owner), 'email of an invitation')}@example.com`;
  const invited = { email: invitedEmail, role: 'member' };
  const { id: invitationId, url } = await founder.sendJson('POST', '/admin/invitations', session, invited, 201);
  canaries.add(String(url).split('=', 2)[1] ?? '', 'nobody', `token of an invitation to ${owner}`);
  const { externalId, city, idempotencyKey } = named;
  const bait: Bait = await readBait(founder, tenant, {
    listingId: named.id,
    deletedListingId: gone.id,
    externalId,
    city,
    idempotencyKey,
    memberId: member.userId,
    email: member.email,
    invitedEmail,
    invitationId,
  });
  // The account itself changes this listing.
  return { bait, ownListingId: changed.id };
}

/** Creates a listing on the service. The Idempotency-Key and the request id are also canaries. */
async function create(founder: Founder, { owner, keys }: Tenant, which: string, given: { city?: string } = {}) {
  const { canaries } = founder;
  const listing = makeListing(canaries, owner, which, given);
  const idempotencyKey = canaries.text('nobody', `an Idempotency-Key of ${owner}`);
  const requestId = canaries.text(administratorsOf(owner), `a request id of ${owner}`);
  const headers = { ...bearer(keys.full.secret), 'Idempotency-Key': idempotencyKey, 'X-Request-Id': requestId };
  const { id } = await founder.sendJson('POST', '/v1/listings', headers, listing, 201);
  return { ...listing, id: String(id), idempotencyKey };
}

/** Imports listings through the dashboard's API, with a file name and an invalid row. */
async function importRows(founder: Founder, { owner, session }: Tenant, length: number): Promise<void> {
  const { canaries } = founder;
  const name = canaries.text('nobody', `file name of ${owner}`);
  const refused = canaries.text('nobody', `a row of ${owner} with an error`);
  const rows = Array.from({ length }, () => `${canaries.text(owner, 'address of a row')},1,1\n`);
  const type = { 'Content-Type': 'text/csv', 'Content-Disposition': `attachment; filename="${name}.csv"` };
  const body = `address,beds,baths\n${refused},-1,1\n${rows.join('')}`;
  await founder.ask({ method: 'POST', path: '/admin/imports', headers: { ...session, ...type }, body });
}
