import { z } from 'zod';
import { STATUSES } from '../../../model/listings.ts';
import { operation } from '../operation.ts';
import { count, namedObject, time } from '../schemas/fields.ts';
import { okReply } from './common.ts';

const overview = namedObject('Overview', {
  listings: z.object({
    total: count('Number of listings.'),
    byStatus: z
      .partialRecord(z.enum(STATUSES), z.int().min(0))
      .describe('Number of listings with each status; 0 for a status without listings.'),
  }),
  usage: z
    .object({
      keys: z
        .array(z.object({ id: z.string(), name: z.string(), isDeleted: z.boolean() }))
        .describe('The keys that were used in the last 24 hours, including deleted keys.'),
      hours: z.array(
        z.object({
          hour: time().describe('When the hour began.'),
          keyId: z.string(),
          requests: count('Number of requests with the key, excluding requests above its rate limit.'),
          errors: count('Number of these requests with a status of 400 or above, except 401 and 429.'),
        }),
      ),
    })
    .describe(
      'One entry per key and hour, for this hour and the 23 hours before it. There is no entry for an hour in ' +
        'which a key was not used.',
    ),
  lastListingAt: time().nullable().describe('When the newest listing was created.'),
  keyCount: count('Number of API keys.'),
  failingWebhooks: z
    .array(
      z.object({
        id: z.string(),
        url: z.string(),
        failingSince: time().nullable(),
        disabledAt: time().nullable().describe('When the service disabled the endpoint.'),
      }),
    )
    .describe(
      'Webhook endpoints whose last attempt failed, or that were disabled because attempts failed; empty unless ' +
        'the user is an administrator.',
    ),
});

const key = { id: 'key_01kt3vb2d4f6h8j0k1m3n5p7q9', name: 'Website', isDeleted: false };

export const overviewOperation = operation('member', 'get', '/overview', {
  operationId: 'retrieveOverview',
  summary: "Show the account's overview",
  description:
    'Listings by status, and key use in the last 24 hours. With several processes, requests that other processes ' +
    'handled in the last five seconds can be missing.',
  replies: [
    okReply('The overview.', overview, {
      listings: { total: 1, byStatus: Object.fromEntries(STATUSES.map((name) => [name, name === 'active' ? 1 : 0])) },
      usage: { keys: [key], hours: [{ hour: '2026-01-31T09:00:00.000Z', keyId: key.id, requests: 1, errors: 0 }] },
      lastListingAt: '2026-01-31T09:30:00.000Z',
      keyCount: 1,
      failingWebhooks: [],
    }),
  ],
});
