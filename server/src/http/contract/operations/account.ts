import { z } from 'zod';
import { AREA_UNITS, NAME_LENGTH_MAX } from '../../../model/accounts.ts';
import { CURRENCIES } from '../../../model/codes.ts';
import type { Operation } from '../operation.ts';
import { choice, code, expected, text } from '../schemas/fields.ts';
import { INPUT_ERRORS, invalid, PATCH_TYPES } from './common.ts';

const fields = {
  name: text({ lengthMax: NAME_LENGTH_MAX, example: 'Hill Country Homes' }),
  currency: code(CURRENCIES, '^[A-Z]{3}$', 'ISO 4217', 'USD'),
  areaUnits: choice(AREA_UNITS, 'Default units of areas.'),
};

export const accountPatch = z.strictObject(fields, expected('an object')).partial().meta({ id: 'AccountPatch' });

const account = z.object({ id: z.string(), ...fields }).meta({ id: 'Account' });

const example = {
  id: 'acc_01kt3v9s3c5r8y0w1x2z4q6m7n',
  name: 'Hill Country Homes',
  currency: 'USD',
  areaUnits: 'sqft',
};

export const retrieveAccountOperation: Operation<'member'> = {
  method: 'get',
  path: '/account',
  operationId: 'retrieveAccount',
  summary: 'Show the account',
  description: 'The name of the account, and the default currency and area units of its listings.',
  caller: 'member',
  replies: [{ status: 200, description: 'The account.', schema: account, example }],
  errors: [],
};

export const updateAccountOperation: Operation<'administrator'> = {
  method: 'patch',
  path: '/account',
  operationId: 'updateAccount',
  summary: 'Change the account',
  description: 'Replaces the given members. Existing listings keep their currency and units.',
  caller: 'administrator',
  body: { types: PATCH_TYPES, schema: accountPatch, example: { currency: 'USD' } },
  replies: [{ status: 200, description: 'The updated account.', schema: account, example }],
  errors: INPUT_ERRORS,
  errorExamples: {
    validation_failed: invalid({
      field: 'currency',
      code: 'invalid_choice',
      message: 'Must be an ISO 4217 code in uppercase letters, such as USD.',
    }),
  },
};
