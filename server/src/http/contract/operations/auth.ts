import { JSON_TYPE } from '../media-types.ts';
import type { Operation, OperationBody, OperationReply } from '../operation.ts';
import { codeOnly, signIn } from '../schemas/identity.ts';
import { noQuery } from '../schemas/query.ts';
import { INPUT_ERRORS } from './common.ts';
import { SESSION_REPLY, SIGN_IN_REPLY } from './session.ts';

const CODE: OperationBody = { types: [JSON_TYPE], schema: codeOnly, example: { code: '123456' } };

export const NO_CONTENT: OperationReply = { status: 204, description: 'It is done.' };

export const signInOperation: Operation<'anyone'> = {
  method: 'post',
  path: '/auth/sign-in/email',
  operationId: 'signIn',
  summary: 'Sign in',
  description: 'With an e-mail address and a password; the reply sets the cookie of the session.',
  caller: 'anyone',
  query: noQuery,
  body: {
    types: [JSON_TYPE],
    schema: signIn,
    example: { email: 'ada@example.com', password: 'correct horse battery staple' },
  },
  replies: [SIGN_IN_REPLY],
  errors: [...INPUT_ERRORS, 'unauthorized', 'rate_limited'],
};

export const signOutOperation: Operation<'anyone'> = {
  method: 'post',
  path: '/auth/sign-out',
  operationId: 'signOut',
  summary: 'Sign out',
  description: 'Ends the session, if there is one.',
  caller: 'anyone',
  query: noQuery,
  replies: [NO_CONTENT],
  errors: [],
};

/** By the kind of code. */
export const VERIFY_OPERATIONS: Record<'totp' | 'backup-code', Operation<'anyone'>> = {
  totp: {
    method: 'post',
    path: '/auth/two-factor/verify-totp',
    operationId: 'verifyTotp',
    summary: 'Give a code of the authenticator app',
    description: 'Ends signing in where a second factor is on, or switches it on once it is set up.',
    caller: 'anyone',
    query: noQuery,
    body: CODE,
    replies: [SESSION_REPLY],
    errors: [...INPUT_ERRORS, 'unauthorized', 'rate_limited', 'conflict'],
  },
  'backup-code': {
    method: 'post',
    path: '/auth/two-factor/verify-backup-code',
    operationId: 'verifyBackupCode',
    summary: 'Give a recovery code',
    description: 'In place of a code of the app; each recovery code is good once.',
    caller: 'anyone',
    query: noQuery,
    body: CODE,
    replies: [SESSION_REPLY],
    errors: [...INPUT_ERRORS, 'unauthorized', 'rate_limited', 'conflict'],
  },
};
