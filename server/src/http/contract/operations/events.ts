import { z } from 'zod';
import type { Operation } from '../operation.ts';
import { listing } from '../schemas/listings.ts';
import { integerParameter } from '../schemas/parameters.ts';
import { served } from './common.ts';

const LIMIT_MAX = 1000;
export const LIMIT_DEFAULT = 100;
/** Seconds. Common load balancers cut a connection that is silent for longer. */
const WAIT_MAX = 60;

const eventsQuery = z.strictObject({
  after: integerParameter(
    0,
    Number.MAX_SAFE_INTEGER,
    'The `sequence` of a list, or the `nextAfter` of the page before; 0 if it is left out: from the beginning.',
    128,
  ).optional(),
  limit: integerParameter(1, LIMIT_MAX, `At most so many events; ${LIMIT_DEFAULT} if it is left out.`, 500).optional(),
  wait: integerParameter(
    0,
    WAIT_MAX,
    'If there is nothing new, wait so many seconds for it; 0 if it is left out.',
    25,
  ).optional(),
  epoch: z
    .string()
    .meta({ description: 'The `epoch` that came with the sequence: after a restore of the database it is another.' })
    .optional(),
});

const event = z
  .object({
    sequence: z.int().meta({ minimum: 1, description: 'One more with each event of the account, without gaps.' }),
    type: z.enum(['listing.created', 'listing.updated', 'listing.deleted']),
    listingId: z.string(),
    listing: listing
      .optional()
      .meta({ description: 'The listing as it was after this change; not there once it is deleted.' }),
    changed: z
      .array(z.string())
      .optional()
      .meta({ description: 'The fields that were changed; with `listing.updated` only.' }),
    createdAt: z.string().meta({ format: 'date-time' }),
  })
  .meta({ id: 'Event' });

const updated = { ...served, listPrice: 439000, version: 2, updatedAt: '2026-02-03T16:12:45.120Z' };

export const eventsOperation: Operation<'account', typeof eventsQuery> = {
  method: 'get',
  path: '/events',
  operationId: 'listEvents',
  summary: 'Follow what changes',
  description:
    'What has changed since a sequence, in order, each change once. List the listings, keep the `sequence` and `epoch` ' +
    'of that list, ask for the events after it, and go on with `nextAfter`: what you have is then always what a new ' +
    'list would give. A page may have fewer events than `limit` although more follow. With `wait` the reply comes as ' +
    'soon as something happens. Events are kept for 30 days; who comes later gets 410 and lists ' +
    'again. So does who gives a sequence that the account has not come to, or an `epoch` that the database does not have.',
  caller: 'account',
  query: eventsQuery,
  replies: [
    {
      status: 200,
      description: 'The events; none if nothing is new.',
      schema: z
        .object({
          data: z.array(event),
          nextAfter: z.int().meta({ minimum: 0, description: 'Give it as `after` for what comes next.' }),
          epoch: z.string().meta({ description: 'Tells sequences of a restored database from those before.' }),
        })
        .meta({ id: 'EventList' }),
      example: {
        data: [
          {
            sequence: 1,
            type: 'listing.created',
            listingId: served.id,
            listing: served,
            createdAt: served.createdAt,
          },
          {
            sequence: 2,
            type: 'listing.updated',
            listingId: served.id,
            listing: updated,
            changed: ['listPrice'],
            createdAt: updated.updatedAt,
          },
          {
            sequence: 3,
            type: 'listing.deleted',
            listingId: served.id,
            createdAt: '2026-02-11T08:00:00.000Z',
          },
        ],
        nextAfter: 3,
        epoch: '7k2m9q4x',
      },
    },
  ],
  errors: ['invalid_query', 'events_expired'],
};
