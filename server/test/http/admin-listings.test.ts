import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createPerson, signIn } from '../../../testkit/src/browser.ts';
import type { Caller } from '../../../testkit/src/calls.ts';
import { MINIMAL } from '../../../testkit/src/listings.ts';
import { linesOf } from '../../../testkit/src/replies.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { AppError } from '../../src/model/errors.ts';
import { CSV, FORMATS, NDJSON } from '../support/formats.ts';

const service = await startSharedService();

/** An account with a dashboard user and an API key. */
async function enter() {
  const person = await createPerson(service);
  const browser = await signIn(service, person);
  const tenant = await service.createKey(person.accountId);
  const program: Caller = { fetch: (path, init) => service.fetch(tenant, path, init) };
  /** Audit log entries about listings and imports, oldest first. */
  const actions = async (): Promise<string[]> => {
    const { data } = await browser.ask('GET', '/admin/activity');
    return data
      .filter(({ action }: { action: string }) => /^(listing|import)/.test(action))
      .map(({ action, actor, target }: Entry) => `${actor.name}: ${action} ${target.name}`)
      .reverse();
  };
  return { person, browser, program, actions };
}

interface Entry {
  action: string;
  actor: { name: string };
  target: { name: string };
}

type Asked = [path: string, init?: RequestInit];

type Headers = Record<string, string>;
const json: Headers = { 'Content-Type': 'application/json' };
const patch = (body: unknown, headers = {}): RequestInit => ({
  method: 'PATCH',
  headers: { ...json, ...headers },
  body: JSON.stringify(body),
});
const postBody = (body: string, headers: Headers = json): RequestInit => ({ method: 'POST', headers, body });

/** Requests that change nothing. */
const READS: Asked[] = [
  ...FORMATS.map((Accept): Asked => ['/listings', { headers: { Accept } }]),
  ['/listings?limit=2'],
  ['/listings?beds[gte]=2&sort=-listPrice&count=true&fields=id,beds'],
  ['/listings?q=elm&limit=1'],
  ['/listings?near=30,-97&radius=5km'],
  ['/listings?limit=0'],
  ['/listings?colour=red'],
  ['/listings', { headers: { Accept: 'image/png' } }],
  ['/listings', { method: 'DELETE' }],
  ['/listings/{id}'],
  ['/listings/{id}', { headers: { 'If-None-Match': '"1"' } }],
  ['/listings/nobody'],
  ['/listings/external/MLS-1'],
  ['/events'],
  ['/events?after=1&limit=1'],
  ['/events?after=99'],
  ['/listings', postBody('{"address":" ","beds":2.5}')],
  ['/listings', postBody('{')],
  ['/listings', postBody('{}', { 'Content-Type': 'text/plain' })],
  ['/listings', postBody(JSON.stringify({ ...MINIMAL, externalId: 'MLS-1' }))],
  ['/listings/{id}', patch({ beds: 9 }, { 'If-Match': '"7"' })],
  ['/listings/{id}', patch({ currency: 'XXX' })],
  ['/listings/{id}', patch({})],
  ['/listings/{id}', { method: 'DELETE', headers: { 'If-Match': '"7"' } }],
  ['/imports?dryRun=true', postBody('address,beds,baths\n12 Elm Street,3,x\n', { 'Content-Type': CSV })],
  ['/imports?atomic=true', postBody('{"address":"12 Elm Street"}\n', { 'Content-Type': NDJSON })],
  ['/imports', postBody('adress\n', { 'Content-Type': CSV })],
];

