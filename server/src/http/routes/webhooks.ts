import type { z } from 'zod';
import { testWebhook } from '../../domain/webhooks/webhook-deliveries.ts';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  getWebhook,
  replayWebhook,
  rollSecret,
  type WebhookChange,
} from '../../domain/webhooks/webhooks.ts';
import { findEarlierResult, type WriteResult } from '../../domain/writing/writing.ts';
import { formatTime } from '../../lib/times.ts';
import { AppError, attempt } from '../../model/errors.ts';
import type { Webhook } from '../../model/webhooks.ts';
import { listWebhooks } from '../../storage/webhooks.ts';
import {
  createWebhookOperation,
  deleteWebhookOperation,
  listWebhooksOperation,
  replayOperation,
  retrieveWebhookOperation,
  rollSecretOperation,
  testWebhookOperation,
  updateWebhookOperation,
} from '../contract/operations/webhooks.ts';
import { newWebhook, replayInput, webhookPatch } from '../contract/schemas/webhooks.ts';
import { endpoint } from '../endpoint.ts';
import { requireFullAccess } from '../gate/authenticate.ts';
import { parseBody } from '../protocol/body.ts';
import { type Admitted, abortWhenLeft } from '../protocol/exchange.ts';
import { readIdempotent, replayHeaders } from '../protocol/idempotency.ts';
import { checkInput } from '../protocol/input.ts';
import { type Reply, replyJson } from '../protocol/reply.ts';
import type { Services } from '../services.ts';

export const PURPOSE = 'manage webhooks';

export const webhookEndpoints = [
  endpoint(listWebhooksOperation, async ({ principal }, { services }) => {
    requireFullAccess(principal, PURPOSE);
    const webhooks = await listWebhooks(services.database, principal.accountId);
    return replyJson(200, JSON.stringify({ data: webhooks.map(showWebhook), nextCursor: null }));
  }),
  endpoint(createWebhookOperation, async (exchange, { services, base }) => {
    const { input, change } = await readChange(exchange, services, newWebhook);
    const { url, types = null, feed = null, description = null, enabled } = input;
    const settings = { url, types, feed, description, enabled: enabled ?? true };
    const { outcome, isReplayed } = await createWebhook(services, change, settings);
    services.dispatcher.refresh();
    const shown = { ...showWebhook(outcome), secret: outcome.secret };
    const headers = { Location: `${base}/webhooks/${outcome.id}`, ...replayHeaders(isReplayed) };
    return replyJson(201, JSON.stringify(shown), headers);
  }),
  endpoint(retrieveWebhookOperation, async ({ principal }, { parameters: { webhookId = '' }, services }) => {
    requireFullAccess(principal, PURPOSE);
    const webhook = await getWebhook(services.database, principal.accountId, webhookId);
    return replyJson(200, JSON.stringify(showWebhook(webhook)));
  }),
  endpoint(updateWebhookOperation, async (exchange, { parameters: { webhookId = '' }, services }) => {
    const { input, change } = await readChange(exchange, services, webhookPatch, webhookId);
    const changed = await changeWebhook(services, change, webhookId, givenOf(input));
    services.dispatcher.refresh();
    return replyChanged(changed);
  }),
  endpoint(deleteWebhookOperation, async (exchange, { parameters: { webhookId = '' }, services }) => {
    const { isReplayed } = await deleteWebhook(services, await readBodiless(exchange), webhookId);
    services.dispatcher.refresh();
    return { status: 204, headers: replayHeaders(isReplayed) };
  }),
  endpoint(rollSecretOperation, async (exchange, { parameters: { webhookId = '' }, services }) => {
    const { outcome, isReplayed } = await rollSecret(services, await readBodiless(exchange), webhookId);
    services.dispatcher.refresh();
    const shown = { ...showWebhook(outcome), secret: outcome.secret };
    return replyJson(200, JSON.stringify(shown), replayHeaders(isReplayed));
  }),
  endpoint(testWebhookOperation, async (exchange, { parameters: { webhookId = '' }, services }) => {
    requireFullAccess(exchange.principal, PURPOSE);
    const outcome = await testWebhook(services, exchange.principal, webhookId, abortWhenLeft(exchange));
    const { id, status, durationMs, response, error } = outcome;
    const delivered = status !== null && status >= 200 && status < 300;
    return replyJson(200, JSON.stringify({ id, delivered, status, durationMs, response, error }));
  }),
  endpoint(replayOperation, async (exchange, { parameters: { webhookId = '' }, services }) => {
    const { input, change } = await readChange(exchange, services, replayInput, webhookId);
    const changed = await replayWebhook(services, change, webhookId, input.after);
    services.dispatcher.refresh();
    return replyChanged(changed);
  }),
];

/** Clients rely on the order of the checks: header, JSON, access, Idempotency-Key, endpoint, fields. */
async function readChange<S extends z.ZodObject>(
  exchange: Admitted,
  { database }: Services,
  schema: S,
  webhookId?: string,
) {
  const { bytes, idempotency } = await readIdempotent(exchange);
  const body = parseBody(bytes);
  const principal = requireFullAccess(exchange.principal, PURPOSE);
  const input = attempt(() => checkInput(body, schema));
  if (input instanceof AppError) {
    if (idempotency !== undefined) await findEarlierResult(database, principal, idempotency);
    if (webhookId !== undefined) await getWebhook(database, principal.accountId, webhookId);
    throw input;
  }
  const change: WebhookChange = { principal, idempotency };
  return { input, change };
}

export async function readBodiless(exchange: Admitted): Promise<WebhookChange> {
  const { idempotency } = await readIdempotent(exchange);
  return { principal: requireFullAccess(exchange.principal, PURPOSE), idempotency };
}

/** The members that a patch contains; `null` removes a value. */
function givenOf<T extends object>(patch: T) {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

function replyChanged({ outcome, isReplayed }: WriteResult<Webhook>): Reply {
  return replyJson(200, JSON.stringify(showWebhook(outcome)), replayHeaders(isReplayed));
}

function showWebhook(webhook: Webhook) {
  const { id, url, types, feed, description, enabled, position, pending } = webhook;
  return {
    id,
    url,
    types,
    feed,
    description,
    enabled,
    position,
    pending,
    failingSince: formatTime(webhook.failingSince),
    disabledAt: formatTime(webhook.disabledAt),
    oldSecretExpiresAt: formatTime(webhook.oldSecretUntil),
    createdAt: formatTime(webhook.createdAt),
    updatedAt: formatTime(webhook.updatedAt),
  };
}
