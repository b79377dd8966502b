import { sessionGone } from '../../domain/access/principals.ts';
import type { ErrorCode } from '../../model/errors.ts';
import type { AnyOperation, Caller } from '../contract/operation.ts';
import { ADMIN_BASE } from '../contract/paths.ts';
import { ACCOUNT_ID, REQUEST_ID } from '../contract/request-headers.ts';
import { fromNowhere } from '../protocol/same-origin.ts';
import { type ApiDescription, COMMON_ERRORS } from './api.ts';

const INTRODUCTION = `The API of the dashboard: the operations of [the public API](/docs), and those for
users, teams, and keys. It can change with each release; programs should use the public API.

**Session.** Most requests need the session cookie, which signing in to the dashboard sets. A
session has one current account; with \`X-Account-Id\`, a request fails if the session's
current account is a different one. Changes must come from the dashboard itself.

**Errors** have the same format as in the public API, and [a page for each code](/docs/errors).
`;

/** Errors that only keys get; a session has full access. */
const OF_KEYS = new Set<ErrorCode>(['insufficient_scope']);

function errorsOf({ caller, method, errors }: AnyOperation): ErrorCode[] {
  const ofAccess: ErrorCode[] = [];
  if (caller !== 'anyone') ofAccess.push('unauthorized');
  // A role without permission, or a change from another site.
  if (caller === 'administrator' || caller === 'full' || method !== 'get') ofAccess.push('forbidden');
  if (isOfAccount(caller)) ofAccess.push('account_changed');
  return [...COMMON_ERRORS, ...ofAccess, ...errors.filter((code) => !OF_KEYS.has(code))];
}

function isOfAccount(caller: Caller): boolean {
  return caller !== 'anyone' && caller !== 'user';
}

export const ADMIN_DESCRIPTION: ApiDescription = {
  base: ADMIN_BASE,
  title: 'Property Listings dashboard API',
  introduction: INTRODUCTION,
  securitySchemes: {
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: 'property-listings.session_token',
      description: 'The cookie that signing in sets; over HTTPS, its name begins with `__Host-`.',
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
