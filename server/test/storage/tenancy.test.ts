import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createAccount } from '../../src/domain/accounts/accounts.ts';
import { issueApiKey } from '../../src/domain/keys/api-keys.ts';
import { updateListing } from '../../src/domain/listings/listings.ts';
import { hashSecret } from '../../src/model/api-keys.ts';
import { toBox } from '../../src/model/geo.ts';
import type { Search } from '../../src/model/search.ts';
import type { Delivery, Webhook } from '../../src/model/webhooks.ts';
import {
  findApiKey,
  findKeyDetails,
  findKeyPrincipal,
  listApiKeys,
  setLastUsed,
  updateApiKey,
} from '../../src/storage/api-keys.ts';
import { findAuditEntries, findTargetNames } from '../../src/storage/audit.ts';
import type { Executor } from '../../src/storage/database.ts';
import * as events from '../../src/storage/events.ts';
import * as history from '../../src/storage/history.ts';
import { addKeyHour, findKeyHours } from '../../src/storage/key-hours.ts';
import * as listingRuns from '../../src/storage/listing-runs.ts';
import * as listings from '../../src/storage/listings.ts';
import { findRequestBlocks, insertRequestBlock, removeRequestBlocks } from '../../src/storage/request-blocks.ts';
import * as searchRows from '../../src/storage/search-rows.ts';
import * as deliveries from '../../src/storage/webhook-deliveries.ts';
import * as webhooks from '../../src/storage/webhooks.ts';
import { create, databaseFor, storedSequence, words } from './support.ts';

const INPUT = { externalId: 'MLS-1', address: '12 Elm Street', beds: 3, baths: 2, latitude: 1, longitude: 2 };
const TENANT_TABLES = [
  'account_heads',
  'listings',
  'listing_facets',
  'listing_history',
  'events',
  'api_keys',
  'webhooks',
  'webhook_deliveries',
];
/** Functions that read the endpoints of all accounts, for the dispatcher, the purge, and the operator's commands. */
const ACROSS_ACCOUNTS = ['findEnabledWebhooks', 'countEnabledWebhooks', 'findWebhookKeys'];

/** The process that has claimed the endpoint. */
const OWNER = 'process';
const ENDPOINT: Omit<Webhook, 'id'> = {
  url: 'https://example.com/',
  types: null,
  feed: null,
  description: null,
  enabled: true,
  position: 0,
  pending: 1,
  failingSince: null,
  disabledAt: null,
  oldSecretUntil: null,
  createdAt: 0,
  updatedAt: 0,
};

/** Deliveries of one endpoint: a pending one, and two delivered ones. */
const DELIVERIES = (['pending', 'delivered', 'delivered'] as const).map(
  (state, index): Delivery => ({
    ...{ sequence: index + 1, epoch: 'epoch', state, lastSequence: index + 1, type: 'listing.created' },
    ...{
      listingId: 'lst_x',
      attempts: 1,
      nextAt: state === 'pending' ? 1 : null,
      lastAt: 0,
      status: 200,
      durationMs: 1,
      response: null,
    },
    ...{ error: null, updatedAt: index },
  }),
);

/** Functions that read an account's data, with the result that another account must get. */
type Reads = Record<string, [read: (accountId: string, id: string) => Promise<unknown>, nothing: unknown]>;

const { database, sql, accountKey } = await databaseFor({ after });
const { search } = database;

