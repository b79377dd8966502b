import { z } from 'zod';
import { EVENT_TYPES } from '../../../model/listings.ts';
import { operation } from '../operation.ts';
import { count, namedObject } from '../schemas/fields.ts';
import { feedName, listing } from '../schemas/listings.ts';
import { integerParameter, listingId, namesParameter } from '../schemas/parameters.ts';
import { okReply, served } from './common.ts';

const LIMIT_MAX = 1000;
export const LIMIT_DEFAULT = 100;
/** In seconds. Common load balancers close connections that are idle for longer. */
const WAIT_MAX = 60;

const eventsQuery = z.strictObject({
  after: integerParameter(
    0,
    Number.MAX_SAFE_INTEGER,
    'The `sequence` of a list, or the `nextAfter` of the previous page; default 0, the beginning.',
    128,
  ).optional(),
  limit: integerParameter(1, LIMIT_MAX, `Maximum number of events; default ${LIMIT_DEFAULT}.`, 500).optional(),
  wait: integerParameter(
    0,
    WAIT_MAX,
    'Maximum number of seconds to wait for an event if there is none; default 0.',
    25,
  ).optional(),
  type: namesParameter(EVENT_TYPES, 'Only events of these types.', ['listing.created', 'listing.deleted']).optional(),
  listingId: listingId('Only events of this listing.').optional(),
  feed: feedName
    .meta({
      description: 'Only events for listings that belonged to this feed after the change, or before their deletion.',
      example: 'mls',
    })
    .optional(),
  epoch: z
    .string()
    .meta({
      description: 'The `epoch` that came with the sequence; a restore of the database changes it.',
      example: '7k2m9q4x',
    })
    .optional(),
});

const anyEvent = {
  sequence: z.int().meta({
    minimum: 1,
    description: "Increases by one with each of the account's events, without gaps.",
  }),
  listingId: z.string(),
  createdAt: z.string().meta({ format: 'date-time' }),
};
const changedListing = listing.describe('The listing after this change.');

const event = z
  .discriminatedUnion('type', [
    namedObject('ListingCreatedEvent', { ...anyEvent, type: z.literal('listing.created'), listing: changedListing }),
    namedObject('ListingUpdatedEvent', {
      ...anyEvent,
      type: z.literal('listing.updated'),
      listing: changedListing,
      changed: z.array(z.string()).describe('The changed fields.'),
    }),
    namedObject('ListingDeletedEvent', {
      ...anyEvent,
      type: z.literal('listing.deleted'),
      externalId: z.string().optional().describe('The `externalId` of the deleted listing, if it had one.'),
    }),
  ])
  .meta({
    id: 'Event',
    discriminator: {
      propertyName: 'type',
      mapping: {
        'listing.created': '#/components/schemas/ListingCreatedEvent',
        'listing.updated': '#/components/schemas/ListingUpdatedEvent',
        'listing.deleted': '#/components/schemas/ListingDeletedEvent',
      },
    },
  });

const eventList = namedObject('EventList', {
  data: z.array(event),
  nextAfter: count('The `after` of the next page: the last sequence that was examined.'),
  epoch: z.string().describe('Identifies the history of the database; a restore changes the epoch.'),
});

const updated = { ...served, listPrice: 439000, version: 2, updatedAt: '2026-02-03T16:12:45.120Z' };

export const eventsOperation = operation('account', 'get', '/events', {
  operationId: 'listEvents',
  summary: 'Follow changes',
  description:
    'The changes since a sequence, in order, each exactly once. List the listings, save the `sequence` and `epoch` ' +
    'of that list, request the events after that sequence, and continue with `nextAfter`: your copy then always ' +
    'matches a new list. A page can have fewer events than `limit` even if more follow. With `wait`, the response ' +
    'is sent as soon as there is an event. With a filter (`type`, `listingId`, or `feed`), the response has the ' +
    'matching events among the next 10,000 events, so it can be empty, and `nextAfter` is the last sequence that ' +
    'was examined. Events are kept for 30 days. A request for older events, a sequence that the account has not ' +
    'reached, or another `epoch` gets 410. In that case, list the listings again.',
  query: eventsQuery,
  replies: [
    okReply('The events; empty if there are none.', eventList, {
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
          externalId: served.externalId,
          createdAt: '2026-02-11T08:00:00.000Z',
        },
      ],
      nextAfter: 3,
      epoch: '7k2m9q4x',
    }),
  ],
  errors: ['invalid_query', 'events_expired', 'http_version_not_supported'],
});
