import { listDeliveries, redeliver } from '../../domain/webhooks/webhook-deliveries.ts';
import { formatTime } from '../../lib/times.ts';
import { DELIVERY_STATES, type Delivery, deliveryId } from '../../model/webhooks.ts';
import {
  LIMIT_DEFAULT,
  listDeliveriesOperation,
  redeliverOperation,
} from '../contract/operations/webhook-deliveries.ts';
import { endpoint } from '../endpoint.ts';
import { requireFullAccess } from '../gate/authenticate.ts';
import { replayHeaders } from '../protocol/idempotency.ts';
import { replyJson } from '../protocol/reply.ts';
import { PURPOSE, readBodiless } from './webhooks.ts';

export const webhookDeliveryEndpoints = [
  endpoint(listDeliveriesOperation, async ({ principal }, { query, parameters: { webhookId = '' }, services }) => {
    const { limit = LIMIT_DEFAULT, cursor, state } = query;
    const states = DELIVERY_STATES.filter((known) => state?.includes(known) ?? true);
    const scope = `deliveries\n${principal.accountId}\n${webhookId}\n${states}`;
    const after = cursor === undefined ? undefined : services.cursors.decode(cursor, scope);
    // Comes after the checks of the query, as in all operations.
    requireFullAccess(principal, PURPOSE);
    const [first = 'pending', ...others] = states;
    const range = { states: [first, ...others] as const, after, limit: limit + 1 };
    const found = await listDeliveries(services, principal.accountId, webhookId, range);
    const data = found.slice(0, limit).map((delivery) => showDelivery(webhookId, delivery));
    const last = data.at(-1);
    const nextCursor = found.length > limit && last !== undefined ? services.cursors.encode(last.id, scope) : null;
    return { ...replyJson(200, JSON.stringify({ data, nextCursor })), isCompressible: true };
  }),
  endpoint(redeliverOperation, async (exchange, { parameters: { webhookId = '', deliveryId: id = '' }, services }) => {
    const { outcome, isReplayed } = await redeliver(services, await readBodiless(exchange), webhookId, id);
    services.dispatcher.refresh();
    return replyJson(202, JSON.stringify(showDelivery(webhookId, outcome)), replayHeaders(isReplayed));
  }),
];

function showDelivery(webhookId: string, delivery: Delivery) {
  const { state, sequence, lastSequence, epoch, type, listingId, attempts } = delivery;
  const { status, durationMs, response, error } = delivery;
  return {
    id: deliveryId(webhookId, delivery),
    state,
    sequence,
    lastSequence,
    epoch,
    type,
    listingId,
    attempts,
    nextAttemptAt: formatTime(delivery.nextAt),
    lastAttemptAt: formatTime(delivery.lastAt),
    status,
    durationMs,
    response,
    error,
  };
}
