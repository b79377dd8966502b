import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createPerson, signIn } from '../../../testkit/src/browser.ts';
import { ENGINE } from '../../../testkit/src/database.ts';
import { MINIMAL, post } from '../../../testkit/src/listings.ts';
import { sendRaw } from '../../../testkit/src/raw.ts';
import { linesOf } from '../../../testkit/src/replies.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { deleteAccount } from '../../src/domain/accounts/accounts.ts';
import { deleteApiKey } from '../../src/domain/keys/api-keys.ts';
import { findRequestBlocks } from '../../src/storage/request-blocks.ts';
import { hold } from '../support/held.ts';

const requestLog = { days: 7, bytes: 1_000_000_000 };
const service = await startSharedService({ requestLog });

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** An account with a key, and its administrator's browser. */
async function enter() {
  const person = await createPerson(service);
  const browser = await signIn(service, person);
  const tenant = await service.createKey(person.accountId);
  const send = async (path: string, init?: RequestInit) => {
    const response = await service.fetch(tenant, path, init);
    return { response, text: await response.text() };
  };
  const ask = (query = '') => browser.ask('GET', `/admin/requests${query}`);
  const list = async (query = '') => (await ask(query)).data;
  return { browser, tenant, send, ask, list };
}

test('a request is in the log once its response has arrived', async () => {
  const { tenant, send, ask, browser } = await enter();
  const { response } = await send('/v1/listings?limit=5', { headers: { 'X-Request-Id': 'my-1' } });
  const { data, nextCursor, retention } = await ask();
  const [entry] = data;
  assert.deepEqual([data.length, nextCursor, retention], [1, null, requestLog]);
  assert.match(entry.at, TIME);
  assert.ok(entry.durationMs >= 0 && Math.abs(Date.now() - Date.parse(entry.at)) < 60_000);
  const expected = { method: 'GET', path: '/v1/listings', query: 'limit=5', status: 200, code: null };
  const key = { id: tenant.keyId, name: 'Website', isDeleted: false };
  const { id, at, durationMs } = entry;
  assert.deepEqual(entry, {
    ...{ id, at, key, ...expected, durationMs, requestId: 'my-1' },
    ...{ sequence: null, errorBody: null, omitted: 0 },
  });
  assert.equal(response.headers.get('x-request-id'), 'my-1');
  assert.deepEqual(await browser.ask('GET', `/admin/requests/${id}`), entry);
});

test('an error has its code and body, of at most 4,096 characters', async () => {
  const { send, list } = await enter();
  const { text } = await send('/v1/listings?limit=0');
  const many = Array.from({ length: 90 }, (_, index) => `unknown${index}=1`).join('&');
  const long = await send(`/v1/listings?${many}`);
  const [cut, entry] = await list();
  assert.deepEqual([entry.status, entry.code, entry.errorBody], [400, 'invalid_query', text]);
  assert.ok(long.text.length > 4_096);
  assert.equal(cut.errorBody, `${long.text.slice(0, 4_095)}…`);
});

test('a change has its sequence; replays and requests that change nothing have none', async () => {
  const { send, list } = await enter();
  const body = JSON.stringify({ ...MINIMAL, externalId: 'MLS-1' });
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': 'a' };
  const { id } = JSON.parse((await send('/v1/listings', { method: 'POST', body, headers })).text);
  await send('/v1/listings', { method: 'POST', body, headers });
  const patch = { method: 'PATCH', headers: { 'Content-Type': 'application/json' } };
  await send(`/v1/listings/${id}`, { ...patch, body: '{"beds":9}' });
  await send(`/v1/listings/${id}`, { ...patch, body: '{"beds":9}' });
  await send('/v1/listings/external/MLS-2', { method: 'PUT', body: JSON.stringify(MINIMAL), headers: patch.headers });
  const rows = 'externalId,address,beds,baths\n1,A,1,1\n2,B,1,1\n';
  const file = { method: 'POST', headers: { 'Content-Type': 'text/csv' } };
  await send('/v1/imports', { ...file, body: rows });
  await send('/v1/imports?dryRun=true', { ...file, body: rows.replace('A', 'C') });
  await send('/v1/imports?atomic=true', { ...file, body: rows.replace('A', 'D') });
  await send(`/v1/listings/${id}`, { method: 'DELETE' });
  await send('/v1/feeds/mls', { ...file, method: 'PUT', body: rows.replace(/^(.*)\n1.*\n2/, '$1\n3') });
  await send('/v1/feeds/mls', { ...file, method: 'PUT', body: rows.replace(/^(.*)\n1.*\n2/, '$1\n3') });
  await send('/v1/feeds/mls?listings=delete', { method: 'DELETE' });
  const sequences = (await list()).map(({ sequence }: { sequence: number | null }) => sequence);
  assert.deepEqual(sequences.reverse(), [1, null, 2, null, 3, 5, null, 6, 7, 8, null, 9]);
});

