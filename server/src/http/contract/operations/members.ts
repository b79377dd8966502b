import { z } from 'zod';
import { ROLES } from '../../../model/users.ts';
import { operation } from '../operation.ts';
import { choice, inputObject, namedObject, time } from '../schemas/fields.ts';
import { email, personName } from '../schemas/identity.ts';
import { INPUT_ERRORS, invalid, listReply, okReply, PATCH_TYPES } from './common.ts';

export const role = choice(
  ROLES,
  'Members manage listings; administrators also manage keys, webhook endpoints, the team, and the account.',
);

export const roleChange = inputObject('RoleChange', { role });

const member = namedObject('Member', {
  id: z.string(),
  name: personName,
  email,
  role,
  createdAt: time().describe('When the member joined the account.'),
  isYou: z.boolean(),
});

const example = {
  id: 'usr_01kt3v9s3c5r8y0w1x2z4q6m7n',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  role: 'administrator',
  createdAt: '2026-01-31T09:00:00.000Z',
  isYou: true,
};

const lastAdministrator = { message: 'An account needs an administrator; make someone else an administrator first.' };
const unknownMember = { message: 'There is no member id_0; they may have been removed.' };

export const listMembersOperation = operation('administrator', 'get', '/members', {
  operationId: 'listMembers',
  summary: 'List the team',
  description: "The account's members, in the order in which they joined.",
  replies: [listReply('The team.', 'MemberList', member, example)],
});

export const updateMemberOperation = operation('administrator', 'patch', '/members/{memberId}', {
  operationId: 'updateMember',
  summary: 'Change a role',
  description: "The role applies from the member's next request on. An account always has at least one administrator.",
  body: { types: PATCH_TYPES, schema: roleChange, example: { role: 'administrator' } },
  replies: [okReply('The updated member.', member, example)],
  errors: [...INPUT_ERRORS, 'not_found', 'conflict'],
  errorExamples: {
    conflict: lastAdministrator,
    not_found: unknownMember,
    validation_failed: invalid({
      field: 'role',
      code: 'invalid_choice',
      message: 'Must be one of administrator, member.',
    }),
  },
});

export const deleteMemberOperation = operation('administrator', 'delete', '/members/{memberId}', {
  operationId: 'deleteMember',
  summary: 'Remove a member',
  description:
    "The member's next request for the account is denied; a user who belongs to no other account is deleted. An account " +
    'always has at least one administrator.',
  replies: [{ status: 204, description: 'Removed.' }],
  errors: ['not_found', 'conflict', 'outcome_unknown', 'storage_full'],
  errorExamples: { conflict: lastAdministrator, not_found: unknownMember },
});
