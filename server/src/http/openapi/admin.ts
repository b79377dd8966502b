import { sessionGone } from '../../domain/principals.ts';
import type { ErrorCode } from '../../model/errors.ts';
import type { Operation } from '../contract/operation.ts';
import { retrieveAccountOperation, updateAccountOperation } from '../contract/operations/account.ts';
import { activityOperation } from '../contract/operations/activity.ts';
import { createKeyOperation, deleteKeyOperation, listKeysOperation } from '../contract/operations/api-keys.ts';
import { signInOperation, signOutOperation, VERIFY_OPERATIONS } from '../contract/operations/auth.ts';
import {
  acceptInvitationOperation,
  createInvitationOperation,
  deleteInvitationOperation,
  listInvitationsOperation,
  previewInvitationOperation,
} from '../contract/operations/invitations.ts';
import { deleteMemberOperation, listMembersOperation, updateMemberOperation } from '../contract/operations/members.ts';
import { overviewOperation } from '../contract/operations/overview.ts';
import { PROFILE_OPERATIONS } from '../contract/operations/profile.ts';
import { chooseAccountOperation, retrieveSessionOperation } from '../contract/operations/session.ts';
import { previewSetupOperation, retrieveSetupOperation, setUpOperation } from '../contract/operations/setup.ts';
import { ADMIN_BASE } from '../contract/paths.ts';
import { ACCOUNT_ID, REQUEST_ID } from '../contract/request-headers.ts';
import { tooLarge } from '../protocol/body.ts';
import { INPUT_BYTES_MAX } from '../protocol/input.ts';
import { fromNowhere } from '../protocol/same-origin.ts';
import type { Api } from './api.ts';
import { V1 } from './v1.ts';

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

/** What programs do with listings, people do in the same way; `/me` is about a key. */
const SHARED = V1.operations.filter(({ path }) => path !== '/me');

/** Who somebody is, and how they are let in. */
const OF_PEOPLE = [
  retrieveSessionOperation,
  chooseAccountOperation,
  retrieveSetupOperation,
  previewSetupOperation,
  setUpOperation,
  signInOperation,
  signOutOperation,
  ...Object.values(VERIFY_OPERATIONS),
  previewInvitationOperation,
  acceptInvitationOperation,
  ...PROFILE_OPERATIONS,
];

/** What people do with an account besides listings. */
const OF_ACCOUNT = [
  listKeysOperation,
  createKeyOperation,
  deleteKeyOperation,
  retrieveAccountOperation,
  updateAccountOperation,
  activityOperation,
  listMembersOperation,
  updateMemberOperation,
  deleteMemberOperation,
  listInvitationsOperation,
  createInvitationOperation,
  deleteInvitationOperation,
];

/** Their bodies are read by `readInput`. */
function withShortBody(operation: Operation): Operation {
  if (operation.body === undefined) return operation;
  const tooLong = { payload_too_large: { message: tooLarge(INPUT_BYTES_MAX).message } };
  return { ...operation, errorExamples: { ...operation.errorExamples, ...tooLong } };
}

function errorsOf({ caller, role, method, errors }: Operation): ErrorCode[] {
  const nobody: ErrorCode[] = caller === 'anybody' ? [] : ['unauthorized'];
  // Who has another role, or comes from another page.
  const other: ErrorCode[] = role !== undefined || method !== 'get' ? ['forbidden'] : [];
  const elsewhere: ErrorCode[] = caller === undefined ? ['account_changed'] : [];
  return [...COMMON_ERRORS, ...nobody, ...other, ...elsewhere, ...errors.filter((code) => !OF_KEYS.has(code))];
}

/** What the dashboard uses, with a session. */
export const ADMIN: Api = {
  base: ADMIN_BASE,
  title: 'Property Listings dashboard API',
  introduction: INTRODUCTION,
  operations: [...OF_PEOPLE.map(withShortBody), overviewOperation, ...SHARED, ...OF_ACCOUNT.map(withShortBody)],
  securitySchemes: {
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: 'property-listings.session_token',
      description: 'What signing in sets; over HTTPS its name begins with `__Host-`.',
    },
  },
  replyHeaders: ['X-Request-Id', 'Set-Cookie'],
  requestHeadersOf: ({ caller }) => (caller === undefined ? [REQUEST_ID, ACCOUNT_ID] : [REQUEST_ID]),
  errorsOf,
  errorExamples: {
    unauthorized: { message: sessionGone().message },
    forbidden: { message: fromNowhere().message },
  },
};
