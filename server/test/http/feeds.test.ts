import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { JSON_ARRAY, listAll, NDJSON } from '../../../testkit/src/imports.ts';
import { readError } from '../../../testkit/src/replies.ts';
import { startSharedService, type Tenant } from '../../../testkit/src/service.ts';
import { until } from '../../../testkit/src/until.ts';
import { countsOf, get, ndjson, type Run, runFeed, sendFeed, stopFeed } from '../support/feeds.ts';
import { CSV } from '../support/formats.ts';
import { openUpload } from '../support/uploads.ts';

const service = await startSharedService();

const row = (externalId: string, members: object = {}) => ({
  externalId,
  address: `${externalId} Elm Street`,
  beds: 3,
  baths: 2,
  ...members,
});

/** Rows `A-0000`, `A-0001`, … */
const rows = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => row(`A-${String(from + index).padStart(4, '0')}`));

const request = (tenant: Tenant, method: string, path: string, body?: object) =>
  service.fetch(tenant, `/v1${path}`, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  });

async function listingsOf(tenant: Tenant, query = ''): Promise<Record<string, unknown>[]> {
  return (await get<{ data: Record<string, unknown>[] }>(service, tenant, `/listings${query}`)).data;
}

async function externalIdsOf(tenant: Tenant, query = ''): Promise<unknown[]> {
  return (await listingsOf(tenant, query)).map(({ externalId }) => externalId).sort();
}

const limitListings = ({ accountId }: Tenant, max: number) =>
  service.sql('update account_heads set listings_max = ? where account_id = ?', max, accountId);

const sequenceOf = async (tenant: Tenant) => (await listAll(service, tenant)).sequence;

