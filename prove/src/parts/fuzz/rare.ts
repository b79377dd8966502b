import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { createDatabase } from '../../../../testkit/src/database.ts';
import type { Told } from '../../../../testkit/src/openapi.ts';
import { sendRaw } from '../../../../testkit/src/raw.ts';
import { beginRequest, openSocket } from '../../../../testkit/src/raw-http.ts';
import { until } from '../../../../testkit/src/until.ts';
import type { Trial } from '../../part.ts';
import { importRows, serve } from '../../service.ts';
import type { World } from './accounts.ts';
import { BASES, type Base, Caller, findTarget, JSON_TYPE, TARGETS, type Tally } from './caller.ts';
import { errorOf } from './outcome.ts';

interface Rare {
  operationId: string;
  /** Values of path parameters; `rare` for a parameter that is not listed. */
  ids?: Record<string, string>;
  query?: string;
  headers?: Record<string, string>;
  body?: string;
  expected: string;
}

const NDJSON = { 'Content-Type': 'application/x-ndjson' };
const NOT_GZIP = { ...NDJSON, 'Content-Encoding': 'gzip' };
const INVALID_TAG = { ...JSON_TYPE, 'If-Match': '1' };
const UNLESS_ANY = { 'If-None-Match': '*' };
const ROW = '{"externalId":"1","address":"a","beds":1,"baths":1}';
const ROWS_MAX = 10_000;

/** Requests that random choices rarely produce. Their order matters. */
function rareRequests(key: string): Rare[] {
  const atomic = { operationId: 'createImport', query: '?atomic=true' };
  const once = { ...NDJSON, 'Idempotency-Key': key };
  return [
    { operationId: 'createListing', headers: JSON_TYPE, body: '{"address":"a","beds":0,"baths":0}', expected: '201' },
    { ...atomic, headers: NDJSON, body: '{}\n'.repeat(ROWS_MAX + 1), expected: '413 payload_too_large' },
    { operationId: 'createImport', headers: JSON_TYPE, body: '[{"address":1},', expected: '400 invalid_json' },
    { ...atomic, headers: once, body: '', expected: '200' },
    { ...atomic, headers: once, body: '\n', expected: '422 idempotency_key_reused' },
    { operationId: 'listListings', query: '?count=true', expected: '200' },
    { operationId: 'listListings', headers: UNLESS_ANY, expected: '304' },
    { operationId: 'upsertListing', headers: JSON_TYPE, body: '{"address":"a","beds":1,"baths":1}', expected: '201' },
    { operationId: 'deleteListingByExternalId', headers: UNLESS_ANY, expected: '412 precondition_failed' },
    { operationId: 'deleteListingByExternalId', headers: { 'If-Match': '"9"' }, expected: '412 version_mismatch' },
    { operationId: 'deleteListingByExternalId', expected: '204' },
    { operationId: 'createListing', headers: INVALID_TAG, body: '{}', expected: '400 invalid_header' },
    { operationId: 'putFeed', headers: JSON_TYPE, body: 'x', expected: '400 invalid_json' },
    { operationId: 'putFeed', headers: once, body: '', expected: '400 invalid_idempotency_key' },
    { operationId: 'putFeed', headers: NDJSON, body: ROW, expected: '200' },
    { operationId: 'updateFeed', headers: JSON_TYPE, body: '{"missing":"keep"}', expected: '200' },
    { operationId: 'putFeed', headers: NOT_GZIP, body: '{}', expected: '422 import_failed' },
  ];
}

export async function askForRare(world: World, tally: Tally, times: number): Promise<void> {
  for (const base of BASES) {
    const requests = Array.from({ length: times }, (_, time) => rareRequests(`rare-${base}-${time}`)).flat();
    await askInOrder(world, tally, base, requests);
  }
}

async function askInOrder(world: World, tally: Tally, base: Base, requests: readonly Rare[]): Promise<void> {
  const caller = new Caller(world.url, tally);
  for (const request of requests) await ask(caller, world, base, request);
}

async function ask(caller: Caller, { callers }: World, base: Base, rare: Rare): Promise<Told> {
  const { operationId, ids = {}, query = '', headers = {}, body, expected } = rare;
  const target = findTarget(base, operationId);
  const { method, path } = target.operation;
  const url = base + path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name] ?? 'rare') + query;
  const entry = { '/v1': callers.key, '/admin': callers.administrator }[base];
  const told = await caller.ask(target, method.toUpperCase(), url, { ...entry, ...headers }, body);
  const outcome = outcomeOf(told);
  const words = `${operationId}: ${expected} was expected, but the response is ${outcome}: ${told.text}`;
  assert.equal(outcome, expected, words);
  return told;
}

function outcomeOf(told: Told): string {
  return `${told.status} ${errorOf(told).code ?? ''}`.trim();
}

