import { requireRole } from '../../domain/access/roles.ts';
import { AppError, attempt, type ErrorCode } from '../../model/errors.ts';
import { ERRORS } from '../contract/errors.ts';
import { JSON_TYPE } from '../contract/media-types.ts';
import { type AnyOperation, INPUT_BYTES_MAX } from '../contract/operation.ts';
import { noQuery, queryParser } from '../contract/schemas/query.ts';
import { tooLarge } from '../protocol/body.ts';
import { readIfNoneMatch, readPrecondition } from '../protocol/conditional.ts';
import { negotiateType, requireBodyType } from '../protocol/negotiate.ts';
import { replyError } from '../protocol/reply.ts';
import { fromNowhere } from '../protocol/same-origin.ts';
import type { Api } from './api.ts';

/** For each error whose message depends on the operation, a check of the operation that throws the example. */
const CHECKS: Partial<Record<ErrorCode, (operation: AnyOperation) => unknown>> = {
  forbidden: ({ caller }) => {
    if (caller === 'administrator' || caller === 'full') requireRole({ role: 'member' });
    throw fromNowhere();
  },
  unknown_parameter: ({ query = noQuery }) => queryParser(query)('colour=red'),
  invalid_query: ({ query = noQuery }) =>
    queryParser(query)('limit' in query.shape ? 'limit=5000' : `${Object.keys(query.shape)[0]}=`),
  invalid_header: ({ method }) =>
    method === 'get' ? readIfNoneMatch({ 'if-none-match': '1' }) : readPrecondition({ 'if-match': '1' }),
  not_acceptable: ({ types = [JSON_TYPE] }) => negotiateType({ accept: 'image/png' }, types),
  payload_too_large: ({ body }) => {
    throw tooLarge(body?.bytesMax ?? INPUT_BYTES_MAX);
  },
  unsupported_media_type: ({ method, body }) =>
    requireBodyType({ headers: {}, rawHeaders: [], method: method.toUpperCase() }, body?.types ?? []),
};

/** An error with this code as the API sends it, for one operation or for all. */
export function exampleError(code: ErrorCode, api: Api, operation?: AnyOperation): AppError {
  const own = operation?.errorExamples?.[code];
  const check = CHECKS[code];
  if (operation !== undefined && own === undefined && check !== undefined) return errorOf(() => check(operation));
  const { message, ...options } = own ?? api.errorExamples[code] ?? ERRORS[code].example;
  return new AppError(code, message, options);
}

function errorOf(check: () => unknown): AppError {
  const error = attempt(check);
  if (error instanceof AppError) return error;
  throw new Error('A check that must fail has passed');
}

const REQUEST_ID = '5f0c3a52-8c1e-4c55-9d3a-2f6f0e9f5d11';

export function bodyOf(error: AppError): unknown {
  return JSON.parse(String(replyError(error, REQUEST_ID).body));
}
