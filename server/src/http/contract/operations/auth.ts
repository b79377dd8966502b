import { type OperationReply, operation } from '../operation.ts';
import { codeOnly, signIn } from '../schemas/identity.ts';
import { INPUT_ERRORS, jsonBody } from './common.ts';
import { SESSION_REPLY, SIGN_IN_REPLY } from './session.ts';

export const NO_CONTENT: OperationReply = { status: 204, description: 'Done.' };

export const signInOperation = operation('anyone', 'post', '/auth/sign-in/email', {
  operationId: 'signIn',
  summary: 'Sign in',
  description: 'Signs in with an email address and a password; the response sets the session cookie.',
  body: jsonBody(signIn, { email: 'ada@example.com', password: 'correct horse battery staple' }),
  replies: [SIGN_IN_REPLY],
  errors: [...INPUT_ERRORS, 'unauthorized', 'rate_limited'],
});

export const signOutOperation = operation('anyone', 'post', '/auth/sign-out', {
  operationId: 'signOut',
  summary: 'Sign out',
  description: 'Ends the session, if there is one.',
  replies: [NO_CONTENT],
});

const verifyTotpOperation = operation('anyone', 'post', '/auth/two-factor/verify-totp', {
  operationId: 'verifyTotp',
  summary: 'Verify a code from the authenticator app',
  description: 'Completes a sign-in with a second factor, or turns on the second factor after its setup.',
  body: jsonBody(codeOnly, { code: '123456' }),
  replies: [SESSION_REPLY],
  errors: [...INPUT_ERRORS, 'unauthorized', 'rate_limited', 'conflict'],
});

export const VERIFY_OPERATIONS = {
  totp: verifyTotpOperation,
  'backup-code': {
    ...verifyTotpOperation,
    path: '/auth/two-factor/verify-backup-code',
    operationId: 'verifyBackupCode',
    summary: 'Verify a recovery code',
    description: 'Replaces a code from the authenticator app; each recovery code works once.',
  },
};
