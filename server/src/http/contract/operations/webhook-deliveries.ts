import { z } from 'zod';
import { DELIVERY_STATES, PENDING_MAX } from '../../../model/webhooks.ts';
import { EXAMPLE_ID } from '../errors/entry.ts';
import { operation } from '../operation.ts';
import { IDEMPOTENCY_KEY } from '../request-headers.ts';
import { cursorParameter, integerParameter, namesParameter } from '../schemas/parameters.ts';
import { delivery } from '../schemas/webhooks.ts';
import { CHANGE_ERRORS, pageReply } from './common.ts';
import { EXAMPLES } from './webhooks.ts';

const LIMIT_MAX = 200;
export const LIMIT_DEFAULT = 50;

const deliveriesQuery = z.strictObject({
  limit: integerParameter(1, LIMIT_MAX, `Maximum number of deliveries; default ${LIMIT_DEFAULT}.`, 50).optional(),
  cursor: cursorParameter('The `nextCursor` of the previous page, unchanged.'),
  state: namesParameter(DELIVERY_STATES, 'Only deliveries in these states.', ['failed']).optional(),
});

const shown = {
  id: 'msg_01kt3vb2d4f6h8j0k1m3n5p7q9_7k2m9q4x_1',
  state: 'delivered',
  sequence: 1,
  lastSequence: 1,
  epoch: '7k2m9q4x',
  type: 'listing.created',
  listingId: EXAMPLE_ID,
  attempts: 1,
  nextAttemptAt: null,
  lastAttemptAt: '2026-01-31T09:35:01.000Z',
  status: 204,
  durationMs: 87,
  response: '',
  error: null,
};

const path = '/webhooks/{webhookId}/deliveries';

export const listDeliveriesOperation = operation('full', 'get', path, {
  operationId: 'listWebhookDeliveries',
  summary: 'List the deliveries of a webhook endpoint',
  description:
    'Lists deliveries with the highest sequence first: those that are waiting for their next attempt, and those ' +
    'settled in the last 30 days. For each endpoint, the latest 1,000 settled deliveries in each state are kept.',
  query: deliveriesQuery,
  replies: [pageReply('A page of deliveries.', 'WebhookDeliveryList', delivery, [shown])],
  errors: ['insufficient_scope', 'invalid_query', 'invalid_cursor', 'not_found'],
  errorExamples: EXAMPLES,
});

export const redeliverOperation = operation('full', 'post', `${path}/{deliveryId}/redeliver`, {
  operationId: 'redeliverWebhookDelivery',
  summary: 'Send one event again',
  description:
    'Sends the event of a delivery again, with the same `webhook-id`, and retries it like a new event. The first ' +
    'attempt is immediate unless the endpoint is disabled or an earlier event of the listing is pending.',
  requestHeaders: [IDEMPOTENCY_KEY],
  replies: [
    {
      status: 202,
      description: 'The delivery, which is waiting for its first attempt.',
      schema: delivery,
      example: { ...shown, state: 'pending', attempts: 0, nextAttemptAt: '2026-02-03T14:05:00.000Z' },
    },
  ],
  errors: [...CHANGE_ERRORS, 'not_found', 'events_expired', 'quota_exceeded'],
  errorExamples: {
    ...EXAMPLES,
    not_found: {
      message:
        'There is no delivery with this id; it may have been removed. Deliveries are kept for 30 days, up to 1,000 in each state.',
    },
    events_expired: { message: 'The event has been removed because it is older than 30 days. Nothing was changed.' },
    quota_exceeded: {
      message: `The endpoint has ${PENDING_MAX} or more pending deliveries; wait until it has fewer, or replay from a sequence.`,
      members: { quota: 'pending', limit: PENDING_MAX },
    },
  },
});
