import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { createPerson, signIn } from '../../../testkit/src/browser.ts';
import { openSocket, requestText } from '../../../testkit/src/raw-http.ts';
import { readError } from '../../../testkit/src/replies.ts';
import { startSharedService, startTestService, type Tenant } from '../../../testkit/src/service.ts';
import { until } from '../../../testkit/src/until.ts';
import { deleteAccount } from '../../src/domain/accounts/accounts.ts';
import { endLostRuns } from '../../src/domain/feeds/feed-lease.ts';
import { purgeFeedRuns } from '../../src/domain/feeds/feed-purge.ts';
import { firstIdAt } from '../../src/lib/ids.ts';
import { countsOf, get, ndjson, type Run, runFeed, sendFeed } from '../support/feeds.ts';

const service = await startSharedService();

const row = (externalId: string, members: object = {}) => ({
  externalId,
  address: `${externalId} Elm Street`,
  beds: 3,
  baths: 2,
  ...members,
});

const patch = (tenant: Tenant, name: string, body: unknown, headers: Record<string, string> = {}) =>
  service.fetch(tenant, `/v1/feeds/${name}`, {
    method: 'PATCH',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/merge-patch+json', ...headers },
  });
const remove = (tenant: Tenant, name: string, query = '', headers: Record<string, string> = {}) =>
  service.fetch(tenant, `/v1/feeds/${name}${query}`, { method: 'DELETE', headers });

interface Feed {
  [name: string]: unknown;
  lastRun: Run | null;
}
const feedOf = (tenant: Tenant, name = 'mls') => get<Feed>(service, tenant, `/feeds/${name}`);

const errorsOf = async (tenant: Tenant, { id }: Run) => {
  const headers = { Accept: 'text/csv' };
  return (await service.fetch(tenant, `/v1/feeds/mls/runs/${id}/errors`, { headers })).text();
};

/** The listings that an account without listings has after the import of a CSV file, without their server fields. */
const importCorrected = async (body: string, query: string) => {
  const tenant = await service.createTenant();
  const headers = { 'Content-Type': 'text/csv' };
  const response = await service.fetch(tenant, `/v1/imports${query}`, { method: 'POST', headers, body });
  assert.partialDeepStrictEqual(await response.json(), { failed: 0, errors: [] });
  const { data } = await get<{ data: Record<string, unknown>[] }>(service, tenant, '/listings');
  return data.map(({ id: _id, createdAt: _created, updatedAt: _updated, ...listing }) => listing).reverse();
};

describe('the settings of a feed', () => {
  test('are the defaults of its runs, and parameters override them', async () => {
    const tenant = await service.createTenant();
    await runFeed(service, tenant, 'mls', [row('A'), row('B')]);
    const settings = {
      map: { Key: 'externalId', Agent: '' },
      missing: 'withdraw',
      failedMax: '1',
      ignoreUnknown: true,
    };
    const changed: Feed = Object(await (await patch(tenant, 'mls', settings)).json());
    const { map, missing, missingMax, failedMax, clean, dates, ignoreUnknown, expectedEveryHours } = changed;
    assert.deepEqual(
      { map, missing, missingMax, failedMax, clean, dates, ignoreUnknown, expectedEveryHours },
      { ...settings, missingMax: '20%', clean: false, dates: null, expectedEveryHours: null },
    );
    const csv = 'Key,Agent,Unknown,address,beds,baths\nA,Ann,x,A Elm Street,3,2\nC,Ann,x,C Elm Street,-1,2\n';
    const run = await runFeed(service, tenant, 'mls', csv, { type: 'text/csv' });
    assert.deepEqual(countsOf(run), { rows: 2, unchanged: 1, missing: 1, withdrawn: 1, failed: 1 });
    const query = '?failedMax=0';
    await readError(await sendFeed(service, tenant, 'mls', csv, { type: 'text/csv', query }), 409, 'feed_guard');
  });

  test('are merged, null brings a default back, and a column of `map` can be removed', async () => {
    const tenant = await service.createTenant();
    await runFeed(service, tenant, 'mls', [row('A')]);
    await (await patch(tenant, 'mls', { map: { Key: 'externalId', Price: 'listPrice' }, missingMax: '7' })).text();
    await (await patch(tenant, 'mls', { map: { Key: null }, missingMax: null, expectedEveryHours: 5 })).text();
    const { map, missingMax, expectedEveryHours } = await feedOf(tenant);
    assert.deepEqual(
      { map, missingMax, expectedEveryHours },
      { map: { Price: 'listPrice' }, missingMax: '20%', expectedEveryHours: 5 },
    );
  });

  test('can map every column, even __proto__', async () => {
    const tenant = await service.createTenant();
    const map = JSON.parse('{"__proto__":"beds"}');
    const csv = 'externalId,address,__proto__,baths\nA,1 Elm,3,2\n';
    const query = '?map[__proto__]=beds';
    await runFeed(service, tenant, 'query', csv, { type: 'text/csv', query });
    await runFeed(service, tenant, 'mls', [row('B')]);
    const changed = JSON.parse(await (await patch(tenant, 'mls', { map })).text());
    assert.deepEqual(Object.entries(changed.map), [['__proto__', 'beds']]);
    await readError(await patch(tenant, 'mls', { values: map }), 422, 'validation_failed');
  });

  const WRONG: [patch: unknown, field: string][] = [
    [{ missing: 'remove' }, 'missing'],
    [{ missingMax: '200%' }, 'missingMax'],
    [{ missingMax: 20 }, 'missingMax'],
    [{ failedMax: '-1' }, 'failedMax'],
    [{ clean: 'yes' }, 'clean'],
    [{ dates: 'ymd' }, 'dates'],
    [{ expectedEveryHours: 0 }, 'expectedEveryHours'],
    [{ map: { Price: 'price' } }, 'map.Price'],
    [{ map: { Price: 'listPrice', Cost: 'listPrice' } }, 'map.Cost'],
    [{ name: 'other' }, 'name'],
  ];
  for (const [wrong, field] of WRONG) {
    test(`reject ${JSON.stringify(wrong)}`, async () => {
      const tenant = await service.createTenant();
      await runFeed(service, tenant, 'mls', [row('A')]);
      const before = await feedOf(tenant);
      const { details } = await readError(await patch(tenant, 'mls', wrong), 422, 'validation_failed');
      assert.deepEqual(
        Object(details).map((issue: { field: string }) => issue.field),
        [field],
      );
      const { lastSuccessAgeSeconds: _, ...after } = await feedOf(tenant);
      assert.deepEqual({ ...before, lastSuccessAgeSeconds: undefined }, { ...after, lastSuccessAgeSeconds: undefined });
    });
  }

  test('exist only for feeds of the account', async () => {
    const [one, other] = [await service.createTenant(), await service.createTenant()];
    await runFeed(service, one, 'mls', [row('A')]);
    await readError(await patch(other, 'mls', {}), 404, 'not_found');
    await readError(await remove(other, 'mls'), 404, 'not_found');
    for (const path of ['', '/runs', '/runs/run_0', '/runs/run_0/errors']) {
      await readError(await service.fetch(other, `/v1/feeds/mls${path}`), 404, 'not_found');
    }
    assert.deepEqual(await get(service, other, '/feeds'), { data: [] });
  });
});

