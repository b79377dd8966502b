import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { counts } from '../../../testkit/src/imports.ts';
import { changeQuotas } from '../../src/domain/accounts/account-limits.ts';
import { changeAccount, createAccount } from '../../src/domain/accounts/accounts.ts';
import { importAtomically } from '../../src/domain/imports/atomic-imports.ts';
import type { ImportRow } from '../../src/domain/imports/import-rows.ts';
import { importRows } from '../../src/domain/imports/imports.ts';
import { deleteListing, updateListing } from '../../src/domain/listings/listings.ts';
import { AppError } from '../../src/model/errors.ts';
import type { Listing, ListingInput } from '../../src/model/listings.ts';
import { NEWEST_FIRST } from '../../src/model/search.ts';
import { type Database, statement } from '../../src/storage/database.ts';
import { findEvents } from '../../src/storage/events.ts';
import { findListingByExternalId } from '../../src/storage/listings.ts';
import { create, databaseFor, storedSequence } from '../storage/support.ts';

const BASE = { address: '12 Elm Street', beds: 3, baths: 2 };

/** A row as a merge patch; `id` names a listing. */
function row(line: number, { id, ...fields }: Partial<ListingInput> & { id?: string | undefined }): ImportRow {
  const makeInput = (current: Listing | undefined): ListingInput => ({ ...BASE, ...current, ...fields });
  return { line, id, externalId: fields.externalId, makeInput };
}

/** Batches of at most `length` rows. */
async function* batchesOf(rows: ImportRow[], length: number): AsyncGenerator<ImportRow[]> {
  for (let start = 0; start < rows.length; start += length) yield rows.slice(start, start + length);
}

const requestOf = (accountId: string, rows: ImportRow[], length = rows.length) => ({
  actor: { accountId },
  batches: batchesOf(rows, length),
  isDryRun: false,
});

async function importAll(database: Database, accountId: string, rows: ImportRow[]) {
  return (await importAtomically(database, requestOf(accountId, rows), () => undefined)).outcome;
}

const selectRows = statement<
  { accountId: string },
  { doc: string; sequence: number; externalId: string | null; city: string | null }
>((query, parameter, engine) =>
  query
    .selectFrom('listings')
    .innerJoin('listing_facets as facets', 'facets.id', 'listings.id')
    .select(['doc', 'sequence', 'external_id as externalId', 'facets.city'])
    .where('listings.account_id', '=', parameter('accountId'))
    .where('facets.account_id', '=', engine.accountKey(parameter('accountId')))
    .orderBy('listings.id'),
);

async function findWords({ search }: Database, accountId: string, word: string): Promise<string[]> {
  const query = { conditions: [], box: undefined, circle: undefined, words: [word], order: NEWEST_FIRST };
  const { packs } = await search.findPositions(accountId, query, { after: undefined, limit: 1_000 }, {});
  const found = packs.flatMap((open) => open()).map(({ id }) => id);
  return found.reverse();
}

const WORDS = ['elm', 'oak', 'pine', 'austin', 'dallas', 'garden', 'pool'];

/** Everything stored for an account's listings, with positions instead of IDs and without times. */
async function describe(database: Database, accountId: string) {
  const rows = await database.execute(selectRows, { accountId });
  const { rows: events } = await findEvents(database, accountId, 0, { limit: 1_000, bytesMax: 1e9 });
  const ids = [...new Set(events.map(({ listingId }) => listingId))];
  const plain = (text: string | null) => {
    const { id, createdAt, updatedAt, ...rest } = JSON.parse(text ?? '{}');
    assert.ok(text === null || createdAt <= updatedAt);
    return { ...rest, id: ids.indexOf(id) };
  };
  const found = await Promise.all(WORDS.map((word) => findWords(database, accountId, word)));
  return {
    sequence: await storedSequence(database, accountId),
    listings: rows.map(({ doc, ...rest }) => ({ ...rest, ...plain(doc) })),
    events: events.map(({ sequence, type, listingId, changed, doc }) => [
      [sequence, type, ids.indexOf(listingId), changed],
      plain(doc),
    ]),
    found: found.map((some) => some.map((id) => ids.indexOf(id))),
  };
}

const { database } = await databaseFor({ after });

async function createAccounts() {
  const [one, other] = [await createAccount(database, 'One'), await createAccount(database, 'Other')];
  return { one: one.id, other: other.id };
}