describe('operations below /admin return the same bytes as below /v1', async () => {
  const { browser, program } = await enter();
  const listing = { ...MINIMAL, externalId: 'MLS-1', listPrice: 450_000, latitude: 30, longitude: -97 };
  const { id } = await browser.ask('POST', '/admin/listings', listing, 201);
  await browser.ask('POST', '/admin/listings', { ...MINIMAL, beds: 1 }, 201);
  await browser.ask('POST', '/admin/listings', { ...MINIMAL, beds: 2 }, 201);

  /** The response without headers that differ per request, and with relative paths. */
  async function receive(caller: Caller, base: string, [path, init = {}]: Asked) {
    const headers = new Headers(init.headers);
    headers.set('X-Request-Id', 'same');
    const response = await caller.fetch(base + path.replace('{id}', id), { ...init, headers });
    const kept = [...response.headers].filter(([name]) => !/^(date|cache-control|connection|keep-alive)$/.test(name));
    const shown = kept.map(([name, value]) => {
      if (name === 'etag' && value.startsWith('W/')) return `${name}: weak`;
      return `${name}: ${value.replaceAll(base, '')}`;
    });
    return { status: response.status, headers: shown.sort(), body: await response.text() };
  }

  for (const asked of READS) {
    const [path, { method = 'GET', headers, body } = {}] = asked;
    test(`${method} ${path} ${JSON.stringify(headers ?? {})} ${body ?? ''}`.slice(0, 110), async () => {
      assert.deepEqual(await receive(browser, '/admin', asked), await receive(program, '/v1', asked));
    });
  }

  test('a page links to the next one below /admin', async () => {
    const first = await browser.fetch('/admin/listings?limit=2');
    const { nextCursor } = Object(await first.json());
    assert.equal(first.headers.get('link'), `</admin/listings?limit=2&cursor=${nextCursor}>; rel="next"`);
    const second = await browser.ask('GET', `/admin/listings?limit=2&cursor=${nextCursor}`);
    assert.deepEqual([second.data.length, second.data[0].id, second.nextCursor], [1, id, null]);
  });

  test('the Location of a created listing is below /admin', async () => {
    const created = await browser.send('POST', '/admin/listings', MINIMAL);
    const { id: newId } = Object(await created.json());
    assert.deepEqual([created.status, created.headers.get('location')], [201, `/admin/listings/${newId}`]);
    assert.equal((await browser.send('GET', `/admin/listings/${newId}`)).status, 200);
  });
});

test("dashboard and API see each other's changes, and both create events", async () => {
  const { browser, program } = await enter();
  const { id } = await browser.ask('POST', '/admin/listings', MINIMAL, 201);
  await (await program.fetch(`/v1/listings/${id}`, patch({ beds: 4 }))).text();
  const changed = await browser.ask('PATCH', `/admin/listings/${id}`, { baths: 3 });
  assert.deepEqual([changed.beds, changed.baths, changed.version], [4, 3, 3]);
  await browser.ask('DELETE', `/admin/listings/${id}`, undefined, 204);
  const { data } = Object(await (await program.fetch('/v1/events')).json());
  const types = data.map(({ type }: { type: string }) => type.split('.')[1]);
  assert.deepEqual(types, ['created', 'updated', 'updated', 'deleted']);
});

test('the audit log records listing changes of users, but not of API keys', async () => {
  const { browser, program, actions } = await enter();
  const { id } = await browser.ask('POST', '/admin/listings', MINIMAL, 201);
  await browser.ask('PATCH', `/admin/listings/${id}`, { address: '14 Elm Street' });
  await browser.ask('DELETE', `/admin/listings/${id}`, undefined, 204);
  await (await program.fetch('/v1/listings', postBody(JSON.stringify(MINIMAL)))).text();
  const file = { headers: { 'Content-Type': NDJSON }, method: 'POST', body: `${JSON.stringify(MINIMAL)}\n` };
  await (await program.fetch('/v1/imports', file)).text();
  assert.deepEqual(await actions(), [
    'Ada Lovelace: listing.created 12 Elm Street',
    'Ada Lovelace: listing.updated 14 Elm Street',
    'Ada Lovelace: listing.deleted 14 Elm Street',
  ]);
});

test('the audit log omits requests that change nothing, and records a retried one once', async () => {
  const { browser, actions } = await enter();
  const retry = { 'Idempotency-Key': 'a' };
  const first = await browser.send('POST', '/admin/listings', MINIMAL, retry);
  const again = await browser.send('POST', '/admin/listings', MINIMAL, retry);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  const { id } = Object(await first.json());
  assert.equal(Object(await again.json()).id, id);
  await browser.ask('PATCH', `/admin/listings/${id}`, { beds: MINIMAL.beds });
  await browser.ask('PATCH', `/admin/listings/${id}`, { beds: 'four' }, 422);
  const stale = await browser.send('DELETE', `/admin/listings/${id}`, undefined, { 'If-Match': '"2"' });
  assert.equal(stale.status, 412);
  assert.deepEqual(await actions(), ['Ada Lovelace: listing.created 12 Elm Street']);
});

