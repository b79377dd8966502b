import { z } from 'zod';
import { ACTOR_TYPES, AUDIT_ACTIONS, TARGET_TYPES } from '../../../model/audit.ts';
import { EXAMPLE_ID } from '../errors/entry.ts';
import { operation } from '../operation.ts';
import { namedObject, time } from '../schemas/fields.ts';
import { cursorParameter, integerParameter, namesParameter, timeParameter } from '../schemas/parameters.ts';
import { pageReply } from './common.ts';

const LIMIT_MAX = 1000;
export const LIMIT_DEFAULT = 50;

const ADA = {
  type: 'administrator',
  id: 'usr_01kt3v9s3c5r8y0w1x2z4q6m7p',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
};

const activityQuery = z.strictObject({
  limit: integerParameter(1, LIMIT_MAX, `Maximum number of entries; default ${LIMIT_DEFAULT}.`, 50).optional(),
  cursor: cursorParameter('The `nextCursor` of the previous page, unchanged.'),
  action: namesParameter(AUDIT_ACTIONS, 'Only entries with one of these actions.', ['api_key.created']).optional(),
  actorType: namesParameter(ACTOR_TYPES, 'Only entries of actors of these types.', ['administrator']).optional(),
  actorId: z.string().meta({ description: 'The id of the user or key.', example: ADA.id }).optional(),
  targetId: z
    .string()
    .meta({ description: 'The id of the affected object; of a feed, its name.', example: EXAMPLE_ID })
    .optional(),
  'at[gte]': timeParameter('Only entries at this time or later').optional(),
  'at[lt]': timeParameter('Only entries before this time').optional(),
});

const entry = namedObject('AuditEntry', {
  id: z.string(),
  at: time(),
  actor: z
    .object({
      type: z.enum(ACTOR_TYPES),
      id: z.string().nullable(),
      name: z.string(),
      email: z.string().nullable().describe('Distinguishes people with the same name.'),
    })
    .describe('The actor, with their name at the time.'),
  action: z.enum(AUDIT_ACTIONS),
  target: z
    .object({ type: z.enum(TARGET_TYPES), id: z.string(), name: z.string() })
    .nullable()
    .describe('The affected object, with its name at the time.'),
  address: z.string().nullable().describe("The IP address of a user's request; null for other actors."),
});

const EXAMPLES = [
  {
    id: 'aud_01kt3vwqb5r5f0x4m2n7p9s1dz',
    at: '2026-01-31T09:31:00.000Z',
    actor: ADA,
    action: 'api_key.created',
    target: { type: 'api_key', id: 'key_01kt3vb2d4f6h8j0k1m3n5p7q9', name: 'Website' },
    address: '127.0.0.1',
  },
  {
    id: 'aud_01kt3vwq8r5f0x4m2n7p9s1d6j',
    at: '2026-01-31T09:30:00.000Z',
    actor: ADA,
    action: 'listing.created',
    target: { type: 'listing', id: EXAMPLE_ID, name: '12 Elm Street' },
    address: '127.0.0.1',
  },
  {
    id: 'aud_01kt3vb2d4f6h8j0k1m3n5p7qa',
    at: '2026-01-31T09:01:00.000Z',
    actor: ADA,
    action: 'administrator.signed_in',
    target: null,
    address: '127.0.0.1',
  },
  {
    id: 'aud_01kt3v9s3c5r8y0w1x2z4q6m7q',
    at: '2026-01-31T09:00:00.000Z',
    actor: { type: 'operator', id: null, name: 'Operator', email: null },
    action: 'member.joined',
    target: { type: 'administrator', id: ADA.id, name: ADA.name },
    address: null,
  },
  {
    id: 'aud_01kt3v9s3c5r8y0w1x2z4q6m7n',
    at: '2026-01-31T09:00:00.000Z',
    actor: { type: 'operator', id: null, name: 'Operator', email: null },
    action: 'account.created',
    target: { type: 'account', id: 'acc_01kt3v9s3c5r8y0w1x2z4q6m7n', name: 'Hill Country Homes' },
    address: null,
  },
];

export const activityOperation = operation('administrator', 'get', '/activity', {
  operationId: 'listActivity',
  summary: 'List the audit log',
  description:
    "The account's audit log, newest first: actions of users in the dashboard, of the operator on the command line, " +
    'and of the service, and changes to webhook endpoints by API keys. Entries never change. With filters, each page ' +
    'examines only a part of the log, so it can be short, or even empty, while `nextCursor` is not null; the next ' +
    'page continues from there.',
  query: activityQuery,
  replies: [pageReply('A page of the audit log.', 'AuditLog', entry, EXAMPLES)],
  errors: ['invalid_query', 'invalid_cursor'],
});
