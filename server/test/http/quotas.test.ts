import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { importFile, NDJSON, sendFile } from '../../../testkit/src/imports.ts';
import { fill, MINIMAL, post, send } from '../../../testkit/src/listings.ts';
import { readError, readListing } from '../../../testkit/src/replies.ts';
import { startSharedService, startTestService, type Tenant } from '../../../testkit/src/service.ts';
import { changeQuotas } from '../../src/domain/accounts/account-limits.ts';
import { purge } from '../../src/domain/events/event-purge.ts';
import { findAccountHead } from '../../src/storage/accounts.ts';
import type { Executor } from '../../src/storage/database.ts';
import { findOldestEvents } from '../../src/storage/events.ts';

const service = await startSharedService({ rateLimit: { points: 1000, seconds: 3600 } });

const { database, sql } = service;
const lines = (...rows: object[]) => rows.map((row) => JSON.stringify(row)).join('\n');

async function usageOf({ accountId }: Tenant) {
  const head = await findAccountHead(database, accountId);
  return { listings: head?.listingCount, bytes: Number(head?.storedBytes) };
}

/** The stored listings and bytes, counted in the tables. */
async function countedOf({ accountId }: Tenant) {
  const versions = ['listings', 'listing_history'].map(
    (table) => `select doc, changes from ${table} where account_id = ?`,
  );
  const [row] = await sql(
    `select sum(coalesce(octet_length(doc), 0) + coalesce(octet_length(changes), 0) + 100) as bytes
      from (${versions.join(' union all ')}) as versions`,
    accountId,
    accountId,
  );
  const [count] = await sql('select count(*) as listings from listings where account_id = ?', accountId);
  return { listings: Number(count?.listings), bytes: Number(row?.bytes ?? 0) };
}

/** Purges the account's oldest events, as after 30 days. */
function purgeOldest({ accountId }: Tenant, limit: number) {
  const job = async (session: Executor) => purge(session, accountId, await findOldestEvents(session, accountId, limit));
  return database.write(job, accountId);
}

test("every change and every purged event updates an account's usage", async () => {
  const tenant = await service.createTenant();
  const { id } = await readListing(await post(service, tenant, { ...MINIMAL, city: 'Köln' }), 201);
  assert.deepEqual(await usageOf(tenant), await countedOf(tenant));
  await readListing(await send(service, tenant, 'PATCH', `/listings/${id}`, { description: '雪'.repeat(500) }), 200);
  assert.deepEqual(await usageOf(tenant), await countedOf(tenant));
  await purgeOldest(tenant, 2);
  assert.deepEqual(await usageOf(tenant), await countedOf(tenant));
  // The replaced version is stored until its own event is purged.
  await readListing(await send(service, tenant, 'PATCH', `/listings/${id}`, { description: null }), 200);
  assert.deepEqual(await usageOf(tenant), await countedOf(tenant));
  await importFile(service, tenant, { type: NDJSON, body: lines(MINIMAL, { id, beds: 7 }, { ...MINIMAL, beds: 1 }) });
  assert.deepEqual(await usageOf(tenant), await countedOf(tenant));
  assert.equal((await send(service, tenant, 'DELETE', `/listings/${id}`)).status, 204);
  assert.deepEqual(await usageOf(tenant), await countedOf(tenant));
  await purgeOldest(tenant, 100);
  assert.deepEqual(await usageOf(tenant), await countedOf(tenant));
});

describe('an account at its listing quota', () => {
  test('cannot create listings, but can change and delete them', async () => {
    const tenant = await service.createTenant();
    const [id = ''] = await fill(service, tenant, 2);
    await changeQuotas(database, tenant.accountId, { listingsMax: 2 });
    const error = await readError(await post(service, tenant, MINIMAL), 507, 'quota_exceeded');
    assert.deepEqual([error.quota, error.limit], ['listings', 2]);
    await readError(await send(service, tenant, 'PUT', '/listings/external/new', MINIMAL), 507, 'quota_exceeded');
    await readListing(await send(service, tenant, 'PATCH', `/listings/${id}`, { beds: 9 }), 200);
    assert.deepEqual(await usageOf(tenant), await countedOf(tenant));
    assert.equal((await send(service, tenant, 'DELETE', `/listings/${id}`)).status, 204);
    await readListing(await post(service, tenant, MINIMAL), 201);
    await changeQuotas(database, tenant.accountId, { listingsMax: null });
    await readListing(await post(service, tenant, MINIMAL), 201);
  });

  test('imports rows up to the quota and reports the others', async () => {
    const tenant = await service.createTenant();
    await changeQuotas(database, tenant.accountId, { listingsMax: 2 });
    const body = lines({ ...MINIMAL, externalId: 'a' }, MINIMAL, MINIMAL, { ...MINIMAL, externalId: 'a', beds: 9 });
    const { created, updated, errors } = await importFile(service, tenant, { type: NDJSON, body });
    assert.deepEqual([created, updated, errors.length], [2, 1, 1]);
    assert.match(String(errors[0]), /quota_exceeded/);
  });

  test('gets the same counts from a dry run as from the import', async () => {
    const tenant = await service.createTenant();
    await changeQuotas(database, tenant.accountId, { listingsMax: 30 });
    const body = lines(...Array.from({ length: 100 }, () => MINIMAL));
    const dry = await importFile(service, tenant, { type: NDJSON, body, query: '?dryRun=true' });
    const { created, failed } = await importFile(service, tenant, { type: NDJSON, body });
    assert.deepEqual([dry.created, dry.failed, created, failed], [30, 70, 30, 70]);
  });

  test('rejects an atomic import above the quota', async () => {
    const tenant = await service.createTenant();
    await changeQuotas(database, tenant.accountId, { listingsMax: 2 });
    const sent = { type: NDJSON, body: lines(MINIMAL, MINIMAL, MINIMAL), query: '?atomic=true' };
    const { details } = await readError(await sendFile(service, tenant, sent), 422, 'import_failed');
    assert.equal(details?.[0]?.code, 'quota_exceeded');
    assert.deepEqual(await usageOf(tenant), { listings: 0, bytes: 0 });
  });
});