/** Creates listings for the rows of a file to match. @returns their IDs */
async function seed(database: Database, accountId: string): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < 8; index += 1) {
    const listing = await create(database, accountId, { externalId: `S${index}`, description: WORDS[index % 7] });
    ids.push(listing.id);
  }
  return ids;
}

/** Rows that create listings, change them, repeat external ids, or change nothing. */
function someRows(ids: string[]): ImportRow[] {
  const rows: ImportRow[] = [];
  const pick = <T>(from: readonly T[], index: number) => from[(index * 7) % from.length];
  for (let index = 0; index < 240; index += 1) {
    const description = `${pick(WORDS, index)} ${pick(WORDS, index * 3 + 1)}`;
    const city = index % 3 === 0 ? 'Austin' : undefined;
    if (index % 6 === 0) rows.push(row(index, { id: pick(ids, index), beds: index % 5, city }));
    else if (index % 6 === 1) rows.push(row(index, { externalId: `S${index % 8}`, description }));
    else if (index % 6 === 2) rows.push(row(index, { externalId: `N${index % 40}`, description, city }));
    else rows.push(row(index, index % 2 === 0 ? {} : { externalId: `U${index}`, description, city }));
  }
  // Two listings exchange their external IDs.
  rows.push(row(300, { id: ids[0], externalId: 'free' }));
  rows.push(row(301, { id: ids[1], externalId: 'S0' }));
  rows.push(row(302, { id: ids[0], externalId: 'S1' }));
  return rows;
}

test('an import, atomic or not, has the same result as saving its rows one by one', async () => {
  const { one, other } = await createAccounts();
  const { id: third } = await createAccount(database, 'Third');
  const singly = someRows(await seed(database, one));
  const report = await importRows(database, requestOf(one, singly, 1), assert.ifError);
  assert.ok(report.created > 40 && report.updated > 40 && report.unchanged > 0, JSON.stringify(report));
  const inBatches = someRows(await seed(database, other));
  assert.deepEqual(await importRows(database, requestOf(other, inBatches), assert.ifError), report);
  const together = someRows(await seed(database, third));
  assert.deepEqual(await importAll(database, third, together), report);
  const { id: fourth } = await createAccount(database, 'Fourth');
  const onDisk = someRows(await seed(database, fourth));
  const saved = await importAtomically(database, requestOf(fourth, onDisk), () => undefined, 0);
  assert.deepEqual(saved.outcome, report);
  const left = await describe(database, one);
  assert.deepEqual(await describe(database, other), left);
  assert.deepEqual(await describe(database, third), left);
  assert.deepEqual(await describe(database, fourth), left);
  assert.deepEqual(
    left.listings.map(({ id }) => id),
    left.listings.map((_, index) => index),
    'IDs increase in the order of the events',
  );
});

test('a transaction of an import has at most 50 rows, and few if their listings are large', async () => {
  for (const [length, transactionsMin] of [
    [10, 2],
    [60_000, 25],
  ] as const) {
    const { id } = await createAccount(database, `${length} characters`);
    const sequences: number[] = [];
    const onCommit = (sequence: number) => void sequences.push(sequence);
    for (const letter of ['a', 'b']) {
      const rows = Array.from({ length: 100 }, (_, index) =>
        row(index, { externalId: `L${index}`, description: letter.repeat(length) }),
      );
      await importRows(database, { ...requestOf(id, rows), onCommit }, assert.ifError);
    }
    assert.equal(sequences.at(-1), 200);
    assert.ok(sequences.length >= 2 * transactionsMin, `${sequences.length} transactions`);
    assert.ok(sequences.every((sequence, index) => sequence - (sequences[index - 1] ?? 0) <= 50));
  }
});

test('an atomic import that fails or is a dry run reports the same errors as saving its rows one by one, and writes nothing', async () => {
  const { one, other } = await createAccounts();
  const rowsOf = (ids: string[]) => [
    row(1, { id: 'lst_0' }),
    row(2, { id: ids[2], externalId: 'S3' }),
    row(3, { externalId: 'NEW' }),
    row(4, { id: ids[3], externalId: 'S4b' }),
    row(5, { id: ids[2], externalId: 'S3' }),
    row(6, { id: ids[4], externalId: 'NEW' }),
  ];
  const [mine, theirs] = [await seed(database, one), await seed(database, other)];
  const report = await importRows(database, requestOf(other, rowsOf(theirs)), assert.ifError);
  const expected = report.errors.map(({ line, code }) => [line, code]);
  assert.deepEqual(expected, [
    [1, 'not_found'],
    [2, 'external_id_taken'],
    [6, 'external_id_taken'],
  ]);
  for (const isDryRun of [false, true]) {
    const request = { ...requestOf(one, rowsOf(mine)), isDryRun };
    await assert.rejects(
      importAtomically(database, request, () => undefined),
      (error) => {
        assert.ok(error instanceof AppError && error.code === 'import_failed');
        assert.deepEqual(
          error.details?.map((fault) => [Object(fault).line, fault.code]),
          expected,
        );
        return true;
      },
    );
  }
  assert.equal(await storedSequence(database, one), 8);
});

