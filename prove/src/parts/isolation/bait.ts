import { bearer, type Founder, type Tenant } from './tenant.ts';
import type { Answer } from './wire.ts';

/** Identifiers and values of another account. */
export type Bait = Record<BaitKind, string>;

export const ID_KINDS = [
  ...(['accountId', 'listingId', 'deletedListingId', 'externalId', 'keyId', 'deletedKeyId'] as const),
  ...(['administratorId', 'memberId', 'invitationId', 'auditId', 'sessionId'] as const),
];
export const BAIT_KINDS = [
  ...ID_KINDS,
  ...(['email', 'invitedEmail', 'city', 'idempotencyKey', 'etag', 'sequence'] as const),
  ...(['cursor', 'sortedCursor', 'cityCursor', 'activityCursor'] as const),
];
export type BaitKind = (typeof BAIT_KINDS)[number];

export async function readBait<Made extends { city: string }>(founder: Founder, tenant: Tenant, made: Made) {
  const { accountId, keys, session, administrator } = tenant;
  const read = (path: string) =>
    founder.ask({ method: 'GET', path, headers: path.startsWith('/v1') ? bearer(keys.full.secret) : session });
  const readJson = async (path: string) => JSON.parse((await read(path)).body);
  const list = await read('/v1/listings');
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
    etag: etagOf(list),
    sequence: String(JSON.parse(list.body).sequence),
  };
}

function etagOf({ headers }: Answer): string {
  return /"(.+)"/.exec(headers.etag ?? '')?.[1] ?? '';
}
