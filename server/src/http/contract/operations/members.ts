import { z } from 'zod';
import { ROLES } from '../../../model/users.ts';
import { JSON_TYPE } from '../media-types.ts';
import type { Operation } from '../operation.ts';
import { choice, expected, time } from '../schemas/fields.ts';
import { email, personName } from '../schemas/identity.ts';
import { noQuery } from '../schemas/query.ts';
import { INPUT_ERRORS } from './common.ts';

/** What somebody may do in an account. */
export const role = choice(
  ROLES,
  'Members work with listings; administrators also with keys, the team and the account.',
);

export const roleChange = z.strictObject({ role }, expected('an object')).meta({ id: 'RoleChange' });

const member = z
  .object({
    id: z.string(),
    name: personName,
    email,
    role,
    createdAt: time().meta({ description: 'When they joined the account.' }),
    isYou: z.boolean(),
  })
  .meta({ id: 'Member' });

const example = {
  id: 'usr_01kt3v9s3c5r8y0w1x2z4q6m7n',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  role: 'administrator',
  createdAt: '2026-01-31T09:00:00.000Z',
  isYou: true,
};

const lastAdministrator = { message: 'An account needs an administrator: make somebody else one first.' };
const nobody = { message: 'Nobody nobody belongs to the account; they may have been removed before.' };

export const listMembersOperation: Operation<'administrator'> = {
  method: 'get',
  path: '/members',
  operationId: 'listMembers',
  summary: 'List the team',
  description: 'Who belongs to the account, the longest first.',
  caller: 'administrator',
  query: noQuery,
  replies: [
    {
      status: 200,
      description: 'The team.',
      schema: z.object({ data: z.array(member), nextCursor: z.null() }).meta({ id: 'MemberList' }),
      example: { data: [example], nextCursor: null },
    },
  ],
  errors: [],
};

export const updateMemberOperation: Operation<'administrator'> = {
  method: 'patch',
  path: '/members/{memberId}',
  operationId: 'updateMember',
  summary: 'Change a role',
  description: 'The next request of that person has the new role. An account keeps one administrator at least.',
  caller: 'administrator',
  query: noQuery,
  body: { types: ['application/merge-patch+json', JSON_TYPE], schema: roleChange, example: { role: 'administrator' } },
  replies: [{ status: 200, description: 'Who it is now.', schema: member, example }],
  errors: [...INPUT_ERRORS, 'not_found', 'conflict'],
  errorExamples: {
    conflict: lastAdministrator,
    not_found: nobody,
    validation_failed: {
      message: 'One field is not valid; details says why.',
      details: [{ field: 'role', code: 'invalid_choice', message: 'Must be one of administrator, member.' }],
    },
  },
};

export const deleteMemberOperation: Operation<'administrator'> = {
  method: 'delete',
  path: '/members/{memberId}',
  operationId: 'deleteMember',
  summary: 'Remove somebody from the team',
  description:
    'Their next request for the account is refused; who belongs to no other account can no longer sign in. An account ' +
    'keeps one administrator at least.',
  caller: 'administrator',
  query: noQuery,
  replies: [{ status: 204, description: 'They are removed.' }],
  errors: ['not_found', 'conflict', 'outcome_unknown', 'storage_full'],
  errorExamples: { conflict: lastAdministrator, not_found: nobody },
};