test('no key, body, or value of metadata is stored, however it is encoded', async () => {
  const { tenant, send, list } = await enter();
  const { key } = tenant;
  const encoded = key.replace('plk_', '%70lk%5F').replace(/(\d)/g, '%3$1');
  const headers = { 'Content-Type': 'application/json' };
  const secret = 'a secret value';
  await send(`/v1/${key}`);
  await send(`/v1/listings?key=${key}&q=x`);
  await send(`/v1/listings?key=${encoded}`);
  await send('/v1/listings?metadata[agent]=agent-7&%6detadata%5Ba%5D=agent-8&limit=1');
  await send('/v1/listings?Metadata=agent-9');
  await send('/v1/listings', {
    method: 'POST',
    headers,
    body: JSON.stringify({ ...MINIMAL, metadata: { a: secret } }),
  });
  await send('/v1/listings', {
    method: 'POST',
    headers,
    body: JSON.stringify({ metadata: { a: [secret] }, b: secret }),
  });
  await send('/v1/imports?atomic=true', {
    method: 'POST',
    headers: { 'Content-Type': 'text/csv' },
    body: `address,beds,baths,metadata\nx,1,1,${secret}\n`,
  });
  const entries = await list();
  const text = JSON.stringify(entries);
  const secretPart = key.slice(8, 24);
  for (const part of [key, secretPart, encoded, secret, 'agent-7', 'agent-8', 'agent-9'])
    assert.ok(!text.includes(part), part);
  const queries = entries.map(({ query }: { query: string }) => query).filter((query: string) => query !== '');
  assert.deepEqual(queries, [
    'atomic=true',
    'Metadata=…',
    'metadata[agent]=…&%6detadata%5Ba%5D=…&limit=1',
    'key=plk_…',
    'key=plk_…&q=x',
  ]);
  if (ENGINE !== 'sqlite') return;
  for (const name of await readdir(service.directory)) {
    if (!name.startsWith('listings.requests.db')) continue;
    const bytes = await readFile(join(service.directory, name));
    for (const part of [secretPart, secret, 'agent-7']) assert.ok(!bytes.includes(part), `${name}: ${part}`);
  }
});

