import assert from 'node:assert/strict';
import type { Trial } from '../../part.ts';
import { serve } from '../../service.ts';
import type { World } from './accounts.ts';
import type { Tally } from './caller.ts';
import { Caller, findTarget, TARGETS } from './caller.ts';
import { errorOf } from './outcome.ts';

interface Rare {
  operationId: string;
  query?: string;
  headers?: Record<string, string>;
  body?: string;
  expected: string;
}

const NDJSON = { 'Content-Type': 'application/x-ndjson' };
const JSON_TYPE = { 'Content-Type': 'application/json' };
const INVALID_TAG = { ...JSON_TYPE, 'If-Match': '1' };
const UNLESS_ANY = { 'If-None-Match': '*' };
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
  ];
}

export async function askForRare({ url, callers }: World, tally: Tally, times: number): Promise<void> {
  const caller = new Caller(url, tally);
  const entries = { '/v1': callers.key, '/admin': callers.administrator };
  for (const base of ['/v1', '/admin'] as const) {
    const requests = Array.from({ length: times }, (_, time) => rareRequests(`rare-${base}-${time}`)).flat();
    for (const { operationId, query = '', headers = {}, body, expected } of requests) {
      const target = findTarget(base, operationId);
      const { method, path } = target.operation;
      const told = await caller.ask(
        target,
        method.toUpperCase(),
        base + path.replace('{externalId}', 'rare') + query,
        { ...entries[base], ...headers },
        body,
      );
      const outcome = `${told.status} ${errorOf(told).code ?? ''}`.trim();
      assert.equal(
        outcome,
        expected,
        `${operationId}: ${expected} was expected, but the response is ${outcome}: ${told.text}`,
      );
    }
  }
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
