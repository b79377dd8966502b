import { randomWord } from '../../lib/ids.ts';
import type { Outcome } from '../../lib/outgoing.ts';
import { AppError } from '../../model/errors.ts';
import {
  type Delivery,
  type DeliveryState,
  deliveryId,
  PENDING_MAX,
  parseDeliveryId,
  TEST_TYPE,
  type Webhook,
} from '../../model/webhooks.ts';
import { findEvent } from '../../storage/events.ts';
import { FairSemaphore } from '../../storage/fair-semaphore.ts';
import { findDeliveries, findDelivery, putDeliveries } from '../../storage/webhook-deliveries.ts';
import { findWebhookSecrets } from '../../storage/webhooks.ts';
import type { Principal } from '../access/principals.ts';
import type { WriteResult } from '../writing/writing.ts';
import { LOCKED_SECRET, openSecrets, signedHeaders, webhookBody } from './dispatch/message.ts';
import { changeOne, getWebhook, type WebhookChange, type WebhookServices } from './webhooks.ts';

/** The position before the first delivery in a list. */
const FIRST = { sequence: Number.MAX_SAFE_INTEGER, epoch: '' };

/** An endpoint's deliveries after a position in the list. @throws {AppError} `not_found` */
export async function listDeliveries(
  { database }: WebhookServices,
  accountId: string,
  webhookId: string,
  {
    states,
    after,
    limit,
  }: { states: readonly [DeliveryState, ...DeliveryState[]]; after: string | undefined; limit: number },
): Promise<Delivery[]> {
  await getWebhook(database, accountId, webhookId);
  const before = after === undefined ? FIRST : (parseDeliveryId(webhookId, after) ?? FIRST);
  return findDeliveries(database, accountId, webhookId, before, states, limit);
}

/**
 * Schedules a delivery to be sent again immediately.
 * @throws {AppError} `events_expired`, `quota_exceeded` for too many pending deliveries, or what `changeOne` throws
 */
export async function redeliver(
  { database }: WebhookServices,
  change: WebhookChange,
  webhookId: string,
  id: string,
): Promise<WriteResult<Delivery>> {
  const { accountId } = change.principal;
  const { sequence, epoch } = parseDeliveryId(webhookId, id) ?? { sequence: 0, epoch: '' };
  const result = await changeOne(database, change, webhookId, 'webhook.redelivered', async (transaction, webhook) => {
    const delivery = await findDelivery(transaction, accountId, webhookId, sequence, epoch);
    if (delivery === undefined) throw noDelivery();
    const isGone = delivery.state === 'expired' || (await findEvent(transaction, accountId, sequence)) === undefined;
    if (isGone) throw eventGone();
    if (webhook.pending >= PENDING_MAX) throw tooManyPending();
    const now = Date.now();
    const pending = { ...delivery, state: 'pending', attempts: 0, nextAt: now, updatedAt: now } as const;
    await putDeliveries(transaction, accountId, webhookId, [pending]);
    const added = delivery.state === 'pending' ? 0 : 1;
    return { ...webhook, pending: webhook.pending + added, updatedAt: now };
  });
  const outcome = await findDelivery(database, accountId, webhookId, sequence, epoch);
  if (outcome === undefined) throw noDelivery();
  return { outcome, isReplayed: result.isReplayed };
}

function tooManyPending(): AppError {
  const message = `The endpoint has ${PENDING_MAX} or more pending deliveries; wait until it has fewer, or replay from a sequence.`;
  return new AppError('quota_exceeded', message, { members: { quota: 'pending', limit: PENDING_MAX } });
}

function noDelivery(): AppError {
  return new AppError(
    'not_found',
    'There is no delivery with this id; it may have been removed. Deliveries are kept for 30 days, up to 1,000 in each state.',
  );
}

function eventGone(): AppError {
  return new AppError(
    'events_expired',
    'The event has been removed because it is older than 30 days. Nothing was changed.',
  );
}

/** Limits how many sample events are sent at the same time, in total and per account. Each uses a connection. */
const testing = new FairSemaphore(32, 2);

/** Sends a sample event. @throws {AppError} `not_found`, or `unavailable` if too many sample events wait */
export async function testWebhook(
  services: WebhookServices,
  { accountId, epoch }: Principal,
  webhookId: string,
  signal: AbortSignal,
): Promise<Outcome & { id: string }> {
  const webhook = await getWebhook(services.database, accountId, webhookId);
  const work = () => sendSample(services, { accountId, epoch }, webhook, signal);
  return testing.run(accountId, work, { signal, isLimited: true });
}

async function sendSample(
  { database, secretBox, outgoing }: WebhookServices,
  { accountId, epoch }: Pick<Principal, 'accountId' | 'epoch'>,
  webhook: Webhook,
  signal: AbortSignal,
): Promise<Outcome & { id: string }> {
  const webhookId = webhook.id;
  const stored = await findWebhookSecrets(database, accountId, webhookId);
  const id = `${deliveryId(webhookId, { epoch, sequence: 0 }).replace(/_0$/, '')}_test${randomWord(12)}`;
  const message = { createdAt: Date.now(), json: JSON.stringify({ webhookId }) };
  const body = webhookBody(TEST_TYPE, message, accountId, epoch);
  const secrets = openSecrets(secretBox, accountId, { ...webhook, secret: '', oldSecret: null, ...stored });
  if (secrets === undefined) {
    return { id, status: null, durationMs: 0, response: null, retryAfter: undefined, error: LOCKED_SECRET };
  }
  const outcome = await outgoing.post(new URL(webhook.url), signedHeaders(id, body, secrets), body, signal);
  return { id, ...outcome };
}