/** Wraps a database to call `disturb` just before each transaction. */
function disturbed(database: Database, disturb: (attempt: number) => Promise<unknown>): Database {
  let attempts = 0;
  return {
    ...database,
    async writeLong(job, accountId) {
      attempts += 1;
      await disturb(attempts);
      return database.writeLong(job, accountId);
    },
  };
}

test('an atomic import sees changes made between its lookup and its lock', async () => {
  const { one } = await createAccounts();
  const [first = '', second = '', third = ''] = await seed(database, one);
  const actor = { accountId: one };
  const during = disturbed(database, async () => {
    await updateListing(database, actor, { id: first }, (current) => ({ ...current, city: 'Austin' }));
    await deleteListing(database, actor, { id: second });
    await create(database, one, { externalId: 'NEW', city: 'Dallas' });
    await create(database, one);
  });
  const rows = [
    row(1, { externalId: 'S0', beds: 5 }),
    row(2, { externalId: 'S1', beds: 5 }),
    row(3, { id: third, beds: 5 }),
    row(4, { externalId: 'NEW', beds: 5 }),
    row(5, {}),
  ];
  const report = await importAll(during, one, rows);
  assert.deepEqual(report, counts(2, 3));
  const { listings, sequence } = await describe(database, one);
  assert.equal(sequence, 8 + 4 + 5);
  const byExternalId = new Map(listings.map((listing) => [listing.externalId, listing]));
  assert.deepEqual([byExternalId.get('S0').city, byExternalId.get('S0').beds], ['Austin', 5]);
  assert.deepEqual([byExternalId.get('S1').version, byExternalId.get('S1').beds], [1, 5]);
  assert.deepEqual([byExternalId.get('NEW').city, byExternalId.get('NEW').version], ['Dallas', 2]);
});

test('an atomic import that runs again after it lost its connection overwrites no change made in between', async () => {
  const { one } = await createAccounts();
  const [first = ''] = await seed(database, one);
  const update = (fields: Partial<ListingInput>) =>
    updateListing(database, { accountId: one }, { id: first }, (current) => ({ ...current, ...fields }));
  let runs = 0;
  const losing: Database = {
    ...database,
    async writeLong(job, accountId) {
      runs += 1;
      if (runs > 1) return database.writeLong(job, accountId);
      await update({ city: 'Austin' });
      const lost = database.writeLong((transaction) => {
        transaction.executeRun = () => Promise.reject(new Error('The connection was lost'));
        return job(transaction);
      }, accountId);
      await assert.rejects(lost, { message: 'The connection was lost' });
      return database.writeLong(job, accountId);
    },
  };
  assert.deepEqual(await importAll(losing, one, [row(1, { externalId: 'S0', beds: 5 })]), counts(0, 1));
  const [listing] = (await describe(database, one)).listings;
  assert.deepEqual([listing?.city, listing?.beds, listing?.version], ['Austin', 5, 3]);
  assert.equal(await storedSequence(database, one), 8 + 2);
});

test('an atomic import whose first row becomes impossible applies the other rows to the listings as they are', async () => {
  const { one } = await createAccounts();
  const [first = ''] = await seed(database, one);
  // The first row would free the external id S0, so that the second one would create a listing.
  const rows = [row(1, { id: first, externalId: 'NEW', beds: 5 }), row(2, { externalId: 'S0', beds: 6 })];
  const during = disturbed(database, async (attempt) => {
    if (attempt === 1) await create(database, one, { externalId: 'NEW' });
  });
  await assert.rejects(importAll(during, one, rows), ({ code, details }: AppError) => {
    const failed = details?.map((issue) => ('line' in issue ? [issue.line, issue.field] : issue));
    assert.deepEqual([code, failed], ['import_failed', [[1, 'externalId']]]);
    return true;
  });
  assert.equal(await storedSequence(database, one), 9);
});

