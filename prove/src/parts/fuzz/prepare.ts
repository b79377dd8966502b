import type { DocumentedParameter } from '../../../../testkit/src/openapi.ts';
import type { Schema } from '../../../../testkit/src/schema-values.ts';
import type { Draft } from './drafts.ts';
import { isFile, type Prepared, STEP } from './faults.ts';
import { FEEDS, type Known } from './known.ts';
import { judgeParameter, normalForm } from './rules.ts';

export function prepare(draft: Draft, known: Known, freshKey: string): Prepared {
  const { target, faults, at } = draft;
  const request: Prepared = {
    target,
    caller: target.base === '/v1' ? 'key' : 'administrator',
    method: draft.isHead && target.operation.method === 'get' ? 'HEAD' : target.operation.method.toUpperCase(),
    path: target.operation.path,
    query: draft.query.map(([name, value]) => [name, value.replace('@epoch@', known.epoch)]),
    headers: { 'Accept-Encoding': 'identity' },
    body: undefined,
    value: draft.body,
    at,
    listingId: undefined,
    refusals: [...faults],
    mayRefuse: { query: false, body: false },
  };
  setPath(request, draft, known);
  const types = ['*/*', ...Object.keys(target.operation.responses['200']?.content ?? {})];
  request.headers.Accept = types[draft.acceptAt % types.length] ?? '*/*';
  setBody(request, draft);
  judgeExternalId(request, known);
  judgeQuery(request, known);
  setConditions(request, draft, known);
  setRetry(request, draft, known, freshKey);
  // In reverse order of the service's checks, so that the fault that the service finds first overrides the others.
  for (const fault of faults.toSorted((one, other) => other.step - one.step)) fault.apply(request);
  return request;
}