describe('several listings are deleted with one request', async () => {
  const { browser, program, actions } = await enter();
  const other = await enter();
  const path = '/admin/listings/deletions';
  const find = async (caller: Caller, path: string) => Object(await (await caller.fetch(path)).json()).data;

  test('those that exist, of this account only, each with an event and an entry in the audit log', async () => {
    const { id: foreign } = await other.browser.ask('POST', '/admin/listings', MINIMAL, 201);
    const { id: kept } = await browser.ask('POST', '/admin/listings', { ...MINIMAL, address: '1 Oak Lane' }, 201);
    const file = postBody(`${JSON.stringify(MINIMAL)}\n`.repeat(120), { 'Content-Type': NDJSON });
    await (await program.fetch('/v1/imports', file)).text();
    const ids = (await find(program, '/v1/listings')).map(({ id }: { id: string }) => id);
    const given = [...ids.filter((id: string) => id !== kept), ids[0], foreign, 'lst_0'];
    assert.deepEqual(await browser.ask('POST', path, { ids: given }), { deleted: 120 });
    assert.deepEqual(await browser.ask('POST', path, { ids: given }), { deleted: 0 });
    assert.deepEqual(linesOf(await find(program, '/v1/listings'), 'id'), [kept]);
    assert.deepEqual(linesOf(await find(other.program, '/v1/listings'), 'id'), [foreign]);
    const events = await find(program, '/v1/events?type=listing.deleted&limit=1000');
    assert.equal(events.length, 120);
    assert.equal((await browser.ask('GET', '/admin/activity?action=listing.deleted&limit=200')).data.length, 120);
    assert.ok((await actions()).includes('Ada Lovelace: listing.deleted 12 Elm Street'));
  });

  test('more than can be read at once', async () => {
    const row = JSON.stringify({ ...MINIMAL, description: 'a'.repeat(20_000), metadata: { a: 'a'.repeat(30_000) } });
    await (await program.fetch('/v1/imports', postBody(`${row}\n`.repeat(60), { 'Content-Type': NDJSON }))).text();
    const ids = (await find(program, '/v1/listings?fields=id')).map(({ id }: { id: string }) => id);
    assert.deepEqual(await browser.ask('POST', path, { ids }), { deleted: ids.length });
    assert.deepEqual(await find(program, '/v1/listings'), []);
  });

  const wrong = { 'no ids': [], 'too many ids': Array(401).fill('lst_1'), 'an id that is none': ['lst_1', 7] };
  for (const [name, ids] of Object.entries(wrong)) {
    test(`not with ${name}`, async () => {
      const { error } = await browser.ask('POST', path, { ids }, 422);
      assert.match(error.details[0].field, /^ids/);
    });
  }
});

test('an import by a user is one audit log entry with its counts', async () => {
  const { browser, actions } = await enter();
  const send = (query: string, body: string) =>
    browser.fetch(`/admin/imports${query}`, { method: 'POST', headers: { 'Content-Type': CSV }, body });
  const rows = 'externalId,address,beds,baths\nA,12 Elm Street,3,2\nB,14 Elm Street,x,2\n';
  const reports = [await send('', rows), await send('?dryRun=true', rows), await send('?atomic=true', rows)];
  assert.deepEqual(linesOf(reports, 'status'), ['200', '200', '422']);
  await send('?atomic=true', 'externalId,address,beds,baths\nA,12 Elm Street,4,2\nC,16 Elm Street,3,2\n');
  // The quote in row E is never closed; row D is imported.
  const broken = await send('', 'externalId,address,beds,baths\nD,18 Elm Street,3,2\nE,"20 Elm Street,3,2\n');
  assert.equal(broken.status, 422);
  await send('', 'externalId,address,beds,baths\n');
  assert.deepEqual(await actions(), [
    'Ada Lovelace: import.finished 1 created, 0 updated, 0 unchanged, 1 failed',
    'Ada Lovelace: import.finished 1 created, 1 updated, 0 unchanged, 0 failed',
    'Ada Lovelace: import.finished 1 created, 0 updated, 0 unchanged, 0 failed',
  ]);
});

test("if the outcome of an import's audit log entry is unknown, the import succeeds and is recorded once", async (t) => {
  const browser = await signIn(service, await createPerson(service));
  const { database } = service;
  const { write } = database;
  let writes = 0;
  const mocked = t.mock.method(database, 'write', async (...given: Parameters<typeof write>) => {
    writes += 1;
    const done = await write.apply(database, given);
    if (writes > 1) throw new AppError('outcome_unknown', 'The connection was lost.');
    return done;
  });
  const headers = { 'Content-Type': 'application/x-ndjson' };
  const init = { method: 'POST', headers, body: JSON.stringify(MINIMAL) };
  const response = await browser.fetch('/admin/imports', init);
  mocked.mock.restore();
  assert.equal(response.status, 200);
  assert.equal(JSON.parse(await response.text()).created, 1);
  const { data } = await browser.ask('GET', '/admin/activity');
  const imports = data.filter(({ action }: { action: string }) => action === 'import.finished');
  assert.equal(imports.length, 1);
  assert.ok(service.logLines.some((line) => line.includes('an import is missing from the audit log')));
});
