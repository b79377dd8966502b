import { isOfPeople } from '../../../../testkit/src/openapi.ts';
import type { Callers } from './accounts.ts';
import type { Target } from './caller.ts';

interface Refusal {
  step: number;
  status: number;
  codes: readonly string[];
}

/** A request, and the expectations for its response. */
export interface Prepared {
  target: Target;
  caller: keyof Callers;
  method: string;
  path: string;
  query: [name: string, value: string][];
  headers: Record<string, string>;
  body: string | undefined;
  /** The body as a JSON value. */
  value: unknown;
  at: number;
  listingId: string | undefined;
  refusals: Refusal[];
  /** Whether a rule stated in prose can reject the query or the body. */
  mayRefuse: { query: boolean; body: boolean };
}

/** A fault in a request. The service reports the fault with the lowest `step`. */
export interface Fault extends Refusal {
  fits(target: Target): boolean;
  apply(request: Prepared): void;
}

export const STEP = {
  size: 0,
  origin: 1,
  caller: 2,
  account: 3,
  path: 4,
  role: 5,
  accept: 6,
  type: 7,
  query: 8,
  access: 13,
  length: 10,
  json: 11,
  reuse: 14,
  missing: 15,
  precondition: 16,
  fields: 17,
  taken: 18,
} as const;

const isAnybodys = ({ operation }: Target) =>
  operation.responses['401'] === undefined || OPEN.has(operation.operationId);
/** Operations that return 401, but do not always need a session. */
const OPEN = new Set(['signIn', 'signInWithPasskey', 'verifyTotp', 'verifyBackupCode', 'acceptInvitation']);
const isV1 = ({ base }: Target) => base === '/v1';
const isAdmin = ({ base }: Target) => base === '/admin';
const isAccounts = (target: Target) => isAdmin(target) && !isOfPeople(target.operation);
const changes = ({ operation }: Target) => operation.method !== 'get';
const hasBody = ({ operation }: Target) => operation.requestBody !== undefined;
export const isFile = ({ operation }: Target) => /^(createImport|putFeed)$/.test(operation.operationId);
const hasObject = (target: Target) => hasBody(target) && !isFile(target);
/** Operations that a read-only key cannot call, although some only read. */
const needsFullAccess = (target: Target) => isV1(target) && (changes(target) || isOfWebhooks(target));
const isOfWebhooks = ({ operation }: Target) => /Webhook/.test(operation.operationId);
const isAny = () => true;
const isForAdministrators = (target: Target) =>
  isAccounts(target) && ADMINISTRATORS_ONLY.test(target.operation.operationId);
const firstParameter = ({ operation }: Target) =>
  operation.parameters.find((parameter) => parameter.in === 'query')?.name;

/** Operations for administrators only. The document states this only in prose. */
const ADMINISTRATORS_ONLY =
  /^(listApiKeys|createApiKey|updateApiKey|rollApiKey|deleteApiKey|listRequests|retrieveRequest|updateAccount|listActivity|listMembers|updateMember|deleteMember|listInvitations|createInvitation|deleteInvitation|\w+Webhook\w*)$/;

const BROKEN = ['{', '{"beds":1,}', '{"beds":1,"beds":1}', '', '\ufffd', "{'a':1}", '[1,]', 'NaN', '{"a":01}'];
const OTHER_ACCOUNT = 'acc_01kt3v9s3c5r8y0w1x2z4q6m7n';
const TOO_LONG = 1_048_577;

type Row = [step: keyof typeof STEP, status: number, codes: string, fits: Fault['fits'], apply: Fault['apply']];

const ROWS: readonly Row[] = [
  ['size', 431, 'headers_too_large', isAny, withHeader('X-Note', 'x'.repeat(20_000))],
  ['origin', 403, 'forbidden', (target) => isAdmin(target) && changes(target), as('another page')],
  ['caller', 401, 'unauthorized', isV1, as('nobody')],
  ['caller', 401, 'unauthorized', isV1, as('wrong key')],
  ['caller', 401, 'unauthorized', isV1, as('deleted key')],
  ['caller', 401, 'unauthorized', (target) => isAdmin(target) && !isAnybodys(target), as('nobody')],
  ['account', 409, 'account_changed', isAccounts, withHeader('X-Account-Id', OTHER_ACCOUNT)],
  ['role', 403, 'forbidden', isForAdministrators, as('member')],
  ['accept', 406, 'not_acceptable', isAny, withHeader('Accept', 'image/png')],
  ['type', 415, 'unsupported_media_type', hasBody, withHeader('Content-Type', 'text/plain')],
  ['query', 400, 'unknown_parameter', isAny, (request) => request.query.push(['colour', 'red'])],
  ['query', 400, 'invalid_query unknown_parameter', (target) => firstParameter(target) !== undefined, repeatParameter],
  ['query', 400, 'invalid_cursor', takes('cursor'), (request) => request.query.push(['cursor', 'bm9uZQ'])],
  ['query', 400, 'invalid_header', takes('If-None-Match'), withHeader('If-None-Match', 'W/1')],
  ['query', 400, 'invalid_idempotency_key', takes('Idempotency-Key'), withHeader('Idempotency-Key', 'two words')],
  ['access', 403, 'insufficient_scope', needsFullAccess, asReader],
  ['length', 413, 'payload_too_large', hasObject, withBody(() => ' '.repeat(TOO_LONG))],
  ['json', 400, 'invalid_json', hasObject, withBody(({ at }) => BROKEN[at % BROKEN.length])],
  ['fields', 422, 'validation_failed', hasObject, withBody(withUnknownMember)],
];
const FAULTS = ROWS.map(([step, status, codes, fits, apply]): Fault => {
  return { step: STEP[step], status, codes: codes.split(' '), fits, apply };
});

export function faultsOf(target: Target): Fault[] {
  return FAULTS.filter(({ fits }) => fits(target));
}

function takes(name: string): Fault['fits'] {
  return ({ operation }) => operation.parameters.some((parameter) => parameter.name === name);
}

function repeatParameter({ target, query }: Prepared): void {
  const name = firstParameter(target) ?? '';
  query.push([name, ''], [name, '']);
}

function as(caller: Prepared['caller']): Fault['apply'] {
  return (request) => {
    request.caller = caller;
  };
}

/** A read-only key is sufficient for a dry run of a feed, so `dryRun` is removed. */
function asReader(request: Prepared): void {
  request.caller = 'reader';
  if (request.target.operation.operationId !== 'putFeed') return;
  request.query = request.query.filter(([name, value]) => name !== 'dryRun' || value !== 'true');
}

function withHeader(name: string, value: string): Fault['apply'] {
  return (request) => {
    request.headers[name] = value;
  };
}

function withBody(make: (request: Prepared) => string | undefined): Fault['apply'] {
  return (request) => {
    request.body = make(request);
  };
}

function withUnknownMember({ body = '' }: Prepared): string {
  return body.startsWith('{') ? `{"colours":1${body === '{}' ? '' : ','}${body.slice(1)}` : '[]';
}