test('an invalid feed name is rejected', async () => {
  const tenant = await service.createTenant();
  for (const name of ['MLS', '-mls', 'a'.repeat(65), 'a%20b', 'm%C3%A9']) {
    const { details } = await readError(await sendFeed(service, tenant, name, [row('A')]), 422, 'validation_failed');
    assert.equal(Object(details)[0].field, 'name', name);
    await readError(await service.fetch(tenant, `/v1/feeds/${name}`), 404, 'not_found');
  }
  await runFeed(service, tenant, '0-_a'.padEnd(64, 'z'), [row('A')]);
});

describe('an Idempotency-Key', () => {
  const isReplayed = async (response: Response, status: number) => {
    const text = await response.text();
    assert.equal(response.headers.get('Content-Type'), text === '' ? null : 'application/json');
    assert.equal(response.status, status);
    return response.headers.get('Idempotent-Replayed') === 'true';
  };

  test('is rejected with a file', async () => {
    const tenant = await service.createTenant();
    const headers = { 'Idempotency-Key': 'a' };
    await readError(await sendFeed(service, tenant, 'mls', [row('A')], { headers }), 400, 'invalid_idempotency_key');
  });

  test('makes a change of the settings happen once', async () => {
    const tenant = await service.createTenant();
    await runFeed(service, tenant, 'mls', [row('A')]);
    const once = { 'Idempotency-Key': 'a' };
    assert.equal(await isReplayed(await patch(tenant, 'mls', { failedMax: '1' }, once), 200), false);
    assert.equal(await isReplayed(await patch(tenant, 'mls', { failedMax: '2' }), 200), false);
    assert.equal(await isReplayed(await patch(tenant, 'mls', { failedMax: '1' }, once), 200), true);
    assert.equal((await feedOf(tenant)).failedMax, '2');
    await readError(await patch(tenant, 'mls', { failedMax: '3' }, once), 422, 'idempotency_key_reused');
    const unusable = await patch(tenant, 'mls', {}, { 'Idempotency-Key': 'a b' });
    await readError(unusable, 400, 'invalid_idempotency_key');
  });

  test('makes the retry of a deletion succeed', async () => {
    const tenant = await service.createTenant();
    await runFeed(service, tenant, 'mls', [row('A')]);
    const once = { 'Idempotency-Key': 'a' };
    assert.equal(await isReplayed(await remove(tenant, 'mls', '', once), 204), false);
    await runFeed(service, tenant, 'mls', [row('B')]);
    assert.equal(await isReplayed(await remove(tenant, 'mls', '', once), 204), true);
    await readError(await remove(tenant, 'mls', '?listings=delete', once), 422, 'idempotency_key_reused');
    const withBody = { method: 'DELETE', headers: once, body: Buffer.from('{}') };
    await readError(await service.fetch(tenant, '/v1/feeds/mls', withBody), 422, 'idempotency_key_reused');
    assert.equal((await feedOf(tenant)).listings, 1);
    await readError(await remove(tenant, 'mls', '', { 'Idempotency-Key': 'a b' }), 400, 'invalid_idempotency_key');
  });
});