const READS: Reads = {
  findListing: [(account, id) => listings.findListing(database, account, id), undefined],
  findListingByExternalId: [
    (account) => listings.findListingByExternalId(database, account, INPUT.externalId),
    undefined,
  ],
  findKeyedListings: [
    async (account) => (await listings.findKeyedListings(database, account, 'externalId', [INPUT.externalId])).rows,
    [],
  ],
  findListingRun: [
    async (account) => (await listingRuns.findListingRun(database, account, { afterId: undefined, limit: 100 })).docs,
    [],
  ],
  findPageEnd: [(account) => listingRuns.findPageEnd(database, account, '~', 0), undefined],
  findEvents: [
    async (account) => (await events.findEvents(database, account, 0, { limit: 100, bytesMax: 1e6 })).rows,
    [],
  ],
  findEvent: [(account) => events.findEvent(database, account, 1), undefined],
  findChangedListings: [(account) => events.findChangedListings(database, account, 0, 100), []],
  findMatchingEvents: [
    async (account, listingId) =>
      (
        await events.findMatchingEvents(
          database,
          account,
          { after: 0, until: 100 },
          { listingId },
          { limit: 100, bytesMax: 1e6 },
        )
      ).rows.filter((event) => event.listingId === listingId),
    [],
  ],
  findCurrentEntry: [(account, id) => history.findCurrentEntry(database, account, id), undefined],
  findFormerEntries: [
    async (account, id) =>
      (await history.findFormerEntries(database, account, id, { before: 100, limit: 100, bytesMax: 1e6 })).rows,
    [],
  ],
  findFormer: [(account, id) => history.findFormer(database, account, id, 100), undefined],
  findFirstFormer: [(account, id) => history.findFirstFormer(database, account, id), undefined],
  findOldestEvents: [(account) => events.findOldestEvents(database, account, 100), []],
  findWebhook: [(account, id) => webhooks.findWebhook(database, account, id), undefined],
  listWebhooks: [(account) => webhooks.listWebhooks(database, account), []],
  findWebhookSecrets: [(account, id) => webhooks.findWebhookSecrets(database, account, id), undefined],
  findDeliveries: [
    (account, id) =>
      deliveries.findDeliveries(database, account, id, { sequence: 100, epoch: '' }, ['pending', 'delivered'], 100),
    [],
  ],
  findDelivery: [(account, id) => deliveries.findDelivery(database, account, id, 1, 'epoch'), undefined],
  findFirstDeliveries: [(account, id) => deliveries.findFirstDeliveries(database, account, id, 'pending', 100), []],
  hasOldDelivery: [(account, id) => deliveries.hasOldDelivery(database, account, id, 'delivered', 100), false],
};

/** A sorted search by word that matches both accounts' listings. */
const SEARCH: Search = {
  conditions: [{ field: 'externalId', operator: 'is', value: INPUT.externalId }],
  box: undefined,
  circle: undefined,
  words: ['elm'],
  order: { by: 'beds', isDescending: true },
};

const ALL = { after: undefined, limit: 100 };
const BYTES_MAX = 1_000_000;

const SEARCHES: Reads = {
  findPage: [async (account) => (await search.findPage(account, SEARCH, { ...ALL, bytesMax: BYTES_MAX }, {})).rows, []],
  findPositions: [
    async (account) => (await search.findPositions(account, SEARCH, ALL, {})).packs.flatMap((open) => open()),
    [],
  ],
  findDocs: [async (account, id) => (await search.findDocs(account, SEARCH, [id], { bytesMax: BYTES_MAX })).docs, []],
  count: [(account) => search.count(account, SEARCH, {}), 0],
  cluster: [(account) => search.cluster(account, { ...SEARCH, box: toBox(-180, -90, 180, 90) }, 90, {}), []],
  countByStatus: [(account) => search.countByStatus(account), { byStatus: [], newestAt: null }],
};

const ROW = { id: 'lst_x', version: 1, sequence: 2, doc: '{}', actor: '{}', changes: null };
const SEARCH_ROW = {
  status: 'active',
  beds: 3,
  baths: 2,
  createdAt: '2026',
  updatedAt: '2026',
  terms: ' austin',
} as const;
const CHANGED_ROW = { row: { ...SEARCH_ROW, beds: 9 }, parts: ['beds', 'terms'] } as const;

const EVENT = {
  sequence: 3,
  type: 'listing.deleted',
  listingId: 'lst_x',
  changed: null,
  createdAt: 0,
  feed: null,
  externalId: null,
} as const;

const FORMER = {
  listingId: 'lst_x',
  sequence: 2,
  version: 1,
  type: 'listing.deleted',
  at: '2026',
  actor: '{}',
  changes: null,
  doc: null,
} as const;

