import { z } from 'zod';
import { operation } from '../operation.ts';
import { namedObject, time } from '../schemas/fields.ts';
import { nameChange, passwordAndCode, passwordChange, passwordOnly, sessionOnly } from '../schemas/identity.ts';
import { NO_CONTENT } from './auth.ts';
import { INPUT_ERRORS, jsonBody, okReply } from './common.ts';
import { SESSION_REPLY } from './session.ts';

const PASSWORD_AND_CODE = jsonBody(passwordAndCode, { password: 'correct horse battery staple', code: '123456' });

const backupCodes = z
  .array(z.string())
  .describe('Recovery codes for when the authenticator app is lost; each works once. They are never shown again.');

export const changeNameOperation = operation('user', 'post', '/auth/update-user', {
  operationId: 'changeName',
  summary: 'Change your name',
  description: 'Changes the name that others see. Earlier entries of the audit log keep the earlier name.',
  body: jsonBody(nameChange, { name: 'Ada Lovelace' }),
  replies: [SESSION_REPLY],
  errors: INPUT_ERRORS,
});

const session = z.object({
  id: z.string(),
  createdAt: time(),
  updatedAt: time().describe('Approximate time of the last use.'),
  expiresAt: time(),
  ipAddress: z.string().nullable(),
  userAgent: z.string().nullable(),
  isCurrent: z.boolean().describe('Whether it is the session of this request.'),
});

export const listSessionsOperation = operation('user', 'get', '/auth/list-sessions', {
  operationId: 'listSessions',
  summary: 'List your sessions',
  description: 'Your sessions, newest first.',
  replies: [
    okReply('The sessions.', z.array(session), [
      {
        id: 'ses_01kt3vb2d4f6h8j0k1m3n5p7qb',
        createdAt: '2026-01-31T09:00:00.000Z',
        updatedAt: '2026-01-31T09:00:00.000Z',
        expiresAt: '2026-02-07T09:00:00.000Z',
        ipAddress: '127.0.0.1',
        userAgent: 'Mozilla/5.0',
        isCurrent: true,
      },
    ]),
  ],
});

export const endSessionOperation = operation('user', 'post', '/auth/revoke-session', {
  operationId: 'endSession',
  summary: 'End a session',
  description: 'Ends one of your sessions; its next request is denied.',
  body: jsonBody(sessionOnly, { id: 'ses_01kt3vb2d4f6h8j0k1m3n5p7qb' }),
  replies: [NO_CONTENT],
  errors: [...INPUT_ERRORS, 'not_found'],
});

export const endOtherSessionsOperation = operation('user', 'post', '/auth/revoke-other-sessions', {
  operationId: 'endOtherSessions',
  summary: 'End all other sessions',
  description: 'Only the session of this request remains.',
  replies: [NO_CONTENT],
  errors: ['outcome_unknown', 'storage_full'],
});

export const changePasswordOperation = operation('user', 'post', '/auth/change-password', {
  operationId: 'changePassword',
  summary: 'Change your password',
  description: 'All other sessions end.',
  body: jsonBody(passwordChange, {
    currentPassword: 'correct horse battery staple',
    newPassword: 'a better one than before',
  }),
  replies: [SESSION_REPLY],
  errors: [...INPUT_ERRORS, 'rate_limited'],
});

const twoFactor = namedObject('TwoFactor', { totpURI: z.string().meta({ format: 'uri' }), backupCodes });

export const enableTwoFactorOperation = operation('user', 'post', '/auth/two-factor/enable', {
  operationId: 'enableTwoFactor',
  summary: 'Set up a second factor',
  description: 'The second factor turns on when you verify a code from the authenticator app.',
  body: jsonBody(passwordOnly, { password: 'correct horse battery staple' }),
  replies: [
    okReply('The secret for the authenticator app, and recovery codes.', twoFactor, {
      totpURI: 'otpauth://totp/Property%20Listings:ada@example.com?secret=JBSWY3DPEHPK3PXP&issuer=Property%20Listings',
      backupCodes: ['aBcDe-FgHiJ'],
    }),
  ],
  errors: [...INPUT_ERRORS, 'rate_limited', 'conflict'],
});

export const disableTwoFactorOperation = operation('user', 'post', '/auth/two-factor/disable', {
  operationId: 'disableTwoFactor',
  summary: 'Turn off the second factor',
  description:
    'Requires the password, and a code from the authenticator app or a recovery code. Also deletes the recovery ' +
    'codes. If the second factor is already off, no code is required.',
  body: PASSWORD_AND_CODE,
  replies: [SESSION_REPLY],
  errors: [...INPUT_ERRORS, 'rate_limited'],
});

export const renewBackupCodesOperation = operation('user', 'post', '/auth/two-factor/generate-backup-codes', {
  operationId: 'renewBackupCodes',
  summary: 'Generate new recovery codes',
  description:
    'Requires the password, and a code from the authenticator app or an old recovery code. The old codes stop working.',
  body: PASSWORD_AND_CODE,
  replies: [
    okReply('The new recovery codes.', namedObject('BackupCodes', { backupCodes }), {
      backupCodes: ['aBcDe-FgHiJ'],
    }),
  ],
  errors: [...INPUT_ERRORS, 'rate_limited', 'conflict'],
});
