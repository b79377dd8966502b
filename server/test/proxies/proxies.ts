import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:http2';
import { type RequestOptions, request } from 'node:https';
import type { Readable } from 'node:stream';
import { describe, type TestContext, test } from 'node:test';
import { defer } from '../../../testkit/src/cleanup.ts';
import { plant } from '../../../testkit/src/listings.ts';
import type { Tenant } from '../../../testkit/src/service.ts';
import { serveFor } from '../../../testkit/src/serving.ts';
import { until } from '../../../testkit/src/until.ts';
import { tenantFor, workersOf } from '../../../testkit/src/workers.ts';
import { PROXIES, type RunningProxy, startProxy } from './proxy.ts';

// `npm run test:proxies` runs the configurations in docs/proxies. It needs the Debian packages
// nginx-light, caddy, and haproxy, so it is not part of `npm test`.

/** Enough that a list exceeds the buffers of the sockets and the proxies. */
const LISTINGS = 7_000;
const LONG_POLL_SECONDS = 60;
const FILE_BYTES = Number(process.env.PROXY_FILE_MB ?? 100) * 1024 * 1024;
/** Not the address of the proxy. */
const CLIENT_ADDRESS = '127.0.0.2';

const CADDY_VERSION = execFileSync('caddy', ['version'], { encoding: 'utf8' });
/** Before 2.8, Caddy ends a response that is cut off as if it were complete. */
const DOES_CADDY_HIDE_CUTS = /^v?2\.[0-7]\./.test(CADDY_VERSION);

/** The formats of lists, and whether a body in that format is complete. */
const FORMATS: Record<string, ((text: string) => boolean) | undefined> = {
  'application/json': isJson,
  'application/geo+json': isJson,
  'application/x-ndjson': (text) => /\n\{"end":true,.*\}\n$/.test(text),
  // A part of a CSV file looks like a whole one.
  'text/csv': undefined,
};

interface Fixture {
  proxy: RunningProxy;
  tenant: Tenant;
  service: Awaited<ReturnType<typeof serveFor>>;
}

async function start(t: TestContext, name: string, given = {}, edit?: (text: string) => string): Promise<Fixture> {
  const { directory, database, tenant } = await tenantFor(t);
  await plant(database, tenant, LISTINGS, 3_600);
  const settings = { DATA_DIR: directory, DATABASE_URL: database.url, TRUSTED_PROXIES: '127.0.0.1' };
  const service = await serveFor(t, { ...settings, PUBLIC_URL: 'https://localhost', ...given });
  return { proxy: await startProxy(t, name, service.url, edit), tenant, service };
}

function open({ proxy, tenant }: Fixture, path: string, options: RequestOptions = {}) {
  const headers = { Authorization: `Bearer ${tenant.key}`, ...Object(options.headers) };
  return request(proxy.url + path, { ca: proxy.ca, agent: false, ...options, headers });
}

async function ask(fixture: Fixture, path: string, options: RequestOptions = {}, body = ''): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  open(fixture, path, options).once('response', resolve).once('error', reject).end(body);
  return promise;
}

/** Reads to the end, or to where the connection was cut off. */
async function readText(stream: Readable): Promise<{ text: string; isWhole: boolean }> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk);
    return { text: Buffer.concat(chunks).toString(), isWhole: true };
  } catch {
    return { text: Buffer.concat(chunks).toString(), isWhole: false };
  }
}