/** Functions that insert rows. They must write only to the given account. */
const WRITES = {
  insertListing: (session: Executor, accountId: string) => listings.insertListing(session, accountId, ROW, SEARCH_ROW),
  putListings: (session: Executor, accountId: string) =>
    listings.putListings(session, accountId, [{ ...ROW, terms: '' }]),
  insertSearchRows: async (session: Executor, accountId: string) => {
    await listings.putListings(session, accountId, [{ ...ROW, terms: '' }]);
    await searchRows.insertSearchRows(session, accountId, [{ ...SEARCH_ROW, id: ROW.id }]);
  },
  insertEvent: (session: Executor, accountId: string) => events.insertEvent(session, accountId, EVENT),
  insertEvents: (session: Executor, accountId: string) => events.insertEvents(session, accountId, [EVENT]),
  insertFormer: (session: Executor, accountId: string) => history.insertFormer(session, accountId, [FORMER]),
  insertWebhook: (session: Executor, accountId: string) =>
    webhooks.insertWebhook(session, accountId, { ...ENDPOINT, id: 'whk_x' }, 'whsec_x'),
  putDeliveries: async (session: Executor, accountId: string) => {
    await webhooks.insertWebhook(session, accountId, { ...ENDPOINT, id: 'whk_x' }, 'whsec_x');
    await deliveries.putDeliveries(session, accountId, 'whk_x', DELIVERIES);
  },
};

/** Functions that change or remove data. They must not touch another account's, even if named. */
const CHANGES: Record<
  string,
  (session: Executor, accountId: string, theirs: listings.StoredListing) => Promise<unknown>
> = {
  replaceListing: (session, accountId, theirs) =>
    listings.replaceListing(session, accountId, { ...ROW, id: theirs.id, sequence: 3 }, CHANGED_ROW),
  updateSearchRows: (session, accountId, theirs) =>
    searchRows.updateSearchRows(session, accountId, [{ ...CHANGED_ROW.row, id: theirs.id }], CHANGED_ROW.parts),
  releaseExternalId: (session, accountId, theirs) => searchRows.releaseExternalId(session, accountId, theirs.id),
  removeListing: (session, accountId, theirs) => listings.removeListing(session, accountId, theirs.id),
  removeListings: (session, accountId) => listings.removeListings(session, accountId, 10),
  removeEvents: (session, accountId) => events.removeEvents(session, accountId, 10),
  keepVersions: (session, accountId, theirs) =>
    history.keepVersions(session, accountId, [{ id: theirs.id, updatedAt: '2026' }]),
  removeFormerDoc: (session, accountId, theirs) => history.removeFormerDoc(session, accountId, theirs.id, 1),
  removeFormer: (session, accountId, theirs) => history.removeFormer(session, accountId, theirs.id, 10),
  removeHistory: (session, accountId) => history.removeHistory(session, accountId, 10),
  updateWebhook: (session, accountId, { id }) =>
    webhooks.updateWebhook(session, accountId, { ...ENDPOINT, id, enabled: false }),
  rollWebhookSecret: (session, accountId, { id }) => webhooks.rollWebhookSecret(session, accountId, id, 'whsec_new'),
  removeWebhook: (session, accountId, { id }) => webhooks.removeWebhook(session, accountId, id),
  claimWebhook: (session, accountId, { id }) => webhooks.claimWebhook(session, accountId, id, 'another'),
  advanceWebhook: (session, accountId, { id }) =>
    webhooks.advanceWebhook(session, accountId, id, 2, 0, null, null, 1, ENDPOINT.position, 1, OWNER),
  hurryDeliveries: (session, accountId, { id }) => deliveries.hurryDeliveries(session, accountId, id),
  removeDeliveriesAfter: (session, accountId, { id }) =>
    deliveries.removeDeliveriesAfter(session, accountId, id, 'pending', 0),
  trimDeliveries: (session, accountId, { id }) => deliveries.trimDeliveries(session, accountId, id, 'delivered', 0),
  removeDeliveries: (session, accountId, { id }) => deliveries.removeDeliveries(session, accountId, id, 10),
  removeOldDeliveries: (session, accountId, { id }) =>
    deliveries.removeOldDeliveries(session, accountId, id, 'delivered', 10, 10),
};

const createEmpty = async () => (await createAccount(database, 'Hill Country Homes')).id;