test('an account can have 100 feeds', async () => {
  const tenant = await service.createTenant();
  await runFeed(service, tenant, 'feed-0', [row('A')]);
  for (let n = 1; n < 100; n += 1) {
    await service.sql(
      `insert into feeds (account_id, name, settings, listing_count, created_at)
        select account_id, ?, settings, 0, created_at from feeds where account_id = ? and name = 'feed-0'`,
      `feed-${n}`,
      tenant.accountId,
    );
  }
  const error = await readError(await sendFeed(service, tenant, 'one-more', [row('A')]), 507, 'quota_exceeded');
  assert.deepEqual([error.quota, error.limit], ['feeds', 100]);
  await runFeed(service, tenant, 'feed-99', [row('B')]);
  assert.equal((await get<{ data: unknown[] }>(service, tenant, '/feeds')).data.length, 100);
});

test('a feed is late once no run has succeeded within the expected time', async () => {
  const tenant = await service.createTenant();
  await runFeed(service, tenant, 'mls', [row('A')]);
  await (await patch(tenant, 'mls', { expectedEveryHours: 24 })).text();
  const fresh = await feedOf(tenant);
  assert.deepEqual([fresh.isLate, fresh.lateSince, fresh.lastSuccessAgeSeconds], [false, null, 0]);
  const dayMs = 86_400_000;
  const lastSuccess = Date.now() - 2 * dayMs;
  await service.sql('update feeds set last_success_at = ? where account_id = ?', lastSuccess, tenant.accountId);
  const late = await feedOf(tenant);
  const since = new Date(lastSuccess + dayMs).toISOString();
  assert.deepEqual([late.isLate, late.lateSince, late.lastSuccessAgeSeconds], [true, since, 172_800]);
  await sendFeed(service, tenant, 'mls', []);
  assert.equal((await feedOf(tenant)).isLate, true);
  await runFeed(service, tenant, 'mls', [row('A')]);
  assert.equal((await feedOf(tenant)).isLate, false);
});

describe('one run of a feed at a time', () => {
  test('is in progress: a second one is rejected, and other feeds run', async () => {
    const tenant = await service.createTenant();
    const { promise: held, resolve: go } = Promise.withResolvers<void>();
    async function* slow() {
      yield Buffer.from(ndjson([row('A')]));
      await held;
      yield Buffer.from(ndjson([row('B')]));
    }
    const running = service.fetch(tenant, '/v1/feeds/mls', {
      method: 'PUT',
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: ReadableStream.from(slow()),
      duplex: 'half',
    });
    await until('the run has begun', async () => (await service.fetch(tenant, '/v1/feeds/mls')).status === 200);
    const { lastRun } = await feedOf(tenant);
    assert.deepEqual([lastRun?.outcome, lastRun?.finishedAt], ['running', null]);
    const error = await readError(await sendFeed(service, tenant, 'mls', [row('A')]), 409, 'feed_busy');
    assert.equal(error.runId, lastRun?.id);
    await readError(await remove(tenant, 'mls'), 409, 'feed_busy');
    await runFeed(service, tenant, 'mls', [row('A')], { query: '?dryRun=true' });
    await runFeed(service, tenant, 'other', [row('C')]);
    go();
    const run: Run = Object(await (await running).json());
    assert.deepEqual([run.outcome, countsOf(run)], ['succeeded', { rows: 2, created: 2 }]);
  });

  test('ends as failed if the client leaves', async () => {
    const tenant = await service.createTenant();
    const leaving = new AbortController();
    async function* stuck() {
      yield Buffer.from(ndjson([row('A')]));
      await new Promise((resolve) => leaving.signal.addEventListener('abort', resolve));
    }
    const sent = service.fetch(tenant, '/v1/feeds/mls', {
      method: 'PUT',
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: ReadableStream.from(stuck()),
      duplex: 'half',
      signal: leaving.signal,
    });
    await until('the run has begun', async () => (await service.fetch(tenant, '/v1/feeds/mls')).status === 200);
    leaving.abort();
    await assert.rejects(sent);
    await until('the run has ended', async () => (await feedOf(tenant)).lastRun?.outcome === 'failed');
    await runFeed(service, tenant, 'mls', [row('A')]);
  });

  test('ends as failed if the client leaves while failed rows are stored', async () => {
    const ROWS = 60_000;
    const tenant = await service.createTenant();
    const leaving = new AbortController();
    const sent = service.fetch(tenant, '/v1/feeds/mls?failedMax=100%25', {
      method: 'PUT',
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: '{}\n'.repeat(ROWS),
      signal: leaving.signal,
    });
    const countStored = async () => {
      const [stored] = await service.sql(
        'select count(*) as count from feed_errors where account_id = ?',
        tenant.accountId,
      );
      return Number(stored?.count);
    };
    await until('failed rows are stored', async () => (await countStored()) > 0);
    leaving.abort();
    await assert.rejects(sent);
    await until('the run has ended', async () => (await feedOf(tenant)).lastRun?.outcome === 'failed');
    assert.ok((await countStored()) < ROWS);
  });

  test('ends as interrupted once a killed process has lost its lease', async () => {
    const tenant = await service.createTenant();
    const { id } = await runFeed(service, tenant, 'mls', [row('A')]);
    const leave = async (until: number) => {
      await service.sql("update feed_runs set outcome = 'running', finished_at = null where id = ?", id);
      await service.sql('update feeds set lease_until = ? where account_id = ?', until, tenant.accountId);
    };
    await leave(Date.now() + 60_000);
    await readError(await sendFeed(service, tenant, 'mls', [row('A')]), 409, 'feed_busy');
    await leave(Date.now() - 1);
    assert.equal((await feedOf(tenant)).lastRun?.outcome, 'interrupted');
    await endLostRuns(service.database);
    const [stored] = await service.sql(
      'select outcome, lease_until from feed_runs inner join feeds on run_id = id where id = ?',
      id,
    );
    assert.deepEqual({ ...stored }, { outcome: 'interrupted', lease_until: null });
    await leave(Date.now() - 1);
    await runFeed(service, tenant, 'mls', [row('A')]);
    assert.equal((await get<Run>(service, tenant, `/feeds/mls/runs/${id}`)).outcome, 'interrupted');
  });
});

