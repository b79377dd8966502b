import assert from 'node:assert/strict';
import type { Told } from '../../../../testkit/src/openapi.ts';
import type { Schema } from '../../../../testkit/src/schema-values.ts';
import { isFile, type Prepared, STEP } from './faults.ts';
import type { Known } from './known.ts';
import { normalForm, unexplainedFault } from './rules.ts';

/** Rejections of valid requests for reasons that the document explains only in prose. */
const IN_WORDS: Record<string, RegExp> = {
  createImport: /^422 (import_failed|validation_failed)$/,
  putFeed: /^(400 invalid_json|409 feed_guard|422 (import_failed|validation_failed))$/,
  createWebhook: /^507 quota_exceeded$/,
  replayWebhook: /^410 events_expired$/,
  redeliverWebhookDelivery: /^(404 not_found|410 events_expired|507 quota_exceeded)$/,
  saveView: /^409 conflict$/,
  createInvitation: /^(409 conflict|429 rate_limited)$/,
  updateMember: /^409 conflict$/,
  deleteMember: /^409 conflict$/,
};

/** @throws AssertionError unless the response is what the document and the known state require */
export function judgeOutcome(request: Prepared, told: Told, known: Known): void {
  const { status } = told;
  const { code, details = [] } = errorOf(told);
  const response = `${status} ${code ?? ''}: ${told.text.slice(0, 500)}`;
  const step = Math.min(...request.refusals.map((refusal) => refusal.step));
  const must = request.refusals.filter((refusal) => refusal.step === step);
  if (mayBeRefusedBefore(step, request, { status, code, details })) return;
  if (hasAt(request) && step >= STEP.missing && /^(404|410)$/.test(String(status))) return;
  if (must.length > 0) {
    const isTold = must.some((each) => each.status === status && (code === undefined || each.codes.includes(code)));
    const expected = must.map((each) => `${each.status} ${each.codes.join(' or ')}`).join(' or ');
    assert.ok(isTold, `${expected} was expected, but the response is ${response}`);
    return;
  }
  if (IN_WORDS[request.target.operation.operationId]?.test(`${status} ${code}`)) return;
  assert.ok(status < 400, `success was expected, but the response is ${response}`);
  if (request.method !== 'HEAD') judgeSuccess(request, told, known);
}

/** Whether the request is for an earlier version of a listing. Earlier versions are not remembered here. */
function hasAt({ query }: Prepared): boolean {
  return query.some(([name]) => name === 'at');
}

interface Refused {
  status: number;
  code: string | undefined;
  details: { field: string; code: string }[];
}

/** Whether a rule that the document states in prose explains the rejection. */
function mayBeRefusedBefore(step: number, request: Prepared, { status, code, details }: Refused): boolean {
  const { mayRefuse } = request;
  const isOfQuery = status === 400 && /^invalid_(query|cursor)$/.test(code ?? 'invalid_query');
  if (mayRefuse.query && step >= STEP.query && (isOfQuery || status === 410)) return true;
  // An import validates the file before it reads stored data.
  const isOfFile = IN_WORDS[request.target.operation.operationId]?.test(`${status} ${code}`);
  if (isFile(request.target) && step >= STEP.reuse && isOfFile) return true;
  if (!mayRefuse.body || step < STEP.fields || status !== 422 || code !== 'validation_failed') return false;
  if (step === STEP.fields) return true;
  const fault = unexplainedFault(details);
  assert.equal(fault, undefined, `a body that matches its schema is rejected: ${JSON.stringify(fault)}`);
  return true;
}

function judgeSuccess(request: Prepared, { status, text, headers }: Told, known: Known): void {
  const { operationId } = request.target.operation;
  if (operationId === 'upsertListing') assert.equal(status, request.listingId === undefined ? 201 : 200);
  if (status === 304) assert.ok(request.headers['If-None-Match'], 'a 304 without If-None-Match');
  if (/^retrieveListing/.test(operationId) && status === 200 && !hasAt(request)) {
    assert.equal(text, known.listings.get(request.listingId ?? ''), 'a listing differs from an earlier response');
    assert.equal(headers.get('etag'), `"${JSON.parse(text).version}"`);
  }
  if (/^(create|update|upsert)Listing(ByExternalId)?$/.test(operationId) || operationId === 'updateAccount')
    judgeStored(request, text);
  // In NDJSON, the report is the last line.
  if (operationId === 'createImport') judgeReport(request, JSON.parse(text.trimEnd().split('\n').at(-1) ?? ''));
}

/** Asserts that the response contains the request's values in normal form. */
function judgeStored({ target, value, headers }: Prepared, text: string): void {
  const { document, operation } = target;
  const schema: Schema = operation.requestBody?.content[headers['Content-Type'] ?? '']?.schema ?? {};
  const stored = JSON.parse(text);
  const given = Object(normalForm(value, schema, document));
  for (const [name, member] of Object.entries(given)) {
    if (name === 'metadata' && operation.method === 'patch') assertMerged(stored.metadata ?? {}, Object(member));
    else if (member === null) assert.ok(DEFAULTED.has(name) || !(name in stored), `${name} was not removed`);
    else assert.deepEqual(stored[name], member, `${name} is not stored as it was sent`);
  }
}

const DEFAULTED = new Set(['status', 'currency', 'livingAreaUnits', 'lotSizeUnits']);

function assertMerged(stored: Record<string, unknown>, given: object): void {
  for (const [name, member] of Object.entries(given)) {
    assert.deepEqual(stored[name], member ?? undefined, `metadata.${name} is not stored as it was sent`);
  }
}

/**
 * Asserts that each row is counted once, and that no row that violates its schema is saved. With `clean`, the service
 * also accepts values that the schema does not allow. Reports of CSV files are not checked.
 */
function judgeReport({ target, value, headers, query }: Prepared, report: Record<string, number>): void {
  const { created = 0, updated = 0, unchanged = 0, failed = 0 } = report;
  const rows = Array.isArray(value) ? value : [];
  if (headers['Content-Type'] === 'text/csv') return;
  const { document, operation } = target;
  const { items = {} }: Schema = operation.requestBody?.content['application/json']?.schema ?? {};
  // The line that ends an export does not count as a row.
  const isEnd = (row: unknown) => typeof row === 'object' && row !== null && 'end' in row;
  const invalid = rows.filter((row) => !isEnd(row) && !document.matches(normalForm(row, items, document), items));
  const counted = created + updated + unchanged + failed;
  assert.equal(counted, rows.length, 'the report and the file differ in their number of rows');
  if (query.some(([name, given]) => name === 'clean' && given === 'true')) return;
  assert.ok(failed >= invalid.length, `${invalid.length - failed} rows that violate their schema were saved`);
}

export function errorOf({ status, text }: Told): Partial<Refused> & { details?: { field: string; code: string }[] } {
  return status < 400 || text === '' ? {} : JSON.parse(text).error;
}
