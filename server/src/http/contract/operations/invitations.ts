import { z } from 'zod';
import { operation } from '../operation.ts';
import { inputObject, namedObject, time } from '../schemas/fields.ts';
import { acceptance, email, tokenOnly } from '../schemas/identity.ts';
import { INPUT_ERRORS, invalid, jsonBody, listReply, okReply } from './common.ts';
import { role } from './members.ts';
import { SIGN_IN_REPLY } from './session.ts';

export const newInvitation = inputObject('NewInvitation', { email, role });

const TOKEN = 'Zx9T0bMx1a9Qz7LkWc3VnRs5EuYd2JiOpXq8B4fGhT0';

const invitation = namedObject('Invitation', {
  id: z.string(),
  email,
  role,
  createdAt: time(),
  expiresAt: time(),
  invitedBy: z.string().describe('The name of the inviting user.'),
});

const example = {
  id: 'inv_01kt3vb2d4f6h8j0k1m3n5p7q9',
  email: 'grace@example.com',
  role: 'member',
  createdAt: '2026-01-31T09:00:00.000Z',
  expiresAt: '2026-02-07T09:00:00.000Z',
  invitedBy: 'Ada Lovelace',
};

export const listInvitationsOperation = operation('administrator', 'get', '/invitations', {
  operationId: 'listInvitations',
  summary: 'List the invitations',
  description:
    'The open invitations, oldest first. The links are not included; they are shown only when an invitation is created.',
  replies: [listReply('The invitations.', 'InvitationList', invitation, example)],
});

export const createInvitationOperation = operation('administrator', 'post', '/invitations', {
  operationId: 'createInvitation',
  summary: 'Invite someone',
  description:
    'Only this response shows the link in `url`. If the service can send mail, it also mails the invited person ' +
    'another link. The invitation can be accepted once, with either link, within seven days; another invitation to ' +
    'the same address replaces it.',
  body: jsonBody(newInvitation, { email: 'grace@example.com', role: 'member' }),
  replies: [
    {
      status: 201,
      description: 'The invitation.',
      schema: invitation
        .extend({
          url: z.string().describe('The link that lets its holder join the account.'),
          isMailed: z.boolean().describe('Whether the mail server accepted the mail.'),
        })
        .meta({ id: 'CreatedInvitation' }),
      example: { ...example, url: `https://listings.example.com/invitation#token=${TOKEN}`, isMailed: false },
    },
  ],
  errors: [...INPUT_ERRORS, 'conflict', 'rate_limited'],
  errorExamples: {
    rate_limited: { message: 'Too many invitations to grace@example.com; try again in 60 minutes.' },
    conflict: { message: 'ada@example.com is already a member of the account.' },
    validation_failed: invalid(
      { field: 'email', code: 'invalid_format', message: 'Must be an email address, such as ada@example.com.' },
      { field: 'role', code: 'invalid_choice', message: 'Must be one of administrator, member.' },
    ),
  },
});

export const deleteInvitationOperation = operation('administrator', 'delete', '/invitations/{invitationId}', {
  operationId: 'deleteInvitation',
  summary: 'Revoke an invitation',
  description: 'Revokes an open invitation; its links stop working.',
  replies: [{ status: 204, description: 'Revoked.' }],
  errors: ['not_found', 'outcome_unknown', 'storage_full'],
  errorExamples: {
    not_found: { message: 'There is no invitation id_0; it may have been accepted or revoked.' },
  },
});

const preview = namedObject('InvitationPreview', {
  accountName: z.string(),
  email,
  role,
  hasUser: z.boolean().describe('Whether a user with this address already exists.'),
});

export const previewInvitationOperation = operation('anyone', 'post', '/invitations/preview', {
  operationId: 'previewInvitation',
  summary: 'Show an invitation to its recipient',
  description: 'Finds the invitation by the token of its link.',
  body: jsonBody(tokenOnly, { token: TOKEN }),
  replies: [
    okReply('The invitation.', preview, {
      accountName: 'Hill Country Homes',
      email: 'grace@example.com',
      role: 'member',
      hasUser: false,
    }),
  ],
  errors: [...INPUT_ERRORS, 'not_found', 'rate_limited'],
});

export const acceptInvitationOperation = operation('anyone', 'post', '/invitations/accept', {
  operationId: 'acceptInvitation',
  summary: 'Accept an invitation',
  description:
    'A new user sends a name and a password, and is signed in. An existing user must sign in first, with the invited ' +
    'address.',
  body: jsonBody(acceptance, { token: TOKEN, name: 'Grace Hopper', password: 'correct horse battery staple' }),
  replies: [SIGN_IN_REPLY],
  errors: [...INPUT_ERRORS, 'unauthorized', 'not_found', 'conflict', 'rate_limited'],
});
