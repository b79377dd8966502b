import { sessionGone } from '../../domain/principals.ts';
import type { ErrorCode } from '../../model/errors.ts';
import type { AnyOperation, Caller } from '../contract/operation.ts';
import { ADMIN_BASE } from '../contract/paths.ts';
import { ACCOUNT_ID, REQUEST_ID } from '../contract/request-headers.ts';
import { tooLarge } from '../protocol/body.ts';
import { INPUT_BYTES_MAX } from '../protocol/input.ts';
import { fromNowhere } from '../protocol/same-origin.ts';
import type { ApiDescription } from './api.ts';

const INTRODUCTION = `What the dashboard works with: the listings of an account as [the API](/docs) has them, and around them what programs have no
part in. It may change with each release; programs use the API.

**Session.** Every request carries the cookie of a session, as signing in to the dashboard sets it. The account is the one that was
last chosen in that session, and \`X-Account-Id\` makes sure that it is the one that is meant. Requests that change something must come from the dashboard itself.

**Errors** have the same shape as everywhere, and [a page for each code](/docs/errors).
`;

/** What every operation can answer. */
const COMMON_ERRORS: ErrorCode[] = [
  'unknown_parameter',
  'not_acceptable',
  'headers_too_large',
  'internal_error',
  'unavailable',
];

/** A session has full access. */
const OF_KEYS = new Set<ErrorCode>(['insufficient_scope']);

/** Their bodies are read by `readInput`. */
export function withShortBody(operation: AnyOperation): AnyOperation {
  if (operation.body === undefined) return operation;
  const tooLong = { payload_too_large: { message: tooLarge(INPUT_BYTES_MAX).message } };
  return { ...operation, errorExamples: { ...operation.errorExamples, ...tooLong } };
}

function errorsOf({ caller, method, errors }: AnyOperation): ErrorCode[] {
  const ofAccess: ErrorCode[] = [];
  if (caller !== 'anyone') ofAccess.push('unauthorized');
  // For another role, and for a change that comes from another site.
  if (caller === 'administrator' || method !== 'get') ofAccess.push('forbidden');
  if (isOfAccount(caller)) ofAccess.push('account_changed');
  return [...COMMON_ERRORS, ...ofAccess, ...errors.filter((code) => !OF_KEYS.has(code))];
}

function isOfAccount(caller: Caller): boolean {
  return caller !== 'anyone' && caller !== 'user';
}

/** What the dashboard uses, with a session. */
export const ADMIN_DESCRIPTION: ApiDescription = {
  base: ADMIN_BASE,
  title: 'Property Listings dashboard API',
  introduction: INTRODUCTION,
  securitySchemes: {
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: 'property-listings.session_token',
      description: 'What signing in sets; over HTTPS its name begins with `__Host-`.',
    },
  },
  replyHeaders: ['X-Request-Id', 'Set-Cookie'],
  requestHeadersOf: ({ caller }) => (isOfAccount(caller) ? [REQUEST_ID, ACCOUNT_ID] : [REQUEST_ID]),
  errorsOf,
  errorExamples: {
    unauthorized: { message: sessionGone().message },
    forbidden: { message: fromNowhere().message },
  },
};