test('concurrent creates do not exceed the quota', async () => {
  const tenant = await service.createTenant();
  await changeQuotas(database, tenant.accountId, { listingsMax: 5 });
  const replies = await Promise.all(Array.from({ length: 40 }, () => post(service, tenant, MINIMAL)));
  const statuses = replies.map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 201).length, 5);
  assert.equal(statuses.filter((status) => status === 507).length, 35);
  assert.equal((await countedOf(tenant)).listings, 5);
});

test('an account at its byte quota can only shrink or delete listings', async () => {
  const tenant = await service.createTenant();
  const large = { ...MINIMAL, description: 'x'.repeat(4000) };
  const { id } = await readListing(await post(service, tenant, large), 201);
  await changeQuotas(database, tenant.accountId, { bytesMax: 5000 });
  const error = await readError(await post(service, tenant, large), 507, 'quota_exceeded');
  assert.deepEqual([error.quota, error.limit], ['bytes', 5000]);
  const patch = (body: object) => send(service, tenant, 'PATCH', `/listings/${id}`, body);
  await readError(await patch({ beds: 9 }), 507, 'quota_exceeded');
  const state = await countedOf(tenant);
  const shorter = await readListing(await patch({ description: 'x'.repeat(3990) }), 200);
  assert.equal(shorter.version, 2);
  assert.ok((await countedOf(tenant)).bytes > state.bytes, 'the previous version is also stored');
  // The account now stores twice its quota.
  await readError(await patch({ description: 'x'.repeat(3980) }), 507, 'quota_exceeded');
  assert.equal((await send(service, tenant, 'DELETE', `/listings/${id}`)).status, 204);
  await purgeOldest(tenant, 100);
  await readListing(await post(service, tenant, large), 201);
  assert.deepEqual(await usageOf(tenant), await countedOf(tenant));
});

test("an account's rate limit applies at once to its keys, and to no other account", async () => {
  const [tenant, other] = [await service.createTenant(), await service.createTenant()];
  const ask = async (who: Tenant) => {
    const { status, headers } = await service.fetch(who, '/v1/me');
    return [status, headers.get('ratelimit-policy'), /r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]];
  };
  assert.deepEqual(await ask(tenant), [200, '"default";q=1000;w=3600', '999']);
  await changeQuotas(database, tenant.accountId, { rateLimit: { points: 2, seconds: 3600 } });
  assert.deepEqual(await ask(tenant), [200, '"default";q=2;w=3600', '1']);
  assert.deepEqual(await ask(tenant), [200, '"default";q=2;w=3600', '0']);
  assert.deepEqual(await ask(tenant), [429, '"default";q=2;w=3600', '0']);
  assert.deepEqual((await ask(other)).slice(0, 2), [200, '"default";q=1000;w=3600']);
  await changeQuotas(database, tenant.accountId, { rateLimit: null });
  assert.deepEqual((await ask(tenant)).slice(0, 2), [200, '"default";q=1000;w=3600']);
});

test("an account's rate limit applies even if the service has none, and a 304 is free", async () => {
  await using unlimited = await startTestService();
  const [tenant, other] = [await unlimited.createTenant(), await unlimited.createTenant()];
  await changeQuotas(unlimited.database, tenant.accountId, { rateLimit: { points: 2, seconds: 3600 } });
  const first = await unlimited.fetch(tenant, '/v1/listings');
  const headers = { 'If-None-Match': first.headers.get('etag') ?? '' };
  for (let count = 0; count < 3; count += 1) {
    assert.equal((await unlimited.fetch(tenant, '/v1/listings', { headers })).status, 304);
  }
  assert.equal((await unlimited.fetch(tenant, '/v1/me')).status, 200);
  assert.equal((await unlimited.fetch(tenant, '/v1/me')).status, 429);
  assert.equal((await unlimited.fetch(other, '/v1/me')).headers.get('ratelimit'), null);
});
