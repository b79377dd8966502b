import { z } from 'zod';
import { AREA_UNITS } from '../../../model/accounts.ts';
import { ROLES } from '../../../model/users.ts';
import type { Operation, OperationReply } from '../operation.ts';
import { accountChoice } from '../schemas/identity.ts';
import { INPUT_ERRORS, jsonBody } from './common.ts';

const session = z
  .object({
    user: z.object({ id: z.string(), name: z.string(), email: z.string(), hasTwoFactor: z.boolean() }),
    account: z
      .object({
        id: z.string(),
        name: z.string(),
        currency: z.string(),
        areaUnits: z.enum(AREA_UNITS),
        role: z.enum(ROLES),
      })
      .nullable()
      .meta({ description: 'The current account; null if the user belongs to none.' }),
    accounts: z
      .array(z.object({ id: z.string(), name: z.string(), role: z.enum(ROLES) }))
      .meta({ description: "All of the user's accounts." }),
  })
  .meta({ id: 'Session' });

const example = {
  user: { id: 'usr_01kt3v9s3c5r8y0w1x2z4q6m7p', name: 'Ada Lovelace', email: 'ada@example.com', hasTwoFactor: false },
  account: {
    id: 'acc_01kt3v9s3c5r8y0w1x2z4q6m7n',
    name: 'Hill Country Homes',
    currency: 'USD',
    areaUnits: 'sqft',
    role: 'administrator',
  },
  accounts: [{ id: 'acc_01kt3v9s3c5r8y0w1x2z4q6m7n', name: 'Hill Country Homes', role: 'administrator' }],
};

export const SESSION_REPLY: OperationReply = { status: 200, description: 'The session.', schema: session, example };

export const SIGN_IN_REPLY: OperationReply = {
  status: 200,
  description: 'The session, or `twoFactorRedirect` if a second-factor code is also required.',
  schema: z.union([session, z.object({ twoFactorRedirect: z.literal(true) })]),
  example,
};

export const retrieveSessionOperation: Operation<'anyone'> = {
  method: 'get',
  path: '/session',
  operationId: 'retrieveSession',
  summary: 'Show the session',
  description: 'The signed-in user and their accounts; `null` without a session.',
  caller: 'anyone',
  replies: [{ status: 200, description: 'The session, if there is one.', schema: session.nullable(), example }],
  errors: [],
};

export const chooseAccountOperation: Operation<'user'> = {
  method: 'put',
  path: '/session/account',
  operationId: 'chooseAccount',
  summary: 'Switch to another account',
  description: "Makes one of the user's accounts the current account of the session.",
  caller: 'user',
  body: jsonBody(accountChoice, { accountId: 'acc_01kt3v9s3c5r8y0w1x2z4q6m7n' }),
  replies: [SESSION_REPLY],
  errors: [...INPUT_ERRORS, 'not_found'],
};
