import { z } from 'zod';
import { parseTime } from '../../../lib/times.ts';
import { NAME_LENGTH_MAX } from '../../../model/accounts.ts';
import { ROLLED_HOURS_DEFAULT, ROLLED_HOURS_MAX } from '../../../model/api-keys.ts';
import { operation } from '../operation.ts';
import { addIssue, choice, count, expected, inputObject, integer, namedObject, text, time } from '../schemas/fields.ts';
import { INPUT_ERRORS, invalid, jsonBody, listReply, okReply, PATCH_TYPES } from './common.ts';

const access = choice(['full', 'read'], 'A `read` key cannot change anything.');

const expiry = z
  .string(expected('a string'))
  .transform((given, context) => {
    const timeMs = parseTime(given)?.timeMs;
    if (timeMs === undefined)
      return addIssue(context, 'invalid_format', 'Must be a time, such as 2027-01-31T12:00:00Z.');
    if (timeMs <= Date.now()) return addIssue(context, 'out_of_range', 'Must be in the future.');
    return timeMs;
  })
  .meta({ format: 'date-time', description: 'When the key expires; default never.' });

const name = text({ lengthMax: NAME_LENGTH_MAX, description: 'What the key is for.', example: 'Website' });

export const newKey = inputObject('NewApiKey', {
  name,
  access: access.nullable().optional().describe('Default `full`; a `read` key cannot change anything.'),
  expiresAt: expiry.nullable().optional(),
});

export const keyChange = inputObject('ApiKeyChange', { name });

const hours = integer(
  0,
  ROLLED_HOURS_MAX,
  `The number of hours after which the old key expires; 0 deletes it immediately. Default ${ROLLED_HOURS_DEFAULT}.`,
);

export const keyRoll = inputObject('ApiKeyRoll', { expiresInHours: hours.nullable().optional() });

const apiKey = namedObject('ApiKey', {
  id: z.string(),
  name: z.string(),
  start: z.string().describe('The first characters of the key, to identify it.'),
  access,
  createdBy: z.string().nullable().describe("The creator's name; null for keys made on the command line."),
  createdAt: time(),
  lastUsedAt: time().nullable().describe('Null if never used.'),
  expiresAt: time().nullable(),
  replacedBy: z
    .string()
    .nullable()
    .describe('The id of the new key if this one was rolled. This one works until `expiresAt`.'),
  requests24h: count('Requests in this hour and the 23 hours before it.'),
  errors24h: count('Number of these requests that failed.'),
});

const example = {
  id: 'key_01kt3vb2d4f6h8j0k1m3n5p7q9',
  name: 'Website',
  start: 'plk_4fGh',
  access: 'full',
  createdBy: 'Ada Lovelace',
  createdAt: '2026-01-31T09:00:00.000Z',
  lastUsedAt: null,
  expiresAt: null,
  replacedBy: null,
  requests24h: 0,
  errors24h: 0,
};

const generatedKey = apiKey.extend({ key: z.string().describe('The key itself.') }).meta({ id: 'GeneratedApiKey' });
const generatedExample = { ...example, key: 'plk_4fGhT0bMx1a9Qz7LkWc3VnRs5EuYd2JiOpXq8B' };

export const listKeysOperation = operation('administrator', 'get', '/api-keys', {
  operationId: 'listApiKeys',
  summary: 'List the API keys',
  description:
    "The account's API keys, oldest first. A secret is shown only when its key is created. `lastUsedAt`, " +
    '`requests24h`, and `errors24h` include all requests up to this one. With several processes, requests that other ' +
    'processes handled in the last five seconds can be missing.',
  replies: [listReply('The keys.', 'ApiKeyList', apiKey, example)],
});

export const createKeyOperation = operation('administrator', 'post', '/api-keys', {
  operationId: 'createApiKey',
  summary: 'Generate an API key',
  description: 'Only this response shows the key; the service stores only its SHA-256.',
  body: jsonBody(newKey, { name: 'Website' }),
  replies: [{ status: 201, description: 'The key.', schema: generatedKey, example: generatedExample }],
  errors: INPUT_ERRORS,
  errorExamples: {
    validation_failed: invalid(
      { field: 'name', code: 'blank', message: 'Must not be blank.' },
      { field: 'expiresAt', code: 'invalid_format', message: 'Must be a time, such as 2027-01-31T12:00:00Z.' },
    ),
  },
});

const NO_KEY = { message: 'There is no key id_0; it may have been deleted.' };

export const updateKeyOperation = operation('administrator', 'patch', '/api-keys/{keyId}', {
  operationId: 'updateApiKey',
  summary: 'Rename an API key',
  description: 'Replaces the name. The key itself stays the same.',
  body: { types: PATCH_TYPES, schema: keyChange, example: { name: 'Website' } },
  replies: [okReply('The renamed key.', apiKey, example)],
  errors: ['not_found', ...INPUT_ERRORS],
  errorExamples: {
    not_found: NO_KEY,
    validation_failed: invalid({ field: 'name', code: 'blank', message: 'Must not be blank.' }),
  },
});

export const rollKeyOperation = operation('administrator', 'post', '/api-keys/{keyId}/roll', {
  operationId: 'rollApiKey',
  summary: 'Roll an API key',
  description:
    'Generates a new key with the same name and access. The old key works for another `expiresInHours` hours, or ' +
    'until its own expiration time if that is earlier. If the old key already had an expiration time, the new key ' +
    'is valid for as long as the old key was when it was created. A key can be rolled once.',
  body: jsonBody(keyRoll, { expiresInHours: 24 }),
  replies: [{ status: 201, description: 'The new key.', schema: generatedKey, example: generatedExample }],
  errors: ['not_found', 'conflict', ...INPUT_ERRORS],
  errorExamples: {
    not_found: NO_KEY,
    conflict: {
      message:
        'The key key_01kt3vb2d4f6h8j0k1m3n5p7q9 has already been rolled; roll its replacement key_01kt3vb2d4f6h8j0k1m3n5p7qb instead.',
    },
    validation_failed: invalid({ field: 'expiresInHours', code: 'out_of_range', message: 'Must be from 0 to 168.' }),
  },
});

export const deleteKeyOperation = operation('administrator', 'delete', '/api-keys/{keyId}', {
  operationId: 'deleteApiKey',
  summary: 'Delete an API key',
  description: 'Every process of the service rejects the next request with this key.',
  replies: [{ status: 204, description: 'Deleted.' }],
  errors: ['not_found', 'outcome_unknown', 'storage_full'],
  errorExamples: { not_found: NO_KEY },
});