describe('the runs of a feed', () => {
  test('are listed in pages, newest first', async () => {
    const tenant = await service.createTenant();
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.unshift((await runFeed(service, tenant, 'mls', [row('A', { beds: n })])).id);
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const path: string = `/feeds/mls/runs?limit=2${cursor && `&cursor=${cursor}`}`;
      const page: { data: Run[]; nextCursor: string | null } = await get(service, tenant, path);
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    assert.deepEqual(seen, ids);
    await readError(await service.fetch(tenant, '/v1/feeds/mls/runs?cursor=abc'), 400, 'invalid_cursor');
  });

  test('keep their failed rows with their own values, in each format', async () => {
    const tenant = await service.createTenant();
    const csv = 'externalId,Price,address,beds,baths\nA,1,"1 Elm, rear",x,2\nB,2,=2 Elm,3,2\nC,3\n';
    const query = '?map[Price]=listPrice&failedMax=100%25';
    const run = await runFeed(service, tenant, 'mls', csv, { type: 'text/csv', query });
    assert.equal(run.failed, 2);
    const path = `/v1/feeds/mls/runs/${run.id}/errors`;
    const as = async (type: string) => (await service.fetch(tenant, path, { headers: { Accept: type } })).text();
    const { data } = JSON.parse(await as('application/json'));
    const [first, second] = data;
    assert.deepEqual(
      [first.line, first.externalId, first.code, first.details[0].field],
      [2, 'A', 'validation_failed', 'beds'],
    );
    assert.deepEqual(first.values, { externalId: 'A', Price: '1', address: '1 Elm, rear', beds: 'x', baths: '2' });
    assert.deepEqual([second.line, second.values], [4, { externalId: 'C', Price: '3' }]);
    const lines = (await as('application/x-ndjson'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(lines, [...data, { end: true, count: 2 }]);
    const table = (await as('text/csv')).split('\r\n');
    assert.equal(table[0], 'line,code,message,details,externalId,Price,address,beds,baths');
    assert.match(table[1] ?? '', /^2,validation_failed,.*,A,1,"1 Elm, rear",x,2$/);
    assert.equal(table.length, 4);
  });

  test('are a file that an import accepts, even if a column has the name of an error column', async () => {
    const tenant = await service.createTenant();
    const csv = 'Code,details,error_code,address,beds,baths\nA,Rear,x,1 Elm,many,2\n';
    const map = '?map[Code]=externalId&map[details]=description&ignoreUnknown=true';
    const run = await runFeed(service, tenant, 'mls', csv, { type: 'text/csv', query: `${map}&failedMax=100%25` });
    const path = `/v1/feeds/mls/runs/${run.id}/errors`;
    const file = await (await service.fetch(tenant, path, { headers: { Accept: 'text/csv' } })).text();
    assert.match(file, /^line,error_error_code,message,error_details,Code,details,error_code,address,beds,baths\r\n/);
    const body = file.replace(',many,', ',3,');
    const headers = { 'Content-Type': 'text/csv' };
    const response = await service.fetch(tenant, `/v1/imports${map}`, { method: 'POST', headers, body });
    assert.partialDeepStrictEqual(await response.json(), { created: 1, failed: 0 });
    const { data } = await get<{ data: object[] }>(service, tenant, '/listings');
    assert.partialDeepStrictEqual(data[0], { externalId: 'A', description: 'Rear' });
  });

  for (const [name, clean] of [
    ['as they are', ''],
    ['with clean', '&clean=true'],
  ] as const) {
    test(`are a CSV file whose corrected rows are stored like those of the corrected file, ${name}`, async () => {
      const texts = ['-- call first', "'=x", "''=x", '=1;-2', "a;'-b", '-5', "'-5", '-97,74', "'"];
      const header = 'externalId,address,beds,baths,latitude,longitude,onMarketDate,description,metadata,Notes,-Key';
      const rows = texts.map((text, index) => {
        const metadata = JSON.stringify({ n: 'a;-b', m: ";'=x", o: text }).replaceAll('"', '""');
        const date = clean === '' ? '' : '--';
        return `E${index},${index} A,three,2,30.1,-97.74,${date},"${index % 2 === 0 ? text : `\r\n${text}`}","${metadata}","${text}","${text}"\n`;
      });
      const file = `${header}\n${rows.join('')}`;
      const query = `?map[Notes]=metadata.notes&map[-Key]=metadata.key${clean}`;
      const tenant = await service.createTenant();
      const run = await runFeed(service, tenant, 'mls', file, { type: 'text/csv', query: `${query}&failedMax=99` });
      const errors = await errorsOf(tenant, run);
      assert.match(errors, /,30\.1,-97\.74,.*,'-- call first,/);
      const cells: string[] = parse(errors).flat();
      assert.deepEqual(
        cells.filter((cell) => /^[=-](?![\d.,]+$)/.test(cell)),
        [],
      );
      const stored = await importCorrected(file.replaceAll('three', '3'), query);
      assert.equal(stored.length, texts.length);
      assert.deepEqual(
        await importCorrected(errors.replaceAll(',three,', ',3,'), `${query}&ignoreUnknown=true`),
        stored,
      );
    });
  }

  test('are a CSV file whose corrected rows are stored like those of a corrected NDJSON file', async () => {
    const texts = ["'=x", '=x', "a;'-b", 'a;-b', '-5'];
    const rows = texts.map((text, index) =>
      row(`E${index}`, { beds: -1, longitude: -97.74, latitude: 1, description: text, metadata: { n: text, o: -1 } }),
    );
    const tenant = await service.createTenant();
    const errors = await errorsOf(tenant, await runFeed(service, tenant, 'mls', rows, { query: '?failedMax=99' }));
    const stored = await importCorrected(
      'externalId,address,beds,baths,longitude,latitude,description,metadata\n' +
        rows.map(({ externalId, address }, index) => `${externalId},${address},3,2,-97.74,1,X${index},{}\n`).join(''),
      '',
    );
    const expected = stored.map((listing, index) => ({
      ...listing,
      description: texts[index],
      metadata: { n: texts[index], o: -1 },
    }));
    assert.deepEqual(await importCorrected(errors.replaceAll(',-1,', ',3,'), '?ignoreUnknown=true'), expected);
  });

  test('are a CSV file with the numbers of an NDJSON file, which an import rejects instead of rounding them', async () => {
    const tenant = await service.createTenant();
    // The second row's error does not say which number is inexact, because it has only the first issues.
    const many = Array.from({ length: 30 }, (_, index) => `"u${index}":1,`).join('');
    const file = ['', many]
      .map((members, index) => {
        const inexact = '"metadata":{"x":-12345678901234567890,"y":0.1}';
        return `{${members}"externalId":"E${index}","address":"1 Elm","beds":1e400,"baths":2,${inexact}}\n`;
      })
      .join('');
    const run = await runFeed(service, tenant, 'mls', file, { query: '?failedMax=99' });
    assert.match(JSON.stringify(run.errors[0]), /Cannot be stored without rounding/);
    const errors = await errorsOf(tenant, run);
    const metadata = '"{""x"":-12345678901234567890,""y"":0.1}"';
    assert.equal(errors.split(`,1 Elm,1e400,2,${metadata}`).length, 3, errors);
    for (const inexact of ['1e400', '-12345678901234567890']) {
      const [headers, body] = [{ 'Content-Type': 'text/csv' }, errors.replaceAll(inexact, '3')];
      const response = await service.fetch(tenant, '/v1/imports?ignoreUnknown=true', { method: 'POST', headers, body });
      const report: { created: number; failed: number } = JSON.parse(await response.text());
      assert.deepEqual([report.created, report.failed], [0, 2]);
    }
    const both = errors.replaceAll('1e400', '3').replaceAll('-12345678901234567890', '-4');
    const stored = await importCorrected(both, '?ignoreUnknown=true');
    assert.partialDeepStrictEqual(stored, Array(2).fill({ beds: 3, metadata: { x: -4, y: 0.1 } }));
  });

  for (const separator of [';', '\t', ',']) {
    test(`are a CSV file with the separator of the file: ${JSON.stringify(separator)}`, async () => {
      const tenant = await service.createTenant();
      const lines = [
        ['externalId', 'address', 'beds', 'baths', 'livingArea', 'Price, net'],
        ['A', '"1; Elm, rear"', '3', '2', separator === ',' ? '1.250' : '1,250', ''],
        ['B', '2 Elm', '3', '2', '12.34.56', ''],
      ].map((cells) => cells.map((cell) => (cell.includes(',') ? `"${cell.replaceAll('"', '')}"` : cell)));
      const file = lines.map((cells) => `${cells.join(separator)}\n`).join('');
      const query = '?clean=true&ignoreUnknown=true';
      const isAmbiguous = separator !== '\t';
      const run = await runFeed(service, tenant, 'mls', file, { type: 'text/csv', query: `${query}&failedMax=99` });
      assert.equal(run.failed, isAmbiguous ? 2 : 1);
      const errors = await errorsOf(tenant, run);
      assert.equal(errors.split('\r\n')[0]?.split(separator)[4], 'externalId');
      const headers = { 'Content-Type': 'text/csv' };
      const response = await service.fetch(tenant, `/v1/imports${query}`, { method: 'POST', headers, body: errors });
      const report: { created: number; errors: Run['errors'] } = JSON.parse(await response.text());
      const issuesOf = (failures: Run['errors']) => failures.map(({ line: _, ...issues }) => issues);
      assert.deepEqual([report.created, issuesOf(report.errors)], [0, issuesOf(run.errors)]);
    });
  }

  test('are a CSV file with all their members, even if only the last rows have them', async () => {
    const tenant = await service.createTenant();
    const rows = Array.from({ length: 350 }, (_, index) =>
      row(`E${index}`, { beds: -1, ...(index >= 300 && { city: `City ${index}` }) }),
    );
    const run = await runFeed(service, tenant, 'mls', rows, { query: '?failedMax=100%25' });
    const lines = (await errorsOf(tenant, run)).trimEnd().split('\r\n');
    assert.equal(lines[0], 'line,code,message,details,externalId,address,beds,baths,city');
    assert.deepEqual(
      [lines.length, lines[1]?.split(',').at(-1), lines.at(-1)?.split(',').at(-1)],
      [351, '', 'City 349'],
    );
  });

  test('are no longer read for the header of a CSV file after the client has left', async (t) => {
    const tenant = await service.createTenant();
    const rows = Array.from({ length: 350 }, (_, index) => row(`E${index}`, { beds: -1 }));
    const run = await runFeed(service, tenant, 'mls', rows, { query: '?failedMax=100%25' });
    const { database } = service;
    const { executeRun } = database;
    const { promise: leaving, resolve: leave } = Promise.withResolvers<void>();
    let reads = 0;
    t.mock.method(database, 'executeRun', async (...parameters: Parameters<typeof executeRun>) => {
      if (Object(parameters[1]).runId !== run.id) return executeRun.apply(database, parameters);
      reads += 1;
      await leaving;
      return executeRun.apply(database, parameters);
    });
    const socket = await openSocket(service.url);
    const request = requestText('GET', `/v1/feeds/mls/runs/${run.id}/errors`, tenant.key);
    socket.write(request.replace('\r\n\r\n', '\r\nAccept: text/csv\r\n\r\n'));
    await until('the first rows are read', () => reads === 1);
    socket.destroy();
    const isLogged = (line: string) => line.includes(run.id) && line.includes('"aborted":true');
    await until('the service has noticed', () => service.logLines.some(isLogged));
    leave();
    const { data } = await get<{ data: unknown[] }>(service, tenant, `/feeds/mls/runs/${run.id}/errors`);
    assert.deepEqual([data.length, reads], [350, 1 + 4]);
  });

  test('are a CSV file with at most 500 columns', async () => {
    const tenant = await service.createTenant();
    const rows = Array.from({ length: 3 }, (_, index) => {
      const members = Array.from({ length: 300 }, (_, member) => [`m${index}_${member}`, 'x']);
      return { ...Object.fromEntries(members), externalId: `E${index}` };
    });
    const run = await runFeed(service, tenant, 'mls', rows, { query: '?failedMax=100%25' });
    const lines = (await errorsOf(tenant, run)).trimEnd().split('\r\n');
    assert.deepEqual(
      lines.map((line) => line.replaceAll(/"[^"]*"/g, '').split(',').length),
      Array(4).fill(500),
    );
    assert.match(lines[0] ?? '', /,externalId,m1_0,.*,m1_194$/);
  });

  test('keep failed rows whose members have names that every object inherits, and names like formulas', async () => {
    const tenant = await service.createTenant();
    const rows = [row('A', { beds: -1, constructor: 1, '=1+1': 2 }), row('B', { beds: -1 })];
    const run = await runFeed(service, tenant, 'mls', rows, { query: '?failedMax=100%25' });
    const path = `/v1/feeds/mls/runs/${run.id}/errors`;
    const response = await service.fetch(tenant, path, { headers: { Accept: 'text/csv' } });
    const table = (await response.text()).trimEnd().split('\r\n');
    assert.match(table[0] ?? '', /,constructor,'=1\+1$/);
    assert.match(table[1] ?? '', /,1,2$/);
    assert.match(table[2] ?? '', /,,$/);
  });

  test('keep rows that are not JSON as text, and every failed row', async () => {
    const tenant = await service.createTenant();
    const bad = Array.from({ length: 250 }, (_, n) => row(`X-${n}`, { beds: -1 }));
    const run = await runFeed(service, tenant, 'mls', `{"externalId":}\n${ndjson([row('A'), ...bad])}`, {
      query: '?failedMax=100%25',
    });
    assert.deepEqual([run.failed, run.errors.length], [251, 100]);
    const { data } = await get<{ data: { line: number; values: unknown }[] }>(
      service,
      tenant,
      `/feeds/mls/runs/${run.id}/errors`,
    );
    assert.equal(data.length, 251);
    assert.deepEqual(data[0]?.values, { text: '{"externalId":}' });
    assert.deepEqual(data[250]?.values, bad[249]);
  });

  test('are removed after 90 days with their failed rows', async () => {
    const tenant = await service.createTenant();
    const bad = row('A', { beds: -1 });
    const old = await runFeed(service, tenant, 'mls', [bad, row('B')], { query: '?failedMax=1' });
    const recent = await runFeed(service, tenant, 'mls', [bad, row('B')], { query: '?failedMax=1' });
    const id = firstIdAt('run', Date.now() - 91 * 86_400_000).padEnd(old.id.length, '0');
    await service.sql('update feed_runs set id = ? where id = ?', id, old.id);
    await service.sql('update feed_errors set run_id = ? where run_id = ?', id, old.id);
    await purgeFeedRuns(service.database, Date.now(), new AbortController().signal);
    const left = await service.sql('select run_id as id from feed_errors where account_id = ?', tenant.accountId);
    assert.deepEqual(
      left.map((each) => Object(each).id),
      [recent.id],
    );
    const { data } = await get<{ data: Run[] }>(service, tenant, '/feeds/mls/runs');
    assert.deepEqual(
      data.map((run) => run.id),
      [recent.id],
    );
  });

  test('lose their failed rows, the oldest first, if the account stores too many', async () => {
    const tenant = await service.createTenant();
    const file = [row('A', { beds: -1 }), row('B')];
    const old = await runFeed(service, tenant, 'mls', file, { query: '?failedMax=1' });
    const recent = await runFeed(service, tenant, 'mls', file, { query: '?failedMax=1' });
    await service.sql('update feed_runs set stored_bytes = 200000000 where account_id = ?', tenant.accountId);
    await purgeFeedRuns(service.database, Date.now(), new AbortController().signal);
    const errorsOf = async ({ id }: Run) => {
      const { data } = await get<{ data: unknown[] }>(service, tenant, `/feeds/mls/runs/${id}/errors`);
      return [data.length, (await get<Run>(service, tenant, `/feeds/mls/runs/${id}`)).errors.length];
    };
    assert.deepEqual(
      [await errorsOf(old), await errorsOf(recent)],
      [
        [0, 0],
        [1, 1],
      ],
    );
    // Each run also removes failed rows first, because a client could store gigabytes before the next purge.
    await service.sql('update feed_runs set stored_bytes = 300000000 where id = ?', recent.id);
    const last = await runFeed(service, tenant, 'mls', file, { query: '?failedMax=1' });
    assert.deepEqual(
      [await errorsOf(recent), await errorsOf(last)],
      [
        [0, 0],
        [1, 1],
      ],
    );
  });

  test('leave long errors out of the list of feeds', async () => {
    const tenant = await service.createTenant();
    const bad = Array.from({ length: 100 }, (_, n) => row(`X-${n}`, { beds: -1, baths: -1, listPrice: -1 }));
    await runFeed(service, tenant, 'long', bad, { query: '?failedMax=100%25' });
    await runFeed(service, tenant, 'short', bad.slice(0, 2), { query: '?failedMax=100%25' });
    const { data } = await get<{ data: { lastRun: Run }[] }>(service, tenant, '/feeds');
    assert.deepEqual(
      data.map(({ lastRun }) => [lastRun.failed, lastRun.errors.length]),
      [
        [100, 0],
        [2, 2],
      ],
    );
    assert.equal((await get<{ lastRun: Run }>(service, tenant, '/feeds/long')).lastRun.errors.length, 100);
  });
});

describe('deleting a feed', () => {
  test('keeps its listings without a feed', async () => {
    const tenant = await service.createTenant();
    const rows = Array.from({ length: 120 }, (_, n) => row(`A-${n}`));
    await runFeed(service, tenant, 'mls', [...rows, row('X', { beds: -1 })], { query: '?failedMax=1' });
    assert.equal((await remove(tenant, 'mls')).status, 204);
    await readError(await service.fetch(tenant, '/v1/feeds/mls'), 404, 'not_found');
    const { data } = await get<{ data: { id: string; feed?: string; version: number }[] }>(
      service,
      tenant,
      '/listings',
    );
    assert.deepEqual(
      [data.length, data.every(({ feed, version }) => feed === undefined && version === 2)],
      [120, true],
    );
    const history = await get<{ data: { actor: object }[] }>(service, tenant, `/listings/${data[0]?.id}/history`);
    assert.partialDeepStrictEqual(history.data[0]?.actor, { type: 'key', id: tenant.keyId });
    for (const table of ['feeds', 'feed_runs', 'feed_errors']) {
      assert.deepEqual(await service.sql(`select * from ${table} where account_id = ?`, tenant.accountId), []);
    }
    assert.deepEqual(countsOf(await runFeed(service, tenant, 'next', rows)), { rows: 120, updated: 120 });
  });

  test('deletes its listings on request, and no others', async () => {
    const tenant = await service.createTenant();
    await runFeed(service, tenant, 'mls', [row('A'), row('B')]);
    await runFeed(service, tenant, 'other', [row('C')]);
    assert.equal((await remove(tenant, 'mls', '?listings=delete')).status, 204);
    const { data } = await get<{ data: { externalId: string }[] }>(service, tenant, '/listings');
    assert.deepEqual(
      data.map(({ externalId }) => externalId),
      ['C'],
    );
    await readError(await remove(tenant, 'mls'), 404, 'not_found');
    await readError(await remove(tenant, 'other', '?listings=all'), 400, 'invalid_query');
  });
});

test('a long deletion of a feed gets a response, although its connection is idle', async (t) => {
  await using impatient = await startTestService({ idleTimeoutMs: 100 });
  const tenant = await impatient.createTenant();
  await runFeed(impatient, tenant, 'mls', [row('A')]);
  const { database } = impatient;
  const { write } = database;
  const { promise: ending, resolve: end } = Promise.withResolvers<void>();
  const writes = t.mock.method(database, 'write', async (...parameters: Parameters<typeof write>) => {
    await ending;
    return write(...parameters);
  });
  const deletion = impatient.fetch(tenant, '/v1/feeds/mls', { method: 'DELETE' });
  await until('the deletion has begun', () => writes.mock.callCount() > 0);
  for (let count = 0; count < 3; count += 1) {
    const idle = await openSocket(impatient.url);
    await once(idle.resume(), 'close');
  }
  end();
  assert.equal((await deletion).status, 204);
});

test('deleting an account removes its feeds, runs, and failed rows', async () => {
  const tenant = await service.createTenant();
  await runFeed(service, tenant, 'mls', [row('A'), row('B', { beds: -1 })], { query: '?failedMax=1' });
  await deleteAccount(service.database, tenant.accountId);
  for (const table of ['feeds', 'feed_runs', 'feed_errors']) {
    assert.deepEqual(await service.sql(`select * from ${table} where account_id = ?`, tenant.accountId), []);
  }
});

test('users have the same endpoints, and their changes are in the audit log', async () => {
  const person = await createPerson(service);
  const { cookie } = await signIn(service, person);
  const headers = { Cookie: cookie, Origin: service.url };
  const send = (method: string, path: string, body?: string, type = 'application/x-ndjson') =>
    fetch(`${service.url}/admin${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'Content-Type': type }) },
      body: body ?? null,
    });
  const run: Run = Object(await (await send('PUT', '/feeds/mls', ndjson([row('A')]))).json());
  assert.equal(run.outcome, 'succeeded');
  assert.equal((await send('PATCH', '/feeds/mls', '{"missing":"delete"}', 'application/json')).status, 200);
  assert.equal((await send('GET', '/feeds')).status, 200);
  assert.equal((await send('GET', `/feeds/mls/runs/${run.id}/errors`)).status, 200);
  assert.equal((await send('DELETE', '/feeds/mls')).status, 204);
  const { data } = Object(await (await send('GET', '/activity')).json());
  const entries = data.filter(({ target }: { target?: { type: string } }) => target?.type === 'feed').reverse();
  assert.deepEqual(
    entries.map(({ action, target }: { action: string; target: { name: string } }) => [action, target.name]),
    [
      ['feed.created', 'mls'],
      ['feed.run_finished', 'mls: succeeded, 1 created, 0 updated, 0 withdrawn, 0 deleted, 0 failed'],
      ['feed.updated', 'mls'],
      ['feed.deleted', 'mls: listings: keep'],
    ],
  );
});