/** First one upload keeps the feed busy, and then the account has as many uploads as it can have at a time. */
export async function askWhileUploading(world: World, tally: Tally, times: number): Promise<void> {
  const file = { headers: NDJSON, body: '' };
  const busy = [
    { operationId: 'putFeed', ...file, expected: '409 feed_busy' },
    { operationId: 'deleteFeed', expected: '409 feed_busy' },
  ];
  const expected = '429 too_many_imports';
  const full = ['createImport', 'putFeed'].map((operationId) => ({ operationId, ...file, expected }));
  const { Authorization } = world.callers.key;
  const uploads: Socket[] = [];
  const upload = async (name: string) => {
    const socket = await openSocket(world.url);
    uploads.push(socket);
    const type = 'Content-Type: application/x-ndjson\r\nContent-Length: 2';
    const head = `PUT /v1/feeds/${name} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${Authorization}\r\n${type}`;
    await beginRequest(socket, `${head}\r\n\r\n{}`);
  };
  const askAll = async (requests: Rare[]) => {
    for (const base of BASES) await askInOrder(world, tally, base, Array(times).fill(requests).flat());
  };
  await upload('rare');
  await askAll(busy);
  for (const name of ['second', 'third', 'fourth']) await upload(name);
  await askAll(full);
  for (const socket of uploads) socket.destroy();
}

/** More listings than a response over HTTP/1.0 can contain. */
const LONG = 400;
const AS_LINES = 'Accept: application/x-ndjson\r\nContent-Type: application/x-ndjson\r\nContent-Length: 0\r\n';

export async function askOverOldHttp({ url, callers }: World, tally: Tally, times: number): Promise<void> {
  const { Authorization } = callers.key;
  const rows = Array.from({ length: LONG }, (_, index) => `{"address":"${index} Lane","beds":1,"baths":1}`);
  await importRows(url, Authorization.replace('Bearer ', ''), rows);
  const { Cookie } = callers.administrator;
  const site = `Host: ${new URL(url).host}\r\nOrigin: ${url}`;
  const entries = { '/v1': `Authorization: ${Authorization}`, '/admin': `Cookie: ${Cookie}\r\n${site}` };
  for (const base of BASES) {
    for (const operationId of Array<string[]>(times).fill(['listListings', 'listEvents', 'createImport']).flat()) {
      const target = findTarget(base, operationId);
      const { method, path } = target.operation;
      const start = `${method.toUpperCase()} ${base}${path}${operationId === 'listEvents' ? '?limit=1000' : ''}`;
      const lines = operationId === 'createImport' ? AS_LINES : '';
      const { status, headers, body } = await sendRaw(url, `${start} HTTP/1.0\r\n${entries[base]}\r\n${lines}\r\n`);
      const told = { status, headers: new Headers(headers), text: body };
      assert.equal(outcomeOf(told), '505 http_version_not_supported', `${operationId} over HTTP/1.0: ${body}`);
      tally.count(target, told, told.status);
    }
  }
}

/** An endpoint that refuses connections. */
const CLOSED = 'http://127.0.0.1:1024/';

export async function askForRemoved(world: World, trial: Trial, tally: Tally, times: number): Promise<void> {
  const caller = new Caller(world.url, tally);
  const askV1 = async (rare: Rare) => JSON.parse((await ask(caller, world, '/v1', rare)).text);
  const created = { headers: JSON_TYPE, expected: '201' };
  const { id: webhookId } = await askV1({ operationId: 'createWebhook', body: `{"url":"${CLOSED}"}`, ...created });
  await askV1({ operationId: 'createListing', body: '{"address":"a","beds":0,"baths":0}', ...created });
  const { id: deliveryId } = await until('a delivery fails', async () => {
    const { data } = await askV1({ operationId: 'listWebhookDeliveries', ids: { webhookId }, expected: '200' });
    return data[0];
  });
  const { sql } = await createDatabase(trial.directory, 'sqlite');
  await sql('delete from events');
  const ids = { webhookId, deliveryId };
  const again = { operationId: 'redeliverWebhookDelivery', ids, expected: '410 events_expired' };
  for (const base of BASES) await askInOrder(world, tally, base, Array<Rare>(times).fill(again));
}

const TIMES = 5;

export async function useUpRequests(
  trial: Trial,
  settings: Record<string, string>,
  { callers }: World,
  tally: Tally,
): Promise<void> {
  const { url } = await serve(trial, { ...settings, RATE_LIMIT: '1/1h' });
  const caller = new Caller(url, tally);
  await (await fetch(`${url}/v1/me`, { headers: callers.key })).text();
  for (const target of TARGETS.filter(({ base }) => base === '/v1')) {
    for (let count = 0; count < TIMES; count += 1) {
      const method = target.operation.method.toUpperCase();
      const { status } = await caller.ask(target, method, `/v1${target.operation.path}`, callers.key);
      assert.equal(status, 429, `${target.operation.operationId} is not limited`);
    }
  }
}
