import { z } from 'zod';
import { parseTime } from '../../../lib/times.ts';
import { NAME_LENGTH_MAX } from '../../../model/accounts.ts';
import { JSON_TYPE } from '../media-types.ts';
import type { Operation } from '../operation.ts';
import { addIssue, choice, expected, text, time } from '../schemas/fields.ts';
import { noQuery } from '../schemas/query.ts';
import { INPUT_ERRORS } from './common.ts';

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

export const newKey = z
  .strictObject(
    {
      name: text({ lengthMax: NAME_LENGTH_MAX, description: 'What the key is for.', example: 'Website' }),
      access: access
        .nullable()
        .optional()
        .meta({ description: 'Default `full`; a `read` key cannot change anything.' }),
      expiresAt: expiry.nullable().optional(),
    },
    expected('an object'),
  )
  .meta({ id: 'NewApiKey' });

const apiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    start: z.string().meta({ description: 'The first characters of the key, to identify it.' }),
    access,
    createdBy: z
      .string()
      .nullable()
      .meta({ description: "The creator's name; null for keys made on the command line." }),
    createdAt: time(),
    lastUsedAt: time().nullable().meta({ description: 'Delayed by some seconds; null if never used.' }),
    expiresAt: time().nullable(),
    requests24h: z.int().meta({ minimum: 0, description: 'Requests in this hour and the 23 hours before it.' }),
    errors24h: z.int().meta({ minimum: 0, description: 'Number of these requests that failed.' }),
  })
  .meta({ id: 'ApiKey' });

const example = {
  id: 'key_01kt3vb2d4f6h8j0k1m3n5p7q9',
  name: 'Website',
  start: 'plk_4fGh',
  access: 'full',
  createdBy: 'Ada Lovelace',
  createdAt: '2026-01-31T09:00:00.000Z',
  lastUsedAt: null,
  expiresAt: null,
  requests24h: 0,
  errors24h: 0,
};

export const listKeysOperation: Operation<'administrator'> = {
  method: 'get',
  path: '/api-keys',
  operationId: 'listApiKeys',
  summary: 'List the API keys',
  description: "The account's API keys, oldest first. A secret is shown only when its key is created.",
  caller: 'administrator',
  query: noQuery,
  replies: [
    {
      status: 200,
      description: 'The keys.',
      schema: z.object({ data: z.array(apiKey), nextCursor: z.null() }).meta({ id: 'ApiKeyList' }),
      example: { data: [example], nextCursor: null },
    },
  ],
  errors: [],
};

export const createKeyOperation: Operation<'administrator'> = {
  method: 'post',
  path: '/api-keys',
  operationId: 'createApiKey',
  summary: 'Generate an API key',
  description: 'Only this response shows the key; the service stores only its SHA-256.',
  caller: 'administrator',
  query: noQuery,
  body: { types: [JSON_TYPE], schema: newKey, example: { name: 'Website' } },
  replies: [
    {
      status: 201,
      description: 'The key.',
      schema: apiKey
        .extend({ key: z.string().meta({ description: 'The key itself.' }) })
        .meta({ id: 'GeneratedApiKey' }),
      example: { ...example, key: 'plk_4fGhT0bMx1a9Qz7LkWc3VnRs5EuYd2JiOpXq8B' },
    },
  ],
  errors: INPUT_ERRORS,
  errorExamples: {
    validation_failed: {
      message: '2 fields are not valid; see details.',
      details: [
        { field: 'name', code: 'blank', message: 'Must not be blank.' },
        { field: 'expiresAt', code: 'invalid_format', message: 'Must be a time, such as 2027-01-31T12:00:00Z.' },
      ],
    },
  },
};

export const deleteKeyOperation: Operation<'administrator'> = {
  method: 'delete',
  path: '/api-keys/{keyId}',
  operationId: 'deleteApiKey',
  summary: 'Delete an API key',
  description: 'Every process of the service rejects the next request with this key.',
  caller: 'administrator',
  query: noQuery,
  replies: [{ status: 204, description: 'Deleted.' }],
  errors: ['not_found', 'outcome_unknown', 'storage_full'],
  errorExamples: { not_found: { message: 'There is no key id_0; it may have been deleted.' } },
};
