import { z } from 'zod';
import { operation } from '../operation.ts';
import { namedObject, time } from '../schemas/fields.ts';
import { okReply } from './common.ts';

const me = namedObject('Me', {
  account: z.object({ id: z.string(), name: z.string() }),
  key: z.object({
    id: z.string(),
    name: z.string(),
    access: z.enum(['full', 'read']).describe('A `read` key cannot change anything.'),
    createdAt: time(),
    expiresAt: time().nullable(),
  }),
});

export const meOperation = operation('key', 'get', '/me', {
  operationId: 'retrieveMe',
  summary: 'Show the key in use',
  description: "The request's API key, and the key's account.",
  replies: [
    okReply('The key and its account.', me, {
      account: { id: 'acc_01kt3v9s3c5r8y0w1x2z4q6m7n', name: 'Hill Country Homes' },
      key: {
        id: 'key_01kt3vb2d4f6h8j0k1m3n5p7q9',
        name: 'Website',
        access: 'full',
        createdAt: '2026-01-31T09:00:00.000Z',
        expiresAt: null,
      },
    }),
  ],
});
