import { isOfPeople } from '../../../../testkit/src/openapi.ts';
import type { Target } from './api.ts';
import type { Prepared } from './prepared.ts';

/**
 * What a request can have that must be refused, whatever else it has. `step` is its place in the order of checks
 * (contract §1): of several faults the first one is told.
 */
export interface Fault {
  name: string;
  step: number;
  status: number;
  codes: readonly string[];
  fits(target: Target): boolean;
  apply(request: Prepared): void;
}

/** The order of checks. */
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
  person: 9,
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
/** They answer 401 for what they are given. */
const OPEN = new Set(['signIn', 'verifyTotp', 'verifyBackupCode', 'acceptInvitation']);
const isAdmin = ({ base }: Target) => base === '/admin';
const isPersons = (target: Target) => isAdmin(target) && isOfPeople(target.operation);
const isAccounts = (target: Target) => isAdmin(target) && !isOfPeople(target.operation);
const changes = ({ operation }: Target) => operation.method !== 'get';
const hasBody = ({ operation }: Target) => operation.requestBody !== undefined;
const isImport = ({ operation }: Target) => operation.operationId === 'createImport';
const takes = (target: Target, name: string) =>
  target.operation.parameters.some((parameter) => parameter.name === name);

/** What members of an account must not do: the document says so in words. */
const ADMINISTRATORS_ONLY =
  /^(listApiKeys|createApiKey|deleteApiKey|updateAccount|listActivity|listMembers|updateMember|deleteMember|listInvitations|createInvitation|deleteInvitation)$/;

const BROKEN = [
  '{',
  '{"address":"12 Elm Street",}',
  '{"beds":1,"beds":1}',
  '',
  '\ufffd',
  "{'a':1}",
  '[1,]',
  'NaN',
  '{"a":01}',
];

const FAULTS: readonly Fault[] = [
  asCaller('no key', (target) => !isAdmin(target), 'nobody'),
  asCaller('a wrong key', (target) => !isAdmin(target), 'wrong key'),
  asCaller('a deleted key', (target) => !isAdmin(target), 'deleted key'),
  asCaller('no session', isAccounts, 'nobody'),
  {
    ...asCaller('no session of a person', (target) => isPersons(target) && !isAnybodys(target), 'nobody'),
    step: STEP.person,
  },
  {
    name: 'a key that may only read',
    step: STEP.access,
    status: 403,
    codes: ['insufficient_scope'],
    fits: (target) => !isAdmin(target) && changes(target),
    apply: (request) => {
      request.caller = 'reader';
    },
  },
  {
    name: 'from another page',
    step: STEP.origin,
    status: 403,
    codes: ['forbidden'],
    fits: (target) => isAdmin(target) && changes(target),
    apply: (request) => {
      request.caller = 'another page';
    },
  },
  {
    name: 'a member',
    step: STEP.role,
    status: 403,
    codes: ['forbidden'],
    fits: (target) => isAccounts(target) && ADMINISTRATORS_ONLY.test(target.operation.operationId),
    apply: (request) => {
      request.caller = 'member';
    },
  },
  {
    name: 'another account',
    step: STEP.account,
    status: 409,
    codes: ['account_changed'],
    fits: isAccounts,
    apply: withHeader('X-Account-Id', 'acc_01kt3v9s3c5r8y0w1x2z4q6m7n'),
  },
  {
    name: 'another format',
    step: STEP.accept,
    status: 406,
    codes: ['not_acceptable'],
    fits: () => true,
    apply: withHeader('Accept', 'image/png'),
  },
  {
    name: 'another type',
    step: STEP.type,
    status: 415,
    codes: ['unsupported_media_type'],
    fits: hasBody,
    apply: withHeader('Content-Type', 'text/plain'),
  },
  {
    name: 'an unknown parameter',
    step: STEP.query,
    status: 400,
    codes: ['unknown_parameter'],
    fits: () => true,
    apply: (request) => request.query.push(['colour', 'red']),
  },
  {
    name: 'a wrong parameter',
    step: STEP.query,
    status: 400,
    codes: ['invalid_query', 'unknown_parameter'],
    fits: (target) => target.operation.parameters.some((parameter) => parameter.in === 'query'),
    apply: (request) => {
      const { name = '' } = request.target.operation.parameters.find((parameter) => parameter.in === 'query') ?? {};
      request.query.push([name, ''], [name, '']);
    },
  },
  {
    name: 'a wrong cursor',
    step: STEP.query,
    status: 400,
    codes: ['invalid_cursor'],
    fits: (target) => takes(target, 'cursor'),
    apply: (request) => request.query.push(['cursor', 'bm9uZQ']),
  },
  {
    name: 'a wrong precondition',
    step: STEP.query,
    status: 400,
    codes: ['invalid_header'],
    fits: (target) => takes(target, 'If-None-Match'),
    apply: withHeader('If-None-Match', 'W/1'),
  },
  {
    name: 'a wrong Idempotency-Key',
    step: STEP.query,
    status: 400,
    codes: ['invalid_idempotency_key'],
    fits: (target) => takes(target, 'Idempotency-Key'),
    apply: withHeader('Idempotency-Key', 'two words'),
  },
  {
    name: 'too long',
    step: STEP.length,
    status: 413,
    codes: ['payload_too_large'],
    fits: (target) => hasBody(target) && !isImport(target),
    apply: (request) => {
      request.body = ' '.repeat(1_048_577);
    },
  },
  {
    name: 'not JSON',
    step: STEP.json,
    status: 400,
    codes: ['invalid_json'],
    fits: (target) => hasBody(target) && !isImport(target),
    apply: (request) => {
      request.body = BROKEN[request.at % BROKEN.length];
    },
  },
  {
    name: 'a member too many',
    step: STEP.fields,
    status: 422,
    codes: ['validation_failed'],
    fits: (target) => hasBody(target) && !isImport(target),
    apply: (request) => {
      const body = request.body ?? '';
      request.body = body.startsWith('{') ? `{"colours":1${body === '{}' ? '' : ','}${body.slice(1)}` : '[]';
    },
  },
  {
    name: 'headers that are too large',
    step: STEP.size,
    status: 431,
    codes: ['headers_too_large'],
    fits: () => true,
    apply: withHeader('X-Note', 'x'.repeat(20_000)),
  },
];

export function faultsOf(target: Target): Fault[] {
  return FAULTS.filter(({ fits }) => fits(target));
}

function asCaller(name: string, fits: Fault['fits'], caller: Prepared['caller']): Fault {
  const apply = (request: Prepared) => {
    request.caller = caller;
  };
  return { name, step: STEP.caller, status: 401, codes: ['unauthorized'], fits, apply };
}

function withHeader(name: string, value: string): Fault['apply'] {
  return (request) => {
    request.headers[name] = value;
  };
}
