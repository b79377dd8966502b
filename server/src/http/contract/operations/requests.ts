import { METHODS } from 'node:http';
import { z } from 'zod';
import { SIMILAR_MAX } from '../../../model/request-log.ts';
import { operation } from '../operation.ts';
import { addIssue, count, namedObject, time } from '../schemas/fields.ts';
import { cursorParameter, integerParameter, namesParameter, timeParameter } from '../schemas/parameters.ts';
import { okReply } from './common.ts';

const LIMIT_MAX = 500;
export const LIMIT_DEFAULT = 50;
const STATUSES_MAX = 20;
/** `CONNECT` has no path. */
const LOGGED_METHODS = METHODS.filter((method) => method !== 'CONNECT');

const statuses = z
  .string()
  .transform((given, context) => {
    const values = given.split(',', STATUSES_MAX + 1);
    if (values.length > STATUSES_MAX) return addIssue(context, 'too_long', `Must have at most ${STATUSES_MAX} values.`);
    if (values.every((value) => /^[1-5](?:\d\d|xx)$/.test(value))) return values;
    return addIssue(context, 'invalid_format', 'Must be a status such as 404, or 4xx; separate several with commas.');
  })
  .meta({
    type: 'array',
    items: { type: 'string', pattern: '^[1-5](?:\\d\\d|xx)$' },
    description: 'Only requests with one of these statuses; `4xx` means 400 to 499. Separate several with commas.',
    example: ['4xx', '5xx'],
  });

const requestsQuery = z.strictObject({
  limit: integerParameter(1, LIMIT_MAX, `Maximum number of requests; default ${LIMIT_DEFAULT}.`, 50).optional(),
  cursor: cursorParameter('The `nextCursor` of the previous page, unchanged.'),
  keyId: z.string().meta({ description: 'The id of the key.', example: 'key_01kt3vb2d4f6h8j0k1m3n5p7q9' }).optional(),
  status: statuses.optional(),
  method: namesParameter(LOGGED_METHODS, 'Only requests with one of these methods.', ['POST']).optional(),
  code: z.string().meta({ description: 'The code of the error response.', example: 'validation_failed' }).optional(),
  path: z.string().meta({ description: 'The beginning of the path.', example: '/v1/listings' }).optional(),
  'at[gte]': timeParameter('Only requests that ended at this time or later').optional(),
  'at[lt]': timeParameter('Only requests that ended before this time').optional(),
});

const request = namedObject('LoggedRequest', {
  id: z.string(),
  at: time().describe('When the request ended.'),
  key: z
    .object({ id: z.string(), name: z.string(), isDeleted: z.boolean() })
    .describe('The API key that sent the request. The `name` of a deleted key is the name that it had last.'),
  method: z.string(),
  path: z.string().describe('As sent, cut after 2,048 characters; keys are masked.'),
  query: z
    .string()
    .describe('As sent, without `?`, cut after 2,048 characters; keys and values of `metadata` are masked.'),
  status: z.int().nullable().describe('Null if the client disconnected before the response.'),
  code: z.string().nullable().describe('The code of an error response.'),
  durationMs: z.number().meta({ minimum: 0, description: 'From its arrival to the end of the response.' }),
  requestId: z.string().describe('The `X-Request-Id` of the response.'),
  sequence: z
    .int()
    .nullable()
    .describe("The account's sequence after the request's last change; null if it changed nothing."),
  errorBody: z
    .string()
    .nullable()
    .describe('The body of an error response, cut after 4,096 characters; keys and values of `metadata` are masked.'),
  omitted: count(
    'The number of similar requests that are counted here instead of being logged. Every quarter of a second, ' +
      `each process logs about ${SIMILAR_MAX} of a key's reads with the same status, and about as many of its ` +
      'requests above the rate limit.',
  ),
});

const retention = z
  .object({ days: z.int(), bytes: z.int() })
  .nullable()
  .describe('How long requests are kept, and the maximum size of the log for all accounts; null if the log is off.');

const EXAMPLE = {
  id: 'req_01kt3vwqb5r5f0x4m2n7p9s1dz-0000',
  at: '2026-01-31T09:31:00.000Z',
  key: { id: 'key_01kt3vb2d4f6h8j0k1m3n5p7q9', name: 'Website', isDeleted: false },
  method: 'GET',
  path: '/v1/listings',
  query: 'limit=0',
  status: 400,
  code: 'invalid_query',
  durationMs: 0.84,
  requestId: '5f0c3a52-8c1e-4c55-9d3a-2f6f0e9f5d11',
  sequence: null,
  errorBody:
    '{"error":{"code":"invalid_query","message":"query.limit: Must be from 1 to 1000.","requestId":"5f0c3a52-8c1e-4c55-9d3a-2f6f0e9f5d11","details":[{"field":"query.limit","code":"out_of_range","message":"Must be from 1 to 1000."}]}}',
  omitted: 0,
};

export const listRequestsOperation = operation('administrator', 'get', '/requests', {
  operationId: 'listRequests',
  summary: 'List the API requests',
  description:
    "Requests made with the account's API keys, newest first, for as long as the `REQUEST_LOG` setting keeps them. " +
    'Under heavy load, some can be missing, and many similar ones are counted in the last logged one (`omitted`). ' +
    'With filters, each page examines only a part of the log, so it can be short, or even empty, while `nextCursor` ' +
    'is not null; the next page continues from there. With several processes, requests that other processes handled ' +
    'in the last second can be missing.',
  query: requestsQuery,
  replies: [
    okReply(
      'A page of requests.',
      namedObject('LoggedRequestList', { data: z.array(request), nextCursor: z.string().nullable(), retention }),
      { data: [EXAMPLE], nextCursor: null, retention: { days: 7, bytes: 1_000_000_000 } },
    ),
  ],
  errors: ['invalid_query', 'invalid_cursor'],
});

export const retrieveRequestOperation = operation('administrator', 'get', '/requests/{entryId}', {
  operationId: 'retrieveRequest',
  summary: 'Show an API request',
  description: 'One request in the log.',
  replies: [okReply('The request.', request, EXAMPLE)],
  errors: ['not_found'],
  errorExamples: { not_found: { message: 'There is no request id_0 in the log; its entry may have been removed.' } },
});
