import { z } from 'zod';
import { AREA_UNITS, NAME_LENGTH_MAX } from '../../../model/accounts.ts';
import { CURRENCIES } from '../../../model/codes.ts';
import { operation } from '../operation.ts';
import { choice, code, expected, namedObject, text } from '../schemas/fields.ts';
import { INPUT_ERRORS, invalid, okReply, PATCH_TYPES } from './common.ts';

const fields = {
  name: text({ lengthMax: NAME_LENGTH_MAX, example: 'Hill Country Homes' }),
  currency: code(CURRENCIES, '^[A-Z]{3}$', 'ISO 4217', 'USD'),
  areaUnits: choice(AREA_UNITS, 'Default units of areas.'),
};

export const accountPatch = z.strictObject(fields, expected('an object')).partial().meta({ id: 'AccountPatch' });

const account = namedObject('Account', { id: z.string(), ...fields });

const example = {
  id: 'acc_01kt3v9s3c5r8y0w1x2z4q6m7n',
  name: 'Hill Country Homes',
  currency: 'USD',
  areaUnits: 'sqft',
};

export const retrieveAccountOperation = operation('member', 'get', '/account', {
  operationId: 'retrieveAccount',
  summary: 'Show the account',
  description: 'The name of the account, and the default currency and area units of its listings.',
  replies: [okReply('The account.', account, example)],
});

export const updateAccountOperation = operation('administrator', 'patch', '/account', {
  operationId: 'updateAccount',
  summary: 'Change the account',
  description: 'Replaces the given members. Existing listings keep their currency and units.',
  body: { types: PATCH_TYPES, schema: accountPatch, example: { currency: 'USD' } },
  replies: [okReply('The updated account.', account, example)],
  errors: INPUT_ERRORS,
  errorExamples: {
    validation_failed: invalid({
      field: 'currency',
      code: 'invalid_choice',
      message: 'Must be an ISO 4217 code in uppercase letters, such as USD.',
    }),
  },
});