/** Fills in the path, and expects 404 if it does not name an existing object. */
function setPath(request: Prepared, { about, at }: Draft, known: Known): void {
  const { operationId } = request.target.operation;
  const names = [...request.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const owners = new Map([...known.pools.runId.live, ...known.pools.deliveryId.live]);
  let owner: string | undefined;
  // From the last object to the first, because an object such as a run determines the object that it belongs to.
  for (const name of names.toReversed()) {
    const { live, deleted } = poolsOf(/Views?$/.test(operationId) ? 'view' : name, known);
    const pool = CREATES.has(operationId) ? (NEW[name] ?? live) : { live, deleted, nothing: [] }[about];
    const value = owner ?? pool[at % Math.max(1, pool.length)] ?? NOTHING[at % NOTHING.length] ?? '';
    owner = owners.get(value);
    request.path = request.path.replace(`{${name}}`, encodeURIComponent(value));
    if (name === 'id') request.listingId = known.listings.has(value) ? value : undefined;
    if (name === 'externalId') request.listingId = known.findByExternalId(value.normalize().trim());
    const isThere = name === 'id' || name === 'externalId' ? request.listingId !== undefined : live.includes(value);
    const step = ANY_ORDER.has(name) ? STEP.fields : STEP.missing;
    // A deleted listing keeps its history for 30 days.
    const isOfHistory = operationId === 'listHistory' || request.query.some(([each]) => each === 'at');
    if (isOfHistory && deleted.includes(value)) continue;
    if (!isThere && !CREATES.has(operationId)) refuse(request, step, 404, 'not_found');
  }
}

const CREATES = new Set(['upsertListing', 'putFeed']);
/** Path parameters for which the order of a 404 and an error in the fields is not specified. */
const ANY_ORDER = new Set(['memberId', 'keyId', 'name', 'runId', 'webhookId', 'deliveryId']);
const NEW: Record<string, string[]> = { name: FEEDS };

const NOBODY = 'lst_00000000000000000000000000';
const NOTHING = [NOBODY, 'nobody', '0', 'a\u0000b', '\u202e', "' or 1=1 --", '😀', '%', 'x'.repeat(300)];
const EXTERNAL_IDS = ['a', 'A', 'b/c', 'ü d', 'u\u0308 d', '%', '日本', "'e", '0', ' a ', 'MLS-1', 'MLS-2', 'MLS-3'];

function poolsOf(name: string, { pools }: Known): { live: string[]; deleted: string[] } {
  const pool = Object.entries(pools).find(([kind]) => kind === name)?.[1];
  if (pool === undefined) return { live: EXTERNAL_IDS, deleted: EXTERNAL_IDS };
  return { live: [...pool.live.keys()], deleted: [...pool.deleted] };
}

function setBody(request: Prepared, { body, typeAt }: Draft): void {
  const { operation, document } = request.target;
  const types = Object.keys(operation.requestBody?.content ?? {});
  if (types.length === 0) return;
  const type = types[typeAt % types.length] ?? '';
  request.headers['Content-Type'] = type;
  request.body = writeBody(type, body);
  if (isFile(request.target)) return;
  const schema: Schema = operation.requestBody?.content[type]?.schema ?? {};
  request.mayRefuse.body = true;
  if (!document.matches(normalForm(body, schema, document), schema)) {
    refuse(request, STEP.fields, 422, 'validation_failed');
  }
}

function judgeExternalId(request: Prepared, known: Known): void {
  const { operationId } = request.target.operation;
  if (!/^(create|update)Listing/.test(operationId)) return;
  const { externalId } = Object(request.value);
  if (typeof externalId !== 'string') return;
  const owner = known.findByExternalId(externalId.normalize().trim());
  if (owner !== undefined && owner !== request.listingId) refuse(request, STEP.taken, 409, 'external_id_taken');
}

function writeBody(type: string, body: unknown): string {
  const rows = Array.isArray(body) ? body : [body];
  if (type === 'application/x-ndjson') return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  return type === 'text/csv' ? toCsv(rows) : JSON.stringify(body);
}

function judgeQuery(request: Prepared, known: Known): void {
  const { operation, document } = request.target;
  const described = new Map(operation.parameters.map((parameter) => [parameter.name, parameter]));
  const verdicts = request.query.map(([name, value]) => judge(described.get(name), name, value));
  if (verdicts.includes('invalid')) refuse(request, STEP.query, 400, 'invalid_query');
  if (verdicts.includes('unknown') || operation.operationId === 'putFeed') request.mayRefuse.query = true;
  const given = new Map(request.query);
  if (given.has('near') !== given.has('radius')) refuse(request, STEP.query, 400, 'invalid_query');
  if (request.query.some(([name]) => given.has(`${name}[]`))) refuse(request, STEP.query, 400, 'invalid_query');
  const hasDistance = /\bdistance\b/.test(`${given.get('sort')} ${given.get('fields')}`);
  if (hasDistance && !given.has('near')) refuse(request, STEP.query, 400, 'invalid_query');
  // CSV and GeoJSON do not contain distances.
  if (hasDistance) request.mayRefuse.query = true;
  // `progress` requires NDJSON and an import that is not atomic.
  if (operation.operationId === 'createImport' && given.has('progress')) request.mayRefuse.query = true;
  // Only for imports, because a feed can have `clean` in its settings.
  const needsClean = given.has('dates') || given.has('decimal');
  if (operation.operationId === 'createImport' && needsClean && !given.has('clean'))
    refuse(request, STEP.query, 400, 'invalid_query');
  if (operation.operationId !== 'listEvents' || verdicts.includes('invalid')) return;
  const isBeyond = Number(given.get('after') ?? 0) > known.sequence + SLACK;
  if (isBeyond || (given.get('epoch') ?? known.epoch) !== known.epoch)
    refuse(request, STEP.missing, 410, 'events_expired');
  else if (Number(given.get('after') ?? 0) > known.sequence) request.mayRefuse.query = true;

  function judge(parameter: DocumentedParameter | undefined, name: string, value: string) {
    return parameter === undefined ? 'invalid' : judgeParameter(name, value, parameter.schema, document);
  }
}

/** The maximum number of changes between two reads of the sequence. */
const SLACK = 1_000;

function setConditions(request: Prepared, { precondition }: Draft, known: Known): void {
  const { target, headers, listingId } = request;
  const { parameters, method } = target.operation;
  const version = known.versionOf(listingId);
  if (precondition === 'none') return;
  if (method === 'get') {
    const takesTag = parameters.some(({ name }) => name === 'If-None-Match');
    if (takesTag) headers['If-None-Match'] = precondition === 'stale' ? '"0", W/"none"' : `"${version ?? 1}"`;
    return;
  }
  if (!parameters.some(({ name }) => name === 'If-Match')) return;
  if (precondition === 'unless any') {
    headers['If-None-Match'] = '*';
    if (version !== undefined) refuse(request, STEP.precondition, 412, 'precondition_failed');
    return;
  }
  headers['If-Match'] = { current: `"${version ?? 1}"`, stale: '"0", W/"1"', any: '*' }[precondition];
  if (precondition === 'any' && version === undefined) refuse(request, STEP.precondition, 412, 'precondition_failed');
  if (precondition === 'stale' || (precondition === 'current' && version === undefined)) {
    refuse(request, STEP.precondition, 412, 'version_mismatch');
  }
}

function setRetry(request: Prepared, { retry, at }: Draft, known: Known, freshKey: string): void {
  const { operation } = request.target;
  if (retry === 'none' || !operation.parameters.some(({ name }) => name === 'Idempotency-Key')) return;
  const mode = new Map(request.query);
  const isImport = operation.operationId === 'createImport';
  if (isImport && (mode.get('atomic') !== 'true' || mode.get('dryRun') === 'true')) {
    refuse(request, STEP.query, 400, 'invalid_idempotency_key');
  }
  const earlier = known.done[at % Math.max(1, known.done.length)];
  const isReused = retry === 'reused' && earlier !== undefined && fingerprint(earlier.request) !== fingerprint(request);
  request.headers['Idempotency-Key'] = isReused ? (earlier.request.headers['Idempotency-Key'] ?? '') : freshKey;
  if (isReused) refuse(request, STEP.reuse, 422, 'idempotency_key_reused');
}

/** The parts of a request that the service compares if an Idempotency-Key is used again. */
function fingerprint({ method, path, query, body, headers, target }: Prepared): string {
  const { 'Content-Type': type, 'If-Match': match, 'If-None-Match': unless } = headers;
  return JSON.stringify([target.base, method, path, query, body, type, match, unless]);
}

function refuse(request: Prepared, step: number, status: number, ...codes: string[]): void {
  request.refusals.push({ step, status, codes });
}

/** Formats rows as CSV. A value that is not an object becomes an empty row. */
function toCsv(rows: readonly unknown[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(Object(row))))];
  const lines = rows.map((row) => columns.map((column) => toCell(Object(row)[column])));
  return [columns.map(quote), ...lines].map((cells) => `${cells.join()}\r\n`).join('');
}

/** Formats a cell. Strings are escaped, so that spreadsheets do not read them as formulas. Other values are JSON. */
function toCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') return quote(JSON.stringify(value));
  return quote(value.replaceAll(/(^|;)('*[=+\-@\t\r＝＋－＠])/g, "$1'$2"));
}

function quote(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