test('values of metadata in the parameters of a file are not stored, and neither are they in errors', async () => {
  const { send, list } = await enter();
  const cases = [
    ['values[metadata.agent:SECRET 1]=SECRET', 'values[metadata.agent:…]=…'],
    [
      'map[A]=metadata.agent&clean=true&values[metadata:SECRET]=SECRET',
      'map[A]=metadata.agent&clean=true&values[metadata:…]=…',
    ],
    ['values%5Bmetadata.agent%3ASECRET%5D=SECRET&clean=true', 'values[metadata.agent:…]=…&clean=true'],
    ['v%61lues%5B+%09metadata.a%26b%3ASECRET%26SECRET%5D=SECRET', 'values[+\tmetadata.a&b:…]=…'],
    ['VALUES[%C2%A0Metadata.agent:SECRET]=SECRET', 'VALUES[\u00a0Metadata.agent:…]=…'],
    ['values[%0Ametadata.a%22b\\:SECRET"SECRET]=', 'values[\nmetadata.a"b\\:…]=…'],
    ['values[metadata.agent:SECRET]', 'values[metadata.agent:…]'],
    ['values[metadata.agent:SECRET', 'values[metadata.agent:…'],
    [
      'values[metadata.agent:SECRET]=a&values[metadata.agent:SECRET ]=b',
      'values[metadata.agent:…]=…&values[metadata.agent:…]=…',
    ],
    ['values[metadata.agent]=SECRET', 'values[metadata.agent]=…'],
    ['value[metadata.agent:SECRET]=SECRET', 'value[metadata.agent:…]=…'],
    ['values[[metadata.agent:SECRET]=SECRET', 'values[[metadata.agent:…]=…'],
    ['values.metadata.agent:SECRET=SECRET', 'values.metadata.agent:…=…'],
    ['values%255Bmetadata.agent%253ASECRET%255D=SECRET', 'values[metadata.agent:…]=…'],
    ['defaults[metadata]=SECRET', 'defaults[metadata]=…'],
    ['defaults[ metadata.agent:SECRET]=SECRET', 'defaults[ metadata.agent:…]=…'],
    ['+metadata[agent]=SECRET', '+metadata[agent]=…'],
    ['values[metadata.a:SECRET%26SECRET]=SECRET&key=%70lk_x', 'values[metadata.a:…]=…&key=plk_…'],
    [
      'values[status:metadata.a]=pending&map[metadata.x:Y]=city',
      'values[status:metadata.a]=pending&map[metadata.x:Y]=city',
    ],
  ] as const;
  const file = { headers: { 'Content-Type': 'text/csv' }, body: 'A,address\nx,y\n' };
  for (const [query] of cases) {
    await send(`/v1/imports?${query}`, { ...file, method: 'POST' });
    await send(`/v1/feeds/a?${query}`, { ...file, method: 'PUT' });
  }
  const values = { 'metadata.agent:SECRET 1': 'x'.repeat(200), ' metadata.agent:SECRET 2': 'x'.repeat(200) };
  const patch = { method: 'PATCH', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ values }) };
  assert.match((await send('/v1/feeds/a', patch)).text, /SECRET 1/);
  const entries = await list();
  assert.ok(entries.length > cases.length);
  for (const entry of entries) assert.ok(!JSON.stringify(entry).includes('SECRET'), JSON.stringify(entry));
  const queries = new Set(entries.map(({ query }: { query: string }) => query));
  for (const [query, stored] of cases) assert.ok(queries.has(stored), `${query}: ${stored}`);
});