/** An account with a key, a listing, and an endpoint that has the listing's id. */
async function createTenant(name: string) {
  const { id: accountId } = await createAccount(database, name);
  const { secret } = await issueApiKey(database, {
    accountId,
    name: 'Test',
    access: 'full',
    expiresAt: null,
    createdBy: null,
  });
  const { id } = await create(database, accountId, INPUT);
  await updateListing(database, { accountId }, { id }, (current) => ({ ...current, beds: 4 }));
  await database.write(async (session) => {
    await webhooks.insertWebhook(session, accountId, { ...ENDPOINT, id }, 'whsec_x');
    await webhooks.claimWebhook(session, accountId, id, OWNER);
    await deliveries.putDeliveries(session, accountId, id, DELIVERIES);
  });
  return { accountId, secret, id };
}

/** The number of the account's rows in each table. */
async function countRows(accountId: string) {
  const counts: Record<string, number> = {};
  for (const table of TENANT_TABLES) {
    const key = table === 'listing_facets' ? accountKey : '?';
    const [row] = await sql(`select count(*) as count from ${table} where account_id = ${key}`, accountId);
    counts[table] = Number(row?.count);
  }
  return counts;
}

test('every storage function for listings, events, and webhooks is in one of the tables', () => {
  const functions = { ...listings, ...listingRuns, ...searchRows, ...events, ...history, ...webhooks, ...deliveries };
  const listed = [...[READS, WRITES, CHANGES].flatMap(Object.keys), ...ACROSS_ACCOUNTS];
  assert.deepEqual(Object.keys(functions).sort(), listed.sort());
  const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(search));
  assert.deepEqual(methods.filter((name) => name !== 'constructor').sort(), Object.keys(SEARCHES).sort());
});

for (const [name, [read, nothing]] of Object.entries({ ...READS, ...SEARCHES })) {
  test(`${name} never returns another account's data`, async () => {
    const emptyId = await createEmpty();
    const ada = await createTenant('Ada');
    const bob = await createTenant('Bob');
    assert.notDeepEqual(await read(ada.accountId, ada.id), nothing, 'the account finds its own data');
    assert.deepEqual(await read(emptyId, ada.id), nothing);
    assert.deepEqual(await read('acc_unknown', ada.id), nothing);
    const seen = JSON.stringify((await read(bob.accountId, ada.id)) ?? '');
    assert.ok(!seen.includes(ada.id), 'an account with equal data sees only its own');
  });
}

for (const [name, write] of Object.entries(WRITES)) {
  test(`${name} writes only to the given account`, async () => {
    const ada = await createTenant('Ada');
    const bob = await createTenant('Bob');
    const before = await countRows(bob.accountId);
    await database.write((session) => write(session, ada.accountId));
    assert.deepEqual(await countRows(bob.accountId), before);
    assert.notDeepEqual(await countRows(ada.accountId), before);
    await assert.rejects(
      database.write((session) => write(session, 'acc_unknown')),
      /foreign key/i,
    );
  });
}

for (const [name, change] of Object.entries(CHANGES)) {
  test(`${name} does not change another account's data`, async () => {
    const emptyId = await createEmpty();
    const ada = await createTenant('Ada');
    const theirs = await listings.findListing(database, ada.accountId, ada.id);
    assert.ok(theirs);
    const everything = () =>
      Promise.all(TENANT_TABLES.map((table) => database.execute(words(`select * from ${table}`), {})));
    const before = await everything();
    await database.write((session) => change(session, emptyId, theirs));
    assert.deepEqual(await everything(), before);
    await database.write((session) => change(session, ada.accountId, theirs));
    assert.notDeepEqual(await everything(), before, 'the function changes the owner’s data');
  });
}

test('each account has its own sequence', async () => {
  const ada = await createTenant('Ada');
  const bob = await createTenant('Bob');
  await create(database, bob.accountId, { ...INPUT, externalId: 'MLS-2' });
  assert.equal(await storedSequence(database, ada.accountId), 2);
  assert.equal(await storedSequence(database, bob.accountId), 3);
});