test('an atomic import uses the defaults of the account at the time of its lock', async () => {
  const { one } = await createAccounts();
  const [first = ''] = await seed(database, one);
  const change = async (attempt: number) => {
    if (attempt === 1) await changeAccount(database, one, { currency: 'EUR' });
  };
  const rows = [row(1, { id: first, beds: 5 }), row(2, { listPrice: 1 })];
  assert.deepEqual(await importAll(disturbed(database, change), one, rows), counts(1, 1));
  const { listings } = await describe(database, one);
  const currencies = listings.filter(({ listPrice }) => listPrice === 1).map(({ currency }) => currency);
  assert.deepEqual([currencies, listings[0]?.beds], [['EUR'], 5]);
});

test('new listings of an atomic import get ids after all earlier ones, in the order of the rows', async () => {
  const rows = ['A', 'S0', 'B', 'A'].map((externalId, line) => row(line, { externalId, beds: 5 + line }));
  const seeded = ['S1', 'S2', 'S3', 'S4', 'S5', 'S6', 'S7'];
  const createDuring = (one: string) => create(database, one, { externalId: 'DURING' });
  // The second row then creates a listing, whose id is made after those of the other rows.
  const deleteDuring = async (one: string) => {
    const { id } = (await findListingByExternalId(database, one, 'S0')) ?? assert.fail();
    return deleteListing(database, { accountId: one }, { id });
  };
  for (const [disturb, names] of [
    [createDuring, ['S0', ...seeded, 'DURING', 'A', 'B', 'LATER']],
    [deleteDuring, [...seeded, 'A', 'S0', 'B', 'LATER']],
  ] as const) {
    const { one } = await createAccounts();
    await seed(database, one);
    const changing = disturbed(database, () => disturb(one));
    await importAtomically(changing, requestOf(one, rows), () => undefined, 0);
    await create(database, one, { externalId: 'LATER' });
    const stored = await database.execute(selectRows, { accountId: one });
    assert.deepEqual(
      stored.map(({ externalId }) => externalId),
      names,
    );
    assert.deepEqual(
      await findWords(database, one, 'elm'),
      stored.map(({ doc }) => JSON.parse(doc).id),
    );
    const { rows: events } = await findEvents(database, one, 0, { limit: 1_000, bytesMax: 1e9 });
    for (const { listingId, doc } of events)
      assert.equal(JSON.parse(doc ?? '{}').id, doc === null ? undefined : listingId);
  }
});

test('an atomic import cannot exceed a quota that others use between its lookup and its lock', async () => {
  const { one } = await createAccounts();
  await changeQuotas(database, one, { listingsMax: 3 });
  const during = disturbed(database, () => create(database, one));
  await assert.rejects(importAll(during, one, [row(1, {}), row(2, {}), row(3, {})]), { code: 'import_failed' });
  assert.equal(await storedSequence(database, one), 1);
  assert.equal((await importAll(database, one, [row(1, {}), row(2, {})])).created, 2);
});

test('an atomic import stores nothing if one of its listings is deleted between its lookup and its lock', async () => {
  const { one } = await createAccounts();
  const [first = ''] = await seed(database, one);
  const during = disturbed(database, () => deleteListing(database, { accountId: one }, { id: first }));
  await assert.rejects(importAll(during, one, [row(1, {}), row(2, { id: first, beds: 5 })]), { code: 'import_failed' });
  assert.equal(await storedSequence(database, one), 9);
});

test('an atomic import is prepared again if too much has changed to check under the lock', async () => {
  const { one } = await createAccounts();
  await seed(database, one);
  const counts = [1_200, 150, 5];
  const change = (attempt: number) =>
    Promise.all(Array.from({ length: counts[attempt - 1] ?? 0 }, () => create(database, one)));
  const report = await importAll(disturbed(database, change), one, [row(1, { externalId: 'S0', beds: 5 }), row(2, {})]);
  assert.deepEqual([report.created, report.updated], [1, 1]);
  assert.equal(await storedSequence(database, one), 8 + 1_200 + 150 + 5 + 2);
});

test('an atomic import of listings that never stop changing gets Retry-After and writes nothing', async () => {
  const { one } = await createAccounts();
  const change = () => Promise.all(Array.from({ length: 150 }, () => create(database, one)));
  await assert.rejects(importAll(disturbed(database, change), one, [row(1, {})]), {
    code: 'unavailable',
    headers: { 'Retry-After': '5' },
  });
  assert.equal(await storedSequence(database, one), 5 * 150);
});