async function readJson(response: IncomingMessage) {
  return JSON.parse((await readText(response)).text);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const JSON_BODY = { 'Content-Type': 'application/json' };
const LISTING = '{"address":"12 Elm Street","beds":3,"baths":2}';

for (const name of Object.keys(PROXIES)) {
  describe(`behind ${name}, with the documented configuration`, { concurrency: 1 }, () => {
    test('requests keep their ids, their methods, and the client’s address', async (t) => {
      const fixture = await start(t, name);
      const headers = { 'X-Request-Id': 'my-own-id', 'X-Forwarded-For': '192.0.2.66' };
      const response = await ask(fixture, '/v1/me', { localAddress: CLIENT_ADDRESS, headers });
      assert.deepEqual([response.statusCode, response.headers['x-request-id']], [200, 'my-own-id']);
      assert.match(response.headers['strict-transport-security'] ?? '', /^max-age=/);
      const { log } = fixture.service;
      const line = await until('the request is logged', () => log.find(({ requestId }) => requestId === 'my-own-id'));
      assert.equal(line.address, CLIENT_ADDRESS);
      assert.deepEqual(
        log.filter(({ msg }) => /X-Forwarded-For/.test(String(msg))),
        [],
      );

      const created = await ask(fixture, '/v1/listings', { method: 'POST', headers: JSON_BODY }, LISTING);
      assert.equal(created.statusCode, 201);
      const { id, version } = await readJson(created);
      const path = `/v1/listings/${id}`;
      const change = { method: 'PATCH', headers: { ...JSON_BODY, 'If-Match': `"${version}"` } };
      const changed = await ask(fixture, path, change, '{"beds":4}');
      assert.deepEqual([changed.statusCode, changed.headers.etag], [200, '"2"']);
      const known = await ask(fixture, path, { headers: { 'If-None-Match': '"2"' } });
      assert.equal(known.statusCode, 304);
      const long = await ask(fixture, '/v1/me', { headers: { 'X-Note': 'x'.repeat(12_000) } });
      assert.equal(long.statusCode, 200);
      assert.equal((await ask(fixture, path, { method: 'DELETE' })).statusCode, 204);
    });

    test(`a long poll waits ${LONG_POLL_SECONDS} seconds, and another one responds at once to a change`, async (t) => {
      const fixture = await start(t, name);
      const until = `/v1/events?after=0&wait=${LONG_POLL_SECONDS}`;
      const silent = ask(fixture, until);
      const { data, nextAfter } = await readJson(await silent);
      assert.deepEqual([data, nextAfter], [[], 0]);
      const held = ask(fixture, until);
      await ask(fixture, '/v1/listings', { method: 'POST', headers: JSON_BODY }, LISTING);
      assert.equal((await readJson(await held)).data[0].type, 'listing.created');
    });

    test('a list is streamed at the pace of its reader', async (t) => {
      const fixture = await start(t, name);
      const slow = await ask(fixture, '/v1/listings', { headers: { 'X-Request-Id': 'slow' } });
      await once(slow, 'readable');
      const fast = await ask(fixture, '/v1/listings', { headers: { 'X-Request-Id': 'fast' } });
      assert.equal((await readJson(fast)).data.length, LISTINGS);
      const isLogged = (id: string) => fixture.service.log.some(({ requestId }) => requestId === id);
      await until('the fast reader is finished', () => isLogged('fast'));
      assert.ok(!isLogged('slow'), 'the proxy has stored the list');
      assert.equal((await readJson(slow)).data.length, LISTINGS);
    });

    test('rows of an import are stored while the file is sent, in a file of any size', async (t) => {
      const fixture = await start(t, name, { RATE_LIMIT: 'off' });
      const upload = open(fixture, '/v1/imports', { method: 'POST', headers: { 'Content-Type': 'text/csv' } });
      const replied = once(upload, 'response');
      const description = 'x'.repeat(3_500);
      let rows = 0;
      const sendRows = async (count: number) => {
        const lines = Array.from({ length: count }, () => `imp-${rows++},12 Elm Street,3,2,${description}\n`);
        if (!upload.write(lines.join(''))) await once(upload, 'drain');
      };
      upload.write('externalId,address,beds,baths,description\n');
      await until('the first row is stored', async () => {
        await sendRows(100);
        return (await ask(fixture, '/v1/listings/external/imp-0')).statusCode === 200;
      });
      assert.ok(!upload.writableEnded);
      while (rows * description.length < FILE_BYTES) await sendRows(100);
      upload.end();
      const [response] = await replied;
      const { created, failed } = await readJson(response);
      assert.deepEqual([created, failed], [rows, 0]);
    });

    test('a list whose worker is killed is noticed in each format', async (t) => {
      for (const [format, isComplete] of Object.entries(FORMATS)) {
        const fixture = await start(t, name, { WORKERS: '2' });
        const headers = { Accept: format };
        const first = await ask(fixture, '/v1/listings', { headers });
        await once(first, 'readable');
        // The configuration of HAProxy offers only HTTP/1.1.
        const second = name === 'haproxy' ? undefined : openHttp2(t, fixture, headers);
        if (second !== undefined) await once(second, 'readable');
        for (const pid of await workersOf(fixture.service)) process.kill(pid, 'SIGKILL');
        for (const [version, list] of Object.entries({ 'HTTP/1.1': first, ...(second && { 'HTTP/2': second }) })) {
          const { text, isWhole } = await readText(list);
          const rows = text.match(/ Elm Street/g)?.length ?? 0;
          assert.ok(rows > 0 && rows < LISTINGS, `${format}, ${version}: ${rows}`);
          if (name === 'caddy' && DOES_CADDY_HIDE_CUTS) assert.ok(!isComplete?.(text), `${format}, ${version}`);
          else assert.equal(isWhole, false, `${format}, ${version}`);
        }
      }
    });
  });
}

function openHttp2(t: TestContext, { proxy, tenant }: Fixture, headers: Record<string, string>): Readable {
  const session = connect(proxy.url, { ca: proxy.ca });
  session.on('error', () => {});
  defer(t, () => session.destroy());
  const all = { ':path': '/v1/listings', authorization: `Bearer ${tenant.key}`, ...headers };
  return session.request(all).on('error', () => {});
}

test('without proxy_http_version, nginx gets 505 for a long list, and its client is told what to set', async (t) => {
  const fixture = await start(t, 'nginx', {}, (text) => text.replace('proxy_http_version 1.1;', ''));
  const response = await ask(fixture, '/v1/listings', { headers: { Accept: 'text/csv' } });
  const { error } = await readJson(response);
  assert.deepEqual([response.statusCode, error.code], [505, 'http_version_not_supported']);
  assert.match(error.message, /nginx: proxy_http_version 1\.1/);
  const page = await ask(fixture, '/v1/listings?limit=20', { headers: { Accept: 'text/csv' } });
  assert.equal((await readText(page)).text.trim().split('\n').length, 21);
});

test('a proxy that sends no X-Forwarded-For is warned about once', async (t) => {
  const fixture = await start(t, 'nginx', {}, (text) => text.replace(/proxy_set_header X-Forwarded-For .*/, ''));
  const warnings = () => fixture.service.log.filter(({ msg }) => /X-Forwarded-For/.test(String(msg)));
  for (let count = 0; count < 3; count += 1) assert.equal((await ask(fixture, '/v1/me')).statusCode, 200);
  await until('the warning is logged', () => warnings().length > 0);
  assert.equal(warnings().length, 1);
});
