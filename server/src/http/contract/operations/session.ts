import { z } from 'zod';
import { AREA_UNITS } from '../../../model/accounts.ts';
import { ROLES } from '../../../model/users.ts';
import { operation } from '../operation.ts';
import { namedObject } from '../schemas/fields.ts';
import { accountChoice } from '../schemas/identity.ts';
import { INPUT_ERRORS, jsonBody, okReply } from './common.ts';

const session = namedObject('Session', {
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
    .describe('The current account; null if the user belongs to none.'),
  accounts: z
    .array(z.object({ id: z.string(), name: z.string(), role: z.enum(ROLES) }))
    .describe("All of the user's accounts."),
});

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

export const SESSION_REPLY = okReply('The session.', session, example);

export const SIGN_IN_REPLY = okReply(
  'The session, or `twoFactorRedirect` if a second-factor code is also required.',
  z.union([session, z.object({ twoFactorRedirect: z.literal(true) })]),
  example,
);

export const retrieveSessionOperation = operation('anyone', 'get', '/session', {
  operationId: 'retrieveSession',
  summary: 'Show the session',
  description: 'The signed-in user and their accounts; `null` without a session.',
  replies: [okReply('The session, if there is one.', session.nullable(), example)],
});

export const chooseAccountOperation = operation('user', 'put', '/session/account', {
  operationId: 'chooseAccount',
  summary: 'Switch to another account',
  description: "Makes one of the user's accounts the current account of the session.",
  body: jsonBody(accountChoice, { accountId: 'acc_01kt3v9s3c5r8y0w1x2z4q6m7n' }),
  replies: [SESSION_REPLY],
  errors: [...INPUT_ERRORS, 'not_found'],
});