describe('a run', () => {
  test('creates the listings of a new feed, in the order of the file', async () => {
    const tenant = await service.createTenant();
    const file = rows(120).reverse();
    const run = await runFeed(service, tenant, 'mls', file);
    assert.deepEqual([run.outcome, countsOf(run)], ['succeeded', { rows: 120, created: 120 }]);
    assert.deepEqual([run.sequenceFrom, run.sequenceTo, run.errors], [0, 120, []]);
    const listings = await listingsOf(tenant);
    assert.deepEqual(
      listings.map(({ externalId, feed }) => [externalId, feed]).reverse(),
      file.map(({ externalId }) => [externalId, 'mls']),
    );
  });

  test('with the same file again changes nothing, and counts all rows as unchanged', async () => {
    const tenant = await service.createTenant();
    await runFeed(service, tenant, 'mls', rows(120));
    const before = await listAll(service, tenant);
    const run = await runFeed(service, tenant, 'mls', rows(120));
    assert.deepEqual([countsOf(run), run.sequenceFrom, run.sequenceTo], [{ rows: 120, unchanged: 120 }, 120, 120]);
    assert.deepEqual(await listAll(service, tenant), before);
  });

  test('updates and creates listings, and keeps missing ones by default', async () => {
    const tenant = await service.createTenant();
    await runFeed(service, tenant, 'mls', rows(10));
    const run = await runFeed(service, tenant, 'mls', [row('A-0000', { beds: 9 }), ...rows(10, 2)]);
    assert.deepEqual(countsOf(run), { rows: 11, created: 2, updated: 1, unchanged: 8, missing: 1 });
    assert.equal((await listingsOf(tenant)).length, 12);
  });

  test('merges rows: an absent field stays, and null removes it', async () => {
    const tenant = await service.createTenant();
    await runFeed(service, tenant, 'mls', [row('A', { city: 'Austin', listPrice: 5 })]);
    await runFeed(service, tenant, 'mls', [{ externalId: 'A', city: null, beds: 4 }]);
    const [listing] = await listingsOf(tenant);
    assert.deepEqual([listing?.city, listing?.listPrice, listing?.beds, listing?.version], [undefined, 5, 4, 2]);
  });

  test('withdraws missing listings once, and makes them active when they come back without a status', async () => {
    const tenant = await service.createTenant();
    await runFeed(service, tenant, 'mls', [...rows(3), row('P', { status: 'pending' })]);
    const query = '?missing=withdraw';
    const gone = await runFeed(service, tenant, 'mls', rows(2), { query });
    assert.deepEqual(countsOf(gone), { rows: 2, unchanged: 2, missing: 2, withdrawn: 2 });
    assert.deepEqual(await externalIdsOf(tenant, '?status=withdrawn'), ['A-0002', 'P']);
    const again = await runFeed(service, tenant, 'mls', rows(2), { query });
    assert.deepEqual(countsOf(again), { rows: 2, unchanged: 2, missing: 2 });
    const back = await runFeed(service, tenant, 'mls', [...rows(3), row('P', { status: 'withdrawn' })], { query });
    assert.deepEqual(countsOf(back), { rows: 4, updated: 1, unchanged: 3 });
    assert.deepEqual(await externalIdsOf(tenant, '?status=active'), ['A-0000', 'A-0001', 'A-0002']);
  });

  test('withdraws a missing listing again after a client has changed its status, and counts it in the guard', async () => {
    const tenant = await service.createTenant();
    const query = '?missing=withdraw';
    await runFeed(service, tenant, 'mls', [...rows(3), row('W', { status: 'withdrawn' })]);
    const gone = await runFeed(service, tenant, 'mls', rows(2), { query });
    assert.deepEqual(countsOf(gone), { rows: 2, unchanged: 2, missing: 2, withdrawn: 1 });
    for (const status of ['active', 'closed']) {
      await (await request(tenant, 'PATCH', '/listings/external/A-0002', { status })).text();
      const kept = await runFeed(service, tenant, 'mls', rows(2), { query: '?missing=keep&missingMax=0' });
      assert.deepEqual(countsOf(kept), { rows: 2, unchanged: 2, missing: 2 });
      const stopped = await stopFeed(service, tenant, 'mls', rows(2), { query: `${query}&missingMax=0` });
      assert.match(String(stopped.message), /1 of the feed's 4 listings/);
      const again = await runFeed(service, tenant, 'mls', rows(2), { query: `?plan=${stopped.planId}` });
      assert.deepEqual(countsOf(again), { rows: 2, unchanged: 2, missing: 2, withdrawn: 1 });
      const settled = await runFeed(service, tenant, 'mls', rows(2), { query: `${query}&missingMax=0` });
      assert.deepEqual(countsOf(settled), { rows: 2, unchanged: 2, missing: 2 });
    }
    assert.deepEqual(await externalIdsOf(tenant, '?status=withdrawn'), ['A-0002', 'W']);
  });

  test('makes a listing active that another feed withdrew before the feed was deleted', async () => {
    const tenant = await service.createTenant();
    await runFeed(service, tenant, 'old', rows(2));
    await runFeed(service, tenant, 'old', rows(1), { query: '?missing=withdraw' });
    assert.equal((await request(tenant, 'DELETE', '/feeds/old?listings=keep')).status, 204);
    assert.deepEqual(await externalIdsOf(tenant, '?status=withdrawn'), ['A-0001']);
    await runFeed(service, tenant, 'mls', rows(2));
    assert.deepEqual(await externalIdsOf(tenant, '?status=active&feed=mls'), ['A-0000', 'A-0001']);
  });

  test('deletes missing listings, even those without an external id', async () => {
    const tenant = await service.createTenant();
    await runFeed(service, tenant, 'mls', rows(4));
    const [newest] = await listingsOf(tenant);
    await (await request(tenant, 'PATCH', `/listings/${newest?.id}`, { externalId: null })).text();
    const run = await runFeed(service, tenant, 'mls', rows(2), { query: '?missing=delete' });
    assert.deepEqual(countsOf(run), { rows: 2, unchanged: 2, missing: 2, deleted: 2 });
    assert.deepEqual(await externalIdsOf(tenant), ['A-0000', 'A-0001']);
  });

  test('adopts listings without a feed, and does not touch those of another feed', async () => {
    const tenant = await service.createTenant();
    await (await request(tenant, 'POST', '/listings', row('A'))).text();
    await runFeed(service, tenant, 'other', [row('B', { beds: 7 })]);
    const before = await listingsOf(tenant, '?feed=other');
    const run = await runFeed(service, tenant, 'mls', [row('A'), row('B')], { query: '?failedMax=1' });
    assert.deepEqual(countsOf(run), { rows: 2, updated: 1, failed: 1 });
    const { line, externalId, code, feed, listingId } = { feed: '', listingId: '', ...run.errors[0] };
    assert.deepEqual([line, externalId, code, feed, listingId], [2, 'B', 'belongs_to_feed', 'other', before[0]?.id]);
    assert.deepEqual(await listingsOf(tenant, '?feed=other'), before);
    assert.deepEqual(await externalIdsOf(tenant, '?feed=mls'), ['A']);
    const events = await get<{ data: { changed?: string[] }[] }>(service, tenant, '/events?after=2');
    assert.deepEqual(events.data[0]?.changed, ['feed']);
  });

  test('fails repeated external ids and rows without one; ids that differ only in case are different', async () => {
    const tenant = await service.createTenant();
    const { externalId: _, ...nameless } = row('X');
    const file = [row('a'), row('A'), row(' a ', { beds: 9 }), nameless, row('A', { beds: 8 })];
    const run = await runFeed(service, tenant, 'mls', file, { query: '?failedMax=100%25' });
    assert.deepEqual(countsOf(run), { rows: 5, created: 2, failed: 3 });
    assert.deepEqual(
      run.errors.map(({ line, code }) => [line, code]),
      [
        [3, 'duplicate'],
        [4, 'validation_failed'],
        [5, 'duplicate'],
      ],
    );
    assert.deepEqual(
      (await listingsOf(tenant)).map(({ beds }) => beds),
      [3, 3],
    );
  });

  test('does not count a listing as missing if its row has failed', async () => {
    const tenant = await service.createTenant();
    await runFeed(service, tenant, 'mls', rows(3));
    const query = '?missing=delete&failedMax=1';
    const run = await runFeed(service, tenant, 'mls', [...rows(2), row('A-0002', { beds: -1 })], { query });
    assert.deepEqual(countsOf(run), { rows: 3, unchanged: 2, failed: 1 });
    assert.equal((await listingsOf(tenant)).length, 3);
  });

  const csvRow = (id: string) => `${id},${id} Elm Street,3,2`;
  const csvFile = (header: string, ...lines: string[]) => [header, ...lines, ''].join('\n');
  const [CSV_HEADER, SHIFTED] = ['externalId,address,beds,baths', 'address,beds,externalId,baths'];
  const DUPLICATE = '{"externalId":"A-0002","address":"a","address":"b","beds":3,"baths":2}';
  const LONG = `{"externalId":"A-0002","address":"a","description":"${'x'.repeat(2 ** 20)}","beds":3,"baths":2}`;
  const before = ['A-0000', 'A-0001'];
  const csv = (line: string) => csvFile(CSV_HEADER, ...before.map(csvRow), line);
  const shifted = (line: string) => csvFile(SHIFTED, ...before.map((id) => `${id} Elm Street,3,${id},2`), line);
  const json = (line: string) => `${ndjson(rows(2))}${line}\n`;
  const UNREADABLE: [what: string, type: string, file: string, externalId: string | undefined, query?: string][] = [
    ['has a CSV cell that is not UTF-8', CSV, csv('A-0002,Caf\xe9 39,3,2'), 'A-0002'],
    ['has a CSV cell too many', CSV, csv('A-0002,12 Elm St, Unit 3,3,2'), 'A-0002'],
    ['has a CSV cell too few', CSV, csv('A-0002,12 Elm St,3'), undefined],
    ['has a CSV cell too many, before its id', CSV, shifted('12 Elm St, Unit 3,3, A-0002 ,2'), undefined],
    ['continues in the next CSV line', CSV, shifted('12 Elm St,3\nA-0002,2'), undefined],
    ['has a duplicate member', NDJSON, json(DUPLICATE), 'A-0002'],
    [
      'has a duplicate member in an array',
      JSON_ARRAY,
      `[${rows(2).map((each) => JSON.stringify(each))},${DUPLICATE}]`,
      'A-0002',
    ],
    ['has two ids', NDJSON, json('{"externalId":"A-0002","externalId":"B"}'), undefined],
    [
      'is not valid JSON',
      NDJSON,
      json('{"address":"12" Elm","ListingId":"7","ListingKey" : "A-000\\u0032"}'),
      'A-0002',
    ],
    ['has JSON that is not UTF-8', NDJSON, json('{"externalId":"A-0002","address":"Caf\xe9"}'), 'A-0002'],
    ['is cut off in JSON', NDJSON, json('{"externalId":"A-0002","addr'), 'A-0002'],
    [
      'has a mapped id',
      NDJSON,
      json(DUPLICATE.replace('externalId', 'MLS [#]')),
      'A-0002',
      '&map[MLS%20%5B%23%5D]=externalId',
    ],
    ['has a number as its id, with clean', NDJSON, json('{"externalId":42,"address":"12" Elm"}'), '42', '&clean=true'],
    ['has too many values', NDJSON, json(`{"externalId":"A-0002","photos":[${'0,'.repeat(6_000)}0]}`), 'A-0002'],
    ['is too long', NDJSON, json(LONG), 'A-0002'],
    ['is too long in an array', JSON_ARRAY, `[${rows(2).map((each) => JSON.stringify(each))},${LONG}]`, 'A-0002'],
  ];
  for (const [what, type, file, externalId, more = ''] of UNREADABLE) {
    test(`does not count a listing as missing if its row ${what}`, async () => {
      const tenant = await service.createTenant();
      await runFeed(service, tenant, 'mls', [...rows(3), row('42')]);
      const query = `?missing=delete&failedMax=2${more}`;
      const run = await runFeed(service, tenant, 'mls', Buffer.from(file, 'latin1'), { type, query });
      const failed = run.errors.length;
      assert.deepEqual(countsOf(run), { rows: 2 + failed, unchanged: 2, missing: 1, deleted: 1, failed });
      assert.deepEqual([...new Set(run.errors.map((error) => error.externalId))], [externalId]);
      assert.deepEqual(await externalIdsOf(tenant), [...before, externalId === '42' ? '42' : 'A-0002'].sort());
    });
  }

  test('uses a row with an external id that is also in a cell of an unreadable row', async () => {
    const tenant = await service.createTenant();
    const file = csvFile(CSV_HEADER, 'B,12 Elm St, Unit 3,A,2', csvRow('A'), csvRow('B'));
    const run = await runFeed(service, tenant, 'mls', file, { type: CSV, query: '?failedMax=1' });
    assert.deepEqual(countsOf(run), { rows: 3, created: 2, failed: 1 });
  });

  test('deletes the listing of a row whose external id cannot be read, and says so in the row', async () => {
    const tenant = await service.createTenant();
    await runFeed(service, tenant, 'mls', rows(3));
    const file = Buffer.from(csv('A-0002\xe9,12 Elm St,3,2'), 'latin1');
    const query = '?missing=delete&failedMax=1';
    const run = await runFeed(service, tenant, 'mls', file, { type: CSV, query });
    assert.deepEqual(countsOf(run), { rows: 3, unchanged: 2, missing: 1, deleted: 1, failed: 1 });
    assert.match(JSON.stringify(run.errors), /"field":"externalId".*Windows-1252/);
  });

  test('reads CSV with map, gzip, RESO names, and JSON arrays', async () => {
    const tenant = await service.createTenant();
    const csv = 'Key,UnparsedAddress,BedroomsTotal,BathroomsTotalInteger,Agent\nA,1 Elm,3,2,Ann\nB,2 Elm,4,1,Bob\n';
    const run = await runFeed(service, tenant, 'mls', gzipSync(csv), {
      type: 'text/csv',
      query: '?map[Key]=externalId&map[Agent]=',
      headers: { 'Content-Encoding': 'gzip' },
    });
    assert.deepEqual(countsOf(run), { rows: 2, created: 2 });
    const array = JSON.stringify([row('A', { address: '1 Elm' }), row('B', { address: '2 Elm', beds: 4, baths: 1 })]);
    const same = await runFeed(service, tenant, 'mls', array, { type: JSON_ARRAY });
    assert.deepEqual(countsOf(same), { rows: 2, unchanged: 2 });
  });

  describe('with ignoreUnknown, and new columns', () => {
    const base = { externalId: 'A', address: '1 Elm', beds: '3', baths: '2' };
    const toCsv = (row: object) => `${Object.keys(row).join()}\n${Object.values(row).join()}\n`;

    /** Sends files with one row each. @returns how to send the next one, and what an error asks for */
    async function sendAll(...earlier: object[]) {
      const tenant = await service.createTenant();
      const push = (row: object, query = '') =>
        sendFeed(service, tenant, 'mls', toCsv(row), { type: CSV, query: `?ignoreUnknown=true${query}` });
      for (const row of earlier) assert.equal((await push({ ...base, ...row })).status, 200);
      const asksFor = async (row: object, query = '') => {
        const response = await push({ ...base, ...row }, query);
        if (response.status === 200) return { text: await response.text(), asked: [] };
        const { message, details } = await readError(response, 422, 'validation_failed');
        const pattern = /set (map\[COLUMN\]=.*); otherwise, set (.*) to leave \w+ unchanged\.$/;
        return { text: message, asked: details?.map((each) => pattern.exec(each.message)?.slice(1).join(' or ')) };
      };
      return { tenant, asksFor };
    }

    test('does not lose the field of a column with a new name', async () => {
      const { tenant, asksFor } = await sendAll({ LivingArea: '900', StandardStatus: 'Active', Office: 'Oak' });
      const renamed = { 'Living Space': '950', Status: 'Pending', Office: 'Oak' };
      const asked = [
        'map[COLUMN]=LivingArea or map[LivingArea]=',
        'map[COLUMN]=StandardStatus or map[StandardStatus]=',
      ];
      assert.deepEqual((await asksFor(renamed)).asked, asked);
      assert.deepEqual((await asksFor(renamed, '&dryRun=true')).asked, asked);
      const answers = '&map[Living%20Space]=LivingArea&map[Status]=StandardStatus';
      assert.match((await asksFor(renamed, answers)).text, /"updated":1/);
      const [listing] = await listingsOf(tenant);
      assert.deepEqual([listing?.livingArea, listing?.status], [950, 'pending']);
      // The `map` parameters applied only to that file.
      const again = ['map[COLUMN]=LivingArea or map[Living Space]=', 'map[COLUMN]=StandardStatus or map[Status]='];
      assert.deepEqual((await asksFor(renamed)).asked, again);
    });

    test('remembers a column that one file lacked, and columns for parts of a field, until `map` removes them', async () => {
      const { asksFor } = await sendAll({ BathroomsHalf: '1', ListPrice: '5', createdAt: '' }, { ListPrice: '6' });
      const other = { ListPrice: '6', HalfBaths: '1' };
      assert.deepEqual((await asksFor(other)).asked, ['map[COLUMN]=BathroomsHalf or map[BathroomsHalf]=']);
      assert.deepEqual((await asksFor(other, '&map[BathroomsHalf]=')).asked, []);
      assert.deepEqual((await asksFor({ ...other, More: '1' })).asked, []);
    });

    test('allows columns to disappear, and new ones to appear, if no field is lost', async () => {
      const { asksFor } = await sendAll({ LivingArea: '900', Office: 'Oak' }, { Office: 'Oak' }, { livingArea: '5' });
      assert.deepEqual((await asksFor({ livingArea: '5', Agency: 'Elm' })).asked, []);
      assert.deepEqual((await asksFor({ Agency: 'Elm', '': '' })).asked, []);
      const long = await asksFor({ [`${'x'.repeat(200_000)}`]: '1' });
      assert.deepEqual(long.asked, ['map[COLUMN]=livingArea or map[livingArea]=']);
      assert.ok(long.text.length < 1_000);
    });
  });

  test('of CSV recognizes unchanged rows, overwrites changes by clients, and still counts cleaned values', async () => {
    const tenant = await service.createTenant();
    const lines = rows(60).map(
      ({ externalId, address, beds }, index) => `${externalId},${address},${beds},2,$${index + 1}00`,
    );
    const csv = ['externalId,address,beds,baths,listPrice', ...lines].join('\n');
    const sent = { type: CSV, query: '?clean=true' };
    await runFeed(service, tenant, 'mls', csv, sent);
    const same = await runFeed(service, tenant, 'mls', csv, sent);
    assert.deepEqual(countsOf(same), { rows: 60, unchanged: 60, cleaned: 60 });
    const [newest] = await listingsOf(tenant);
    await (await request(tenant, 'PATCH', `/listings/${newest?.id}`, { beds: 7 })).text();
    const run = await runFeed(service, tenant, 'mls', csv, sent);
    assert.deepEqual(countsOf(run), { rows: 60, updated: 1, unchanged: 59, cleaned: 60 });
    assert.equal((await listingsOf(tenant))[0]?.beds, 3);
    // The same cells mean something else under another header.
    const renamed = csv.replace('beds,baths', 'baths,beds');
    const other = await runFeed(service, tenant, 'mls', renamed, sent);
    assert.deepEqual(countsOf(other), { rows: 60, updated: 60, cleaned: 60 });
  });

  test('of CSV counts the cleaned values of a repeated row in each run', async () => {
    const tenant = await service.createTenant();
    const line = 'A,1 Elm,3,2,"$5,000"\n';
    const csv = `externalId,address,beds,baths,listPrice\n${line}${line}B,2 Elm,3,2,"$5,000"\n`;
    const sent = { type: CSV, query: '?clean=true&failedMax=1' };
    for (const counts of [{ created: 2 }, { unchanged: 2 }, { unchanged: 2 }]) {
      const run = await runFeed(service, tenant, 'mls', csv, sent);
      assert.deepEqual(countsOf(run), { rows: 3, failed: 1, cleaned: 3, ...counts });
    }
  });

  for (const [type, file] of [
    [CSV, 'externalId,address,beds,baths,livingArea,livingAreaUnits,listPrice,currency\nA,1 Elm,1,1,100,,5,\n'],
    [NDJSON, [row('A', { livingArea: 100, livingAreaUnits: null, listPrice: 5, currency: null })]],
  ] as const) {
    test(`of ${type} gives new defaults of the account to rows that name none`, async () => {
      const tenant = await service.createTenant();
      await runFeed(service, tenant, 'mls', file, { type });
      for (const change of ["area_units = 'sqm'", "currency = 'EUR'"]) {
        await service.sql(`update accounts set ${change} where id = ?`, tenant.accountId);
        const run = await runFeed(service, tenant, 'mls', file, { type });
        assert.deepEqual(countsOf(run), { rows: 1, updated: 1 });
      }
      const [listing] = await listingsOf(tenant);
      assert.deepEqual([listing?.livingAreaUnits, listing?.currency], ['sqm', 'EUR']);
    });
  }

  for (const [what, query, before] of [
    ['invalid', '', ''],
    ['over the quota', 'update account_heads set listings_max = 1 where account_id = ?', 'Z,E,1,1,\n'],
  ] as const) {
    test(`does not keep the values of rows that are ${what} below a header that is too long`, async () => {
      const tenant = await service.createTenant();
      if (query !== '') await service.sql(query, tenant.accountId);
      const header = `externalId,address,beds,baths,${Array.from({ length: 490 }, (_, index) => `${index}${'\x01'.repeat(40)}`)}`;
      const commas = ','.repeat(489);
      const line = (id: string) => `${id},E,${what === 'invalid' ? -1 : 1},1,${commas}\n`;
      const csv = `${header}\n${before && `Z,E,1,1,${commas}\n`}${Array.from({ length: 60 }, (_, index) => line(`A${index}`)).join('')}`;
      const run = await runFeed(service, tenant, 'mls', csv, { type: CSV, query: '?ignoreUnknown=true&failedMax=100' });
      assert.equal(run.failed, 60);
      const { data } = await get<{ data: object[] }>(service, tenant, `/feeds/mls/runs/${run.id}/errors`);
      assert.equal(data.length, 60);
      assert.deepEqual([...new Set(data.map((failure) => Object(failure).values))], [null]);
      const [stored] = await service.sql('select stored_rows, stored_bytes from feed_runs where id = ?', run.id);
      assert.deepEqual(Number(Object(stored).stored_rows), 60);
      const bytes = Number(Object(stored).stored_bytes);
      assert.ok(bytes > 0 && bytes < 60 * 1024, String(bytes));
    });
  }

  test('keeps the values of all cells of a failed row, each under its own name', async () => {
    const tenant = await service.createTenant();
    const csv = `externalId,address,beds,baths,Notes,Notes,\nA,E,1,1,u,v,w,x,y\n`;
    const query = '?ignoreUnknown=true&failedMax=1';
    const run = await runFeed(service, tenant, 'mls', csv, { type: CSV, query });
    const { data } = await get<{ data: { values: object }[] }>(service, tenant, `/feeds/mls/runs/${run.id}/errors`);
    const [columns, notes] = [
      { 'column 7': 'w', 'column 8': 'x', 'column 9': 'y' },
      { Notes: 'u', 'Notes (column 6)': 'v' },
    ];
    assert.deepEqual(data[0]?.values, { externalId: 'A', address: 'E', beds: '1', baths: '1', ...notes, ...columns });
  });

  for (const [what, beds, counts] of [
    ['a listing that has changed since', 7, { rows: 2, updated: 1, unchanged: 1, cleaned: 2 }],
    ['a listing that has changed to what the row says', 3, { rows: 2, unchanged: 2, cleaned: 2 }],
  ] as const) {
    test(`compares a row with ${what}, although it had recognized the row`, async () => {
      const tenant = await service.createTenant();
      const file = (bedsOfA: number) =>
        `externalId,address,beds,baths,listPrice\nA,1 Elm,${bedsOfA},2,$5\nB,2 Elm,1,1,$6\n`;
      const sent = { type: CSV, query: '?clean=true' };
      await runFeed(service, tenant, 'mls', file(3), sent);
      const { sending, replied } = openUpload(service, tenant, 'PUT', '/v1/feeds/mls?clean=true', {
        Expect: '100-continue',
        'Content-Type': CSV,
      });
      // The service asks for the file once it has read the known rows.
      await once(sending, 'continue');
      for (const each of [4, beds]) {
        await (await request(tenant, 'PATCH', '/listings/external/A', { beds: each })).text();
      }
      sending.end(file(3));
      const { status, body } = await replied;
      assert.equal(status, 200, body);
      assert.deepEqual(countsOf(JSON.parse(body)), counts);
      assert.deepEqual(
        (await listingsOf(tenant)).map((listing) => listing.beds),
        [1, 3],
      );
      assert.deepEqual(countsOf(await runFeed(service, tenant, 'mls', file(3), sent)), {
        rows: 2,
        unchanged: 2,
        cleaned: 2,
      });
    });
  }

  test('applies the quota to each row', async () => {
    const tenant = await service.createTenant();
    await limitListings(tenant, 3);
    const run = await runFeed(service, tenant, 'mls', rows(5), { query: '?failedMax=2' });
    assert.deepEqual(countsOf(run), { rows: 5, created: 3, failed: 2 });
    assert.deepEqual([...new Set(run.errors.map(({ code }) => code))], ['quota_exceeded']);
    assert.equal((await listingsOf(tenant)).length, 3);
  });

  test('of an account does not see the listings of another', async () => {
    const [one, other] = [await service.createTenant(), await service.createTenant()];
    await runFeed(service, one, 'mls', rows(3));
    const run = await runFeed(service, other, 'mls', rows(3), { query: '?missing=delete' });
    assert.deepEqual(countsOf(run), { rows: 3, created: 3 });
    await readError(
      await request(other, 'GET', `/feeds/mls/runs/${(await runFeed(service, one, 'mls', rows(3))).id}`),
      404,
      'not_found',
    );
  });
});

describe('changes by the API', () => {
  test('are allowed and keep the feed, and the next file overwrites the fields that it has', async () => {
    const tenant = await service.createTenant();
    await runFeed(service, tenant, 'mls', [row('A'), row('B'), row('C')]);
    const patched = await request(tenant, 'PATCH', '/listings/external/A', { beds: 8, city: 'Waco' });
    assert.equal(Object(await patched.json()).feed, 'mls');
    const put = await request(tenant, 'PUT', '/listings/external/B', { address: '9 Oak', beds: 1, baths: 1 });
    assert.equal(Object(await put.json()).feed, 'mls');
    await (await request(tenant, 'DELETE', '/listings/external/C')).text();
    assert.equal((await get<{ listings: number }>(service, tenant, '/feeds/mls')).listings, 2);
    const run = await runFeed(service, tenant, 'mls', [row('A'), row('B'), row('C')]);
    assert.deepEqual(countsOf(run), { rows: 3, created: 1, updated: 2 });
    const [a] = await listingsOf(tenant, '?externalId=A');
    assert.deepEqual([a?.beds, a?.city, a?.feed], [3, 'Waco', 'mls']);
  });

  test('that import rows of a feed keep the feed', async () => {
    const tenant = await service.createTenant();
    await runFeed(service, tenant, 'mls', [row('A')]);
    const response = await service.fetch(tenant, '/v1/imports', {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: ndjson([row('A', { beds: 5 })]),
    });
    assert.equal(Object(await response.json()).updated, 1);
    assert.deepEqual(await externalIdsOf(tenant, '?feed=mls'), ['A']);
  });
});

describe('the guard', () => {
  const stopped = async (
    tenant: Tenant,
    ...rest: Parameters<typeof stopFeed> extends [unknown, unknown, ...infer R] ? R : never
  ) => {
    const before = await listAll(service, tenant);
    const error = await stopFeed(service, tenant, ...rest);
    assert.deepEqual(await listAll(service, tenant), before);
    const run = await get<{ outcome: string; error: { code: string } }>(
      service,
      tenant,
      `/feeds/mls/runs/${error.runId}`,
    );
    assert.deepEqual([run.outcome, run.error.code], ['stopped_by_guard', 'feed_guard']);
    return error;
  };
  const reasonsOf = (error: Record<string, unknown>) =>
    Object(error.reasons).map(({ reason, count, limit }: Record<string, unknown>) =>
      [reason, count, limit].filter((part) => part !== undefined),
    );

  test('allows 5 missing listings or 20%, and stops at more', async () => {
    const tenant = await service.createTenant();
    await runFeed(service, tenant, 'mls', rows(20));
    const query = '?missing=delete';
    const error = await stopped(tenant, 'mls', rows(14), { query });
    assert.deepEqual(reasonsOf(error), [['missing', 6, 5]]);
    assert.match(String(error.message), /missingMax=6/);
    assert.deepEqual(error.plan, {
      rows: 14,
      created: 0,
      updated: 0,
      unchanged: 14,
      missing: 6,
      withdrawn: 0,
      deleted: 6,
      failed: 0,
      cleaned: 0,
    });
    assert.deepEqual(countsOf(await runFeed(service, tenant, 'mls', rows(15), { query })), {
      rows: 15,
      unchanged: 15,
      missing: 5,
      deleted: 5,
    });
    await stopped(tenant, 'mls', rows(13), { query: `${query}&missingMax=1` });
    await runFeed(service, tenant, 'mls', rows(1), { query: `${query}&missingMax=14` });
    assert.equal((await listingsOf(tenant)).length, 1);
  });

  test('does not count listings that were missing before', async () => {
    const tenant = await service.createTenant();
    await runFeed(service, tenant, 'mls', rows(20));
    for (const count of [15, 10]) {
      const run = await runFeed(service, tenant, 'mls', rows(count));
      assert.equal(run.missing, 20 - count);
    }
    assert.deepEqual(reasonsOf(await stopped(tenant, 'mls', rows(10), { query: '?missing=withdraw' })), [
      ['missing', 10, 5],
    ]);
  });

  test('stops when more than 5% of the rows fail', async () => {
    const tenant = await service.createTenant();
    const bad = row('X', { beds: -1 });
    assert.deepEqual(reasonsOf(await stopped(tenant, 'mls', [...rows(18), bad])), [['failed', 1, 0]]);
    assert.deepEqual(countsOf(await runFeed(service, tenant, 'mls', [...rows(19), bad])), {
      rows: 20,
      created: 19,
      failed: 1,
    });
  });

  test('stops a run that would exceed the quota, so it does not empty the feed', async () => {
    const tenant = await service.createTenant();
    await limitListings(tenant, 5);
    assert.deepEqual(reasonsOf(await stopped(tenant, 'mls', rows(7))), [['failed', 2, 0]]);
    await runFeed(service, tenant, 'mls', rows(5));
    const error = await stopped(tenant, 'mls', rows(5, 10), { query: '?missing=delete' });
    assert.deepEqual(reasonsOf(error), [['failed', 5, 0]]);
  });

  test('does not let a run withdraw or delete listings if too many rows fail only when they are written', async () => {
    const BAD = 10_000;
    const tenant = await service.createTenant();
    await runFeed(service, tenant, 'mls', rows(5));
    const file = ndjson([row('A-0000', { beds: 9 }), ...rows(5, 10)]) + '{}\n'.repeat(BAD);
    const sent = stopFeed(service, tenant, 'mls', file, { query: `?missing=delete&failedMax=${BAD}` });
    const isPlanned = async () => {
      const [stored] = await service.sql('select 1 from feed_errors where account_id = ? limit 1', tenant.accountId);
      return stored !== undefined;
    };
    await until('the plan has passed the guard', isPlanned);
    await limitListings(tenant, 5);
    const error = await sent;
    assert.deepEqual(reasonsOf(error), [['failed', BAD + 5, BAD]]);
    assert.match(String(error.message), /after it had changed 1 listing,.* failedMax=10005/);
    const run = await get<Run>(service, tenant, `/feeds/mls/runs/${error.runId}`);
    assert.equal(run.outcome, 'stopped_by_guard');
    assert.deepEqual(countsOf(run), { rows: BAD + 6, updated: 1, missing: 4, failed: BAD + 5 });
    const expected = rows(5).map(({ externalId }) => externalId);
    assert.deepEqual(await externalIdsOf(tenant), expected);
  });

  test("stops a run with another feed's file", async () => {
    const tenant = await service.createTenant();
    await runFeed(service, tenant, 'other', rows(10));
    assert.deepEqual(reasonsOf(await stopped(tenant, 'mls', rows(10))), [['failed', 10, 0]]);
  });

  const EMPTY: [what: string, file: string, type: string][] = [
    ['an empty NDJSON file', '', 'application/x-ndjson'],
    ['blank lines', '\n\n', 'application/x-ndjson'],
    ['an empty CSV file', '', 'text/csv'],
    ['a header only', 'externalId,address,beds,baths\n', 'text/csv'],
    ['an empty array', '[]', JSON_ARRAY],
  ];
  for (const [what, file, type] of EMPTY) {
    test(`always stops ${what}`, async () => {
      const tenant = await service.createTenant();
      const query = '?missingMax=100%25&failedMax=100%25';
      assert.deepEqual(reasonsOf(await stopped(tenant, 'mls', file, { type, query })), [['empty']]);
    });
  }

  const HEADER = 'externalId,address,beds,baths\n';
  const CUT: [what: string, file: string | Buffer, type: string][] = [
    ['CSV that ends in the middle of a row', `${HEADER}A,1 Elm,3,2\nB,2 El`, 'text/csv'],
    ['CSV that ends in a quoted cell', `${HEADER}A,1 Elm,3,2\nB,"2 Elm\n`, 'text/csv'],
    ['NDJSON that ends in the middle of a row', `${ndjson(rows(1))}{"externalId":"B","addr`, 'application/x-ndjson'],
    ['a JSON array that is not closed', `[${JSON.stringify(row('A'))},`, JSON_ARRAY],
    ['gzip without its end', gzipSync(ndjson(rows(2_000))).subarray(0, -12), 'application/x-ndjson'],
  ];
  for (const [what, file, type] of CUT) {
    test(`always stops ${what}`, async () => {
      const tenant = await service.createTenant();
      const query = '?missingMax=100%25&failedMax=100%25';
      const headers: Record<string, string> = typeof file === 'string' ? {} : { 'Content-Encoding': 'gzip' };
      assert.deepEqual(reasonsOf(await stopped(tenant, 'mls', file, { type, query, headers })), [['cut']]);
    });
  }

  test('does not mistake a file without a final line break for a truncated one', async () => {
    const tenant = await service.createTenant();
    await runFeed(service, tenant, 'mls', `${HEADER}A,1 Elm,3,2\nB,2 Elm,3,2`, { type: 'text/csv' });
    await runFeed(service, tenant, 'mls', ndjson(rows(2)).trimEnd());
    const array = `[\n${JSON.stringify(row('A'))}${' '.repeat(2 ** 20)}\n]`;
    const run = await runFeed(service, tenant, 'mls', array, { type: JSON_ARRAY });
    assert.deepEqual([run.rows, run.updated, run.failed], [1, 1, 0]);
    // The last row is complete, although it has no usable external id.
    for (const [file, type] of [
      [`${HEADER}A,1 Elm,3,2\n,Total,3,2`, 'text/csv'],
      [ndjson([row('A'), { ...row('B'), externalId: 17 }]).trimEnd(), 'application/x-ndjson'],
    ] as const) {
      const judged = await runFeed(service, tenant, 'mls', file, {
        type,
        query: '?missingMax=100%25&failedMax=100%25',
      });
      assert.deepEqual([judged.rows, judged.failed], [2, 1]);
    }
  });

  test('does not hide the error of a file that cannot be read', async () => {
    const tenant = await service.createTenant();
    const wrongBytes = gzipSync(ndjson(rows(100))).fill(0, 20, 60);
    const gzip = { headers: { 'Content-Encoding': 'gzip' } };
    await readError(await sendFeed(service, tenant, 'mls', wrongBytes, gzip), 422, 'import_failed');
    await readError(await sendFeed(service, tenant, 'mls', '"A"', { type: JSON_ARRAY }), 400, 'invalid_json');
    const wrong = await sendFeed(service, tenant, 'mls', 'externalId,Adress\nA,b\n', { type: 'text/csv' });
    await readError(wrong, 422, 'validation_failed');
    const twice = await sendFeed(service, tenant, 'mls', 'externalId,city,City\nA,b,c\n', { type: 'text/csv' });
    await readError(twice, 422, 'validation_failed');
    const mapped = await sendFeed(service, tenant, 'mls', 'externalId,Town,Place\nA,b,c\n', {
      type: 'text/csv',
      query: '?map[Town]=city&map[Place]=city',
    });
    await readError(mapped, 400, 'invalid_query');
    const { data } = await get<{ data: { outcome: string }[] }>(service, tenant, '/feeds/mls/runs');
    assert.deepEqual(
      data.map(({ outcome }) => outcome),
      ['failed', 'failed', 'failed', 'failed'],
    );
    assert.equal(await sequenceOf(tenant), 0);
  });

  test('stops rows in a wrong encoding', async () => {
    const tenant = await service.createTenant();
    const file = Buffer.from(`${HEADER}A,Élan,3,2\n`, 'latin1');
    const { runId, reasons } = await stopped(tenant, 'mls', file, { type: 'text/csv' });
    assert.equal(Object(reasons).length, 1);
    const { errors } = await get<Run>(service, tenant, `/feeds/mls/runs/${runId}`);
    assert.match(JSON.stringify(errors), /"line":2,.*"field":"address",.*probably Windows-1252/);
    const header = Buffer.from('externalId,address,beds,baths,Größe\nA,1 Elm,3,2,1\n', 'latin1');
    const error = await readError(
      await sendFeed(service, tenant, 'mls', header, { type: 'text/csv' }),
      422,
      'validation_failed',
    );
    assert.match(JSON.stringify(error.details), /column 5.*Windows-1252/);
  });
});

describe('a plan', () => {
  interface Plan {
    planId: string;
    guard: { reason: string }[];
    examples: Record<'create' | 'update' | 'missing' | 'failed', Record<string, unknown>[]>;
  }
  const plan = async (tenant: Tenant, file: readonly unknown[], query = '') => {
    const made = await runFeed(service, tenant, 'mls', file, { query: `?dryRun=true${query}` });
    return made as unknown as Plan & typeof made;
  };

  test('shows examples of each kind, writes nothing, and leaves no run', async () => {
    const tenant = await service.createTenant();
    await runFeed(service, tenant, 'mls', rows(3));
    const before = await listAll(service, tenant);
    const made = await plan(tenant, [row('A-0000', { beds: 4 }), row('A-0001'), row('B'), row('C', { baths: -1 })]);
    assert.deepEqual(countsOf(made), { rows: 4, created: 1, updated: 1, unchanged: 1, missing: 1, failed: 1 });
    const { create, update, missing, failed } = made.examples;
    assert.deepEqual(create, [{ line: 3, externalId: 'B', address: 'B Elm Street' }]);
    const ids = new Map(before.data.map(({ externalId, id }) => [externalId, id]));
    assert.deepEqual(update, [
      { line: 1, externalId: 'A-0000', listingId: ids.get('A-0000'), changes: { beds: { from: 3, to: 4 } } },
    ]);
    assert.deepEqual(missing, [{ listingId: ids.get('A-0002'), externalId: 'A-0002', address: 'A-0002 Elm Street' }]);
    assert.deepEqual(
      failed.map(({ line, code }) => [line, code]),
      [[4, 'validation_failed']],
    );
    assert.deepEqual(
      made.guard.map(({ reason }) => reason),
      ['failed'],
    );
    assert.deepEqual(await listAll(service, tenant), before);
    assert.equal((await get<{ data: unknown[] }>(service, tenant, '/feeds/mls/runs')).data.length, 1);
  });

  test('counts rows above the quota as failed, and is applied exactly', async () => {
    const tenant = await service.createTenant();
    await limitListings(tenant, 3);
    await runFeed(service, tenant, 'mls', rows(1));
    const file = [...rows(5).reverse(), row('B')];
    const made = await plan(tenant, file);
    assert.deepEqual(countsOf(made), { rows: 6, created: 2, unchanged: 1, failed: 3 });
    const { create, failed } = made.examples;
    assert.deepEqual(create.map(({ externalId }) => externalId).sort(), ['A-0003', 'A-0004']);
    assert.deepEqual(
      failed.map(({ line, code }) => [line, code]),
      [3, 4, 6].map((line) => [line, 'quota_exceeded']),
    );
    assert.deepEqual(
      made.guard.map(({ reason }) => reason),
      ['failed'],
    );
    const query = `?plan=${made.planId}`;
    const reordered = [...file.slice(0, 3).reverse(), ...file.slice(3)];
    const other = await stopFeed(service, tenant, 'mls', reordered, { query });
    assert.deepEqual([other.reasons, other.plan], [[], other.expected]);
    const run = await runFeed(service, tenant, 'mls', file, { query });
    assert.deepEqual([countsOf(run), run.errors], [countsOf(made), failed]);
    assert.deepEqual(await externalIdsOf(tenant), ['A-0000', 'A-0003', 'A-0004']);
  });

  test('counts changes above the quota for bytes as failed', async () => {
    const tenant = await service.createTenant();
    await runFeed(service, tenant, 'mls', [row('A', { description: 'x'.repeat(1000) }), row('B')]);
    const storedBytes = 'select stored_bytes from account_heads where account_id = ?';
    const [{ stored_bytes = 0 } = {}] = await service.sql(storedBytes, tenant.accountId);
    const bytesMax = Number(stored_bytes) + 1500;
    await service.sql('update account_heads set bytes_max = ? where account_id = ?', bytesMax, tenant.accountId);
    const description = 'y'.repeat(1200);
    const file = [row('B', { description }), row('C', { description }), row('D'), row('A', { description: 'x' })];
    const made = await plan(tenant, file);
    assert.deepEqual(countsOf(made), { rows: 4, created: 1, updated: 1, failed: 2 });
    assert.deepEqual(
      made.examples.failed.map(({ line, quota }) => [line, quota]),
      [1, 2].map((line) => [line, 'bytes']),
    );
    assert.deepEqual([...made.examples.create, ...made.examples.update].map(({ line }) => line).sort(), [3, 4]);
    const run = await runFeed(service, tenant, 'mls', file, { query: '?failedMax=2' });
    assert.deepEqual([countsOf(run), run.errors], [countsOf(made), made.examples.failed]);
  });

  test('of a new feed creates no feed', async () => {
    const tenant = await service.createTenant();
    assert.deepEqual(countsOf(await plan(tenant, rows(2))), { rows: 2, created: 2 });
    assert.deepEqual(await get(service, tenant, '/feeds'), { data: [] });
  });

  test('is applied whatever the limits are, with its own `missing`', async () => {
    const tenant = await service.createTenant();
    await runFeed(service, tenant, 'mls', rows(20));
    const { planId } = await plan(tenant, rows(2), '&missing=delete');
    const other = await sendFeed(service, tenant, 'mls', ndjson(rows(2)), { query: `?missing=keep&plan=${planId}` });
    await readError(other, 400, 'invalid_query');
    const run = await runFeed(service, tenant, 'mls', rows(2), { query: `?plan=${planId}` });
    assert.deepEqual(countsOf(run), { rows: 2, unchanged: 2, missing: 18, deleted: 18 });
  });

  test('in a guard error can be applied', async () => {
    const tenant = await service.createTenant();
    await runFeed(service, tenant, 'mls', rows(20));
    const { planId } = await stopFeed(service, tenant, 'mls', rows(2), { query: '?missing=withdraw' });
    const run = await runFeed(service, tenant, 'mls', rows(2), { query: `?plan=${planId}` });
    assert.equal(run.withdrawn, 18);
  });

  test('is rejected with what has changed since, if the file or a listing has changed', async () => {
    const tenant = await service.createTenant();
    await runFeed(service, tenant, 'mls', rows(5));
    const file = [row('A-0000', { beds: 9 }), ...rows(4, 1)];
    const { planId } = await plan(tenant, file);
    const other = await stopFeed(service, tenant, 'mls', [...file, row('B')], { query: `?plan=${planId}` });
    assert.deepEqual([Object(other.expected).created, Object(other.plan).created], [0, 1]);
    await (await request(tenant, 'PATCH', '/listings/external/A-0000', { city: 'Waco' })).text();
    const changed = await stopFeed(service, tenant, 'mls', file, { query: `?plan=${planId}` });
    assert.notEqual(changed.planId, planId);
    const run = await runFeed(service, tenant, 'mls', file, { query: `?plan=${changed.planId}` });
    assert.deepEqual(countsOf(run), { rows: 5, updated: 1, unchanged: 4 });
    const stale = await stopFeed(service, tenant, 'mls', file, { query: `?plan=${changed.planId}` });
    assert.equal(Object(stale.plan).updated, 0);
    const shorter = await plan(tenant, file.slice(1), '&missing=delete');
    await (await request(tenant, 'PATCH', '/listings/external/A-0000', { city: 'Austin' })).text();
    const same = await stopFeed(service, tenant, 'mls', file.slice(1), { query: `?plan=${shorter.planId}` });
    assert.deepEqual([same.plan, same.reasons], [same.expected, []]);
    assert.match(String(same.message), /because the file or the listings have changed since the plan was made\./);
  });

  test('is rejected if its id is malformed', async () => {
    const tenant = await service.createTenant();
    await readError(await sendFeed(service, tenant, 'mls', rows(1), { query: '?plan=abc' }), 400, 'invalid_query');
    assert.deepEqual(await get(service, tenant, '/feeds'), { data: [] });
  });

  test('can be made, but not applied, with a read-only key', async () => {
    const tenant = await service.createTenant();
    const reader = await service.createKey(tenant.accountId, 'read');
    await plan(reader, rows(2));
    await readError(await sendFeed(service, reader, 'mls', rows(2)), 403, 'insufficient_scope');
    await runFeed(service, tenant, 'mls', rows(2));
    await get(service, reader, '/feeds/mls');
    await readError(await request(reader, 'PATCH', '/feeds/mls', {}), 403, 'insufficient_scope');
    await readError(await request(reader, 'DELETE', '/feeds/mls'), 403, 'insufficient_scope');
  });
});