test('text from a body is masked in errors: names of unknown columns and members, and quoted values', async () => {
  const { send, list } = await enter();
  const csv = { method: 'POST', headers: { 'Content-Type': 'text/csv' } };
  const json = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
  const agent = '"{""agent"":""SECRET""}"';
  const header = 'address,beds,baths,metadata,status\n';
  const bodies = [
    [csv, '', `12 SECRET,3,2,${agent}\n`],
    [csv, '', `address,beds,baths,SECRET\nx,1,1,1\n`],
    [csv, '?atomic=true', `${header}x,${agent},1,,\nx,SECRET,1,,\nx,1,1,,${agent}\nx,1,1,,SECRET\n`],
    [csv, '?atomic=true&clean=true', `${header}x,${agent},1,,\nx,SECRET,1,,\nx,1,1/2 SECRET,,SECRET\n`],
    [
      json,
      '?atomic=true&clean=true',
      '[{"SECRET":1},{"address":"x","livingArea":"9 acres","livingAreaUnits":"SECRET"}]',
    ],
    [json, '?atomic=true', '[{"SECRET":1e400,"metadata":{"a":["SECRET"]},"photos":[{"SECRET":1}]}]'],
  ] as const;
  for (const [init, query, body] of bodies) {
    const { response, text } = await send(`/v1/imports${query}`, { ...init, body });
    assert.deepEqual([response.status, text.includes('SECRET')], [422, true], text);
  }
  await send('/v1/listings', { ...json, body: '{"SECRET":1,"beds":"x"}' });
  const feed = (body: string) => send('/v1/feeds/a?ignoreUnknown=true', { ...csv, method: 'PUT', body });
  await feed('externalId,address,beds,baths,city\n1,x,1,1,y\n');
  assert.match((await feed('externalId,address,beds,baths,SECRET\n1,x,1,1,y\n')).text, /SECRET/);
  const moved = await send('/v1/imports?map[Agent]=metadata.agent', { ...csv, body: 'A1,1 Main,Agent SECRET,3\n' });
  assert.match(moved.text, /did you mean \\"Agent SECRET\\"\?/);
  const alone = await send('/v1/imports?map[Agent]=metadata.agent&ignoreUnknown=true', {
    ...csv,
    body: 'Agent SECRET\n',
  });
  assert.match(alone.text, /^\{"error":\{"code":"validation_failed","message":"The file does not have .*SECRET/);
  const patch = { ...json, method: 'PATCH', body: '{"map":{"X":"SECRET"}}' };
  assert.match((await send('/v1/feeds/a', patch)).text, /There is no field \\"SECRET\\"/);
  const entries = await list();
  assert.equal(entries.length, bodies.length + 6);
  for (const entry of entries) assert.ok(!JSON.stringify(entry).includes('SECRET'), JSON.stringify(entry));
  const fields = (text: string) => JSON.parse(text).error.details.map(({ field }: { field: string }) => field);
  assert.deepEqual(fields(linesOf(entries, 'errorBody')[5] ?? '{}'), ['address', 'beds', 'baths', '…']);
});

test('a path is stored as it was sent, even if it is never normalized', async () => {
  const { tenant, list } = await enter();
  const targets = [
    ['/v1/./listings', '/v1/./listings'],
    ['/v1/listings#x', '/v1/listings#x'],
    ['/v1/listings/%2e%2e/x', '/v1/listings/%2e%2e/x'],
    ['/v1/listings/..\\x?limit=5', '/v1/listings/..\\x'],
    ['http://localhost/v1/../x', '/v1/../x'],
    [`/v1/../${tenant.key}`, '/v1/../plk_…'],
    [`/v1/./${'x'.repeat(3_000)}`, `/v1/./${'x'.repeat(2_041)}…`],
  ] as const;
  for (const [target] of targets) {
    const head = `Host: localhost\r\nAuthorization: Bearer ${tenant.key}\r\n`;
    const { status } = await sendRaw(service.url, `GET ${target} HTTP/1.1\r\n${head}\r\n`);
    assert.equal(status, 404, target);
  }
  const entries = await list();
  assert.deepEqual(
    linesOf(entries, 'path').toReversed(),
    targets.map(([, path]) => path),
  );
  assert.deepEqual(
    linesOf(entries, 'query').filter((query) => query !== ''),
    ['limit=5'],
  );
});

test('requests with any method can be found', async () => {
  const { send, tenant, ask } = await enter();
  await send('/v1/me');
  for (const method of ['OPTIONS', 'TRACE', 'PROPFIND']) {
    const head = `Host: localhost\r\nAuthorization: Bearer ${tenant.key}\r\n`;
    const { status } = await sendRaw(service.url, `${method} /v1/me HTTP/1.1\r\n${head}\r\n`);
    assert.equal(status, 405, method);
    assert.deepEqual(linesOf((await ask(`?method=${method}`)).data, 'method'), [method]);
  }
  assert.equal((await ask('?method=OPTIONS,PROPFIND')).data.length, 2);
});

test('filters and pages list each request once, newest first', async () => {
  const { tenant, send, ask, list } = await enter();
  const reader = await service.createKey(tenant.accountId, 'read');
  for (let index = 0; index < 10; index += 1) {
    await send(`/v1/listings?limit=${index}`);
    await (await service.fetch(reader, '/v1/me')).text();
    await send(`/v1/nothing/${index}`);
  }
  await post(service, reader, MINIMAL);
  const all = await list();
  assert.equal(all.length, 31);
  const times = all.map(({ at }: { at: string }) => at);
  assert.deepEqual(times, times.toSorted().reverse());
  for (const [query, matches] of [
    ['', () => true],
    [`keyId=${reader.keyId}`, ({ key }) => key.id === reader.keyId],
    ['status=4xx', ({ status }) => status >= 400],
    ['status=404,403', ({ status }) => status === 404 || status === 403],
    ['status=2xx', ({ status }) => status === 200],
    ['method=POST', ({ method }) => method === 'POST'],
    ['code=insufficient_scope', ({ code }) => code === 'insufficient_scope'],
    ['path=/v1/nothing', ({ path }) => path.startsWith('/v1/nothing')],
    [`at[gte]=${times[15]}`, ({ at }) => at >= times[15]],
    ['at[gte]=1960-01-01T00:00:00Z', () => true],
    [`at[lt]=${times[15]}`, ({ at }) => at < times[15]],
    [`keyId=${tenant.keyId}&status=404&path=/v1/nothing/7`, ({ path }) => path === '/v1/nothing/7'],
    ['keyId=key_x', () => false],
  ] as [string, (entry: Record<string, ReturnType<typeof JSON.parse>>) => boolean][]) {
    const found: unknown[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await ask(`?${query}&limit=4${cursor && `&cursor=${cursor}`}`.replace('?&', '?'));
      assert.ok(page.data.length <= 4);
      found.push(...page.data);
      cursor = page.nextCursor;
    }
    assert.deepEqual(found, all.filter(matches), query);
  }
});

test('an invalid filter is rejected, and so is a cursor of another filter or account', async () => {
  const { browser, send, ask } = await enter();
  for (const query of ['status=abc', 'status=40', 'method=CONNECT', 'limit=0', 'limit=501', 'at[gte]=noon', 'keyId=']) {
    assert.equal(
      (await browser.ask('GET', `/admin/requests?${query}`, undefined, 400)).error.code,
      'invalid_query',
      query,
    );
  }
  for (let index = 0; index < 3; index += 1) await send('/v1/me');
  const { nextCursor } = await ask('?limit=1');
  const other = await enter();
  for (const [caller, query] of [
    [browser, '&status=200'],
    [other.browser, ''],
  ] as const) {
    const { error } = await caller.ask('GET', `/admin/requests?limit=1&cursor=${nextCursor}${query}`, undefined, 400);
    assert.equal(error.code, 'invalid_cursor');
  }
});

test('an account sees only its own requests, without those of sessions and invalid keys', async () => {
  const [one, other] = [await enter(), await enter()];
  await one.send('/v1/me');
  await other.send('/v1/listings');
  await other.browser.ask('GET', '/admin/listings');
  await (await service.fetch({ ...one.tenant, key: `${one.tenant.key}x` }, '/v1/me')).text();
  const [mine, ...rest] = await one.list();
  assert.deepEqual([mine.path, rest], ['/v1/me', []]);
  assert.deepEqual(linesOf(await other.list(), 'path'), ['/v1/listings']);
  await other.browser.ask('GET', `/admin/requests/${mine.id}`, undefined, 404);
  for (const id of ['x', `${mine.id}0`, mine.id.replace(/\d$/, '9')])
    assert.equal((await one.browser.ask('GET', `/admin/requests/${id}`, undefined, 404)).error.code, 'not_found', id);
});

test('a deleted key keeps its name in the log', async () => {
  const { tenant, send, list } = await enter();
  await send('/v1/me');
  await deleteApiKey(service.database, tenant.keyId);
  assert.deepEqual((await list())[0].key, { id: tenant.keyId, name: 'Website', isDeleted: true });
});

test('a deleted key keeps its name in the log for a request that its deletion ended', async () => {
  const { tenant, list } = await enter();
  const [held] = await hold(service, [tenant], 'wait=60');
  const other = await service.createKey(tenant.accountId);
  await deleteApiKey(service.database, tenant.keyId);
  assert.equal((await post(service, other, MINIMAL)).status, 201);
  assert.equal((await held)?.status, 401);
  const entries = await list();
  const { key } = entries.find(({ path }: { path: string }) => path === '/v1/events');
  assert.deepEqual(key, { id: tenant.keyId, name: 'Website', isDeleted: true });
});

test('deleting an account removes its requests', async () => {
  const [gone, kept] = [await enter(), await enter()];
  for (const { send, list } of [gone, kept]) {
    await send('/v1/me');
    assert.equal((await list()).length, 1);
  }
  await deleteAccount(service.database, gone.tenant.accountId);
  const { requestLog: database } = service.database;
  assert.equal((await kept.list()).length, 1);
  const count = async (accountId: string) =>
    (await findRequestBlocks(database, accountId, { since: '', before: '~', failed: false }, 10)).length;
  assert.deepEqual([await count(gone.tenant.accountId), await count(kept.tenant.accountId)], [0, 1]);
});