test("an account sees only its own keys' usage and its own audit log", async () => {
  const emptyId = await createEmpty();
  const ada = await createTenant('Ada');
  const keyId = 'key_ada';
  await database.write((session) => addKeyHour(session, ada.accountId, { keyId, hour: 0, requests: 1, errors: 0 }));
  const reads = [
    (accountId: string) => findKeyHours(database.scans, accountId, 0),
    (accountId: string) => findAuditEntries(database, accountId, '~', 100),
    async (accountId: string) => [...(await findTargetNames(database.scans, accountId, 'api_key.created', ''))],
  ];
  for (const read of reads) {
    assert.ok((await read(ada.accountId)).length > 0);
    assert.ok(!JSON.stringify(await read(emptyId)).includes('Ada'));
  }
  assert.deepEqual(await findKeyHours(database.scans, emptyId, 0), []);
});

test('an account lists only its own keys', async () => {
  const emptyId = await createEmpty();
  const ada = await createTenant('Ada');
  await createTenant('Bob');
  const keys = await listApiKeys(database, ada.accountId);
  assert.deepEqual(
    keys.map((key) => key.accountId),
    [ada.accountId],
  );
  assert.deepEqual(await listApiKeys(database, emptyId), []);
});

test('a key works only for its own account, and its use is recorded only there', async () => {
  const emptyId = await createEmpty();
  const { accountId } = await createTenant('Ada');
  const find = async () => (await listApiKeys(database, accountId))[0] ?? assert.fail('there is no key');
  const { id } = await find();
  assert.equal((await findKeyDetails(database, accountId, id))?.accountName, 'Ada');
  assert.equal(await findKeyDetails(database, emptyId, id), undefined);
  await database.write((session) => setLastUsed(session, emptyId, id, 1));
  assert.equal((await find()).lastUsedAt, null);
  await database.write((session) => setLastUsed(session, accountId, id, 1));
  assert.equal((await find()).lastUsedAt, 1);
  const change = { name: 'Theirs', expiresAt: 1, replacedBy: 'key_x' };
  await database.write((session) => updateApiKey(session, emptyId, id, change));
  assert.deepEqual([(await find()).name, (await find()).replacedBy], ['Test', null]);
  assert.equal(await findApiKey(database, emptyId, id), undefined);
  assert.deepEqual(await findApiKey(database, accountId, id), await find());
});

test('an account reads and removes only its own requests', async () => {
  const [ours, theirs] = [await createEmpty(), await createEmpty()];
  const { requestLog } = database;
  const block = { id: 'req_1', requests: Buffer.from('[]'), failures: 1 };
  await requestLog.write((session) => insertRequestBlock(session, { accountId: theirs, ...block }));
  const find = (accountId: string, failed: boolean) =>
    findRequestBlocks(requestLog, accountId, { since: '', before: '~', failed }, 10);
  const idsOf = async (accountId: string, failed: boolean) => (await find(accountId, failed)).map(({ id }) => id);
  assert.deepEqual([await find(ours, false), await find(ours, true)], [[], []]);
  assert.equal(await requestLog.write((session) => removeRequestBlocks(session, ours, 10)), 0);
  assert.deepEqual([await idsOf(theirs, false), await idsOf(theirs, true)], [['req_1'], ['req_1']]);
});

test('deleting an account deletes its listings, events, keys, and sequence, and nothing of other accounts', async () => {
  const ada = await createTenant('Ada');
  const bob = await createTenant('Bob');
  const each = {
    ...{ account_heads: 1, listings: 1, listing_facets: 1, listing_history: 1, events: 2, api_keys: 1 },
    ...{ webhooks: 1, webhook_deliveries: DELIVERIES.length },
  };
  assert.deepEqual(await countRows(ada.accountId), each);
  await database.write((session) => session.execute(words(`delete from accounts where id = '${ada.accountId}'`), {}));
  const none = Object.fromEntries(TENANT_TABLES.map((table) => [table, 0]));
  assert.deepEqual(await countRows(ada.accountId), none);
  assert.deepEqual(await sql('select id from listing_facets where id = ?', ada.id), []);
  assert.deepEqual(await countRows(bob.accountId), each);
  assert.equal(await findKeyPrincipal(database, hashSecret(ada.secret)), undefined);
  assert.equal((await findKeyPrincipal(database, hashSecret(bob.secret)))?.accountId, bob.accountId);
});