test('an atomic import that would block others for too long is rejected before it writes anything', async () => {
  const { one } = await createAccounts();
  const small = { ...database, longWriteBytesMax: 100_000 };
  const rows = Array.from({ length: 100 }, (_, line) => row(line, { description: `${line} ${'word '.repeat(300)}` }));
  await assert.rejects(importAll(small, one, rows), { code: 'payload_too_large' });
  assert.equal(await storedSequence(database, one), 0);
  assert.equal((await importAll(database, one, rows)).created, 100);
});

test('an atomic import is neither prepared nor written after its client disconnects', async () => {
  const { one } = await createAccounts();
  const gone = new AbortController();
  const request = (rows: ImportRow[]) => ({ ...requestOf(one, rows), signal: gone.signal });
  const leave = () => {
    gone.abort(new AppError('invalid_header', 'The connection ended.'));
    return undefined;
  };
  await assert.rejects(importAtomically(database, request([row(1, {})]), leave), { code: 'invalid_header' });
  let worked = 0;
  const rows = Array.from({ length: 5_000 }, (_, line): ImportRow => {
    const makeInput = () => {
      worked += 1;
      return { ...BASE, description: 'word '.repeat(500) };
    };
    return { line, id: undefined, externalId: undefined, makeInput };
  });
  await assert.rejects(importAtomically(database, { ...request(rows), isDryRun: true }, leave), {
    code: 'invalid_header',
  });
  assert.ok(worked < 5_000, `${worked} rows were prepared`);
  assert.equal(await storedSequence(database, one), 0);
});

test('an atomic import whose client disconnects while it is written is undone', async () => {
  const { one } = await createAccounts();
  const gone = new AbortController();
  let turns = 0;
  const leaving: Database = {
    ...database,
    writeLong: (job, accountId) =>
      database.writeLong((transaction) => {
        const nextTurn = transaction.nextTurn.bind(transaction);
        transaction.nextTurn = async () => {
          turns += 1;
          if (turns === 10) gone.abort(new AppError('invalid_header', 'The connection ended.'));
          await nextTurn();
        };
        return job(transaction);
      }, accountId),
  };
  const rows = Array.from({ length: 5_000 }, (_, line) => row(line, { description: 'word '.repeat(200) }));
  const request = { ...requestOf(one, rows), signal: gone.signal };
  await assert.rejects(
    importAtomically(leaving, request, () => undefined),
    { code: 'invalid_header' },
  );
  assert.equal(turns, 10);
  assert.equal(await storedSequence(database, one), 0);
  assert.equal((await importAll(database, one, [row(1, {})])).created, 1);
});

test('one atomic import of an account is prepared at a time, and one that waits ends with its client', async () => {
  const { one, other } = await createAccounts();
  const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const held = disturbed(database, () => {
    arrived.resolve();
    return released.promise;
  });
  const first = importAll(held, one, [row(1, {})]);
  await arrived.promise;
  let worked = 0;
  const counted: ImportRow = {
    ...row(1, {}),
    makeInput() {
      worked += 1;
      return BASE;
    },
  };
  const gone = new AbortController();
  const waiting = importAtomically(database, { ...requestOf(one, [counted]), signal: gone.signal }, () => undefined);
  assert.equal((await importAll(database, other, [row(1, {})])).created, 1, 'other accounts do not wait');
  gone.abort(new AppError('invalid_header', 'The connection ended.'));
  await assert.rejects(waiting, { code: 'invalid_header' });
  assert.equal(worked, 0);
  released.resolve();
  assert.equal((await first).created, 1);
  assert.equal((await importAll(database, one, [row(1, {})])).created, 1);
});

test('a repeated atomic import is acknowledged after a commit, which waits for the standby', async () => {
  const { one: accountId } = await createAccounts();
  const retry = { key: 'nightly', fingerprint: 'file' };
  const send = (to: Database) => importAtomically(to, requestOf(accountId, [row(1, {})]), () => retry);
  assert.equal((await send(database)).isReplayed, false);
  let commits = 0;
  const counting: Database = {
    ...database,
    write(job, account) {
      commits += 1;
      return database.write(job, account);
    },
  };
  const { outcome, isReplayed } = await send(counting);
  assert.deepEqual([outcome.created, isReplayed, commits], [1, true, 1]);
  assert.equal(await storedSequence(database, accountId), 1);
});
