import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { createId } from '../../lib/ids.ts';
import type { OutgoingRequests } from '../../lib/outgoing.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import type { AuditAction, AuditActor } from '../../model/audit.ts';
import { AppError } from '../../model/errors.ts';
import { SECRET_OVERLAP_MS, WEBHOOKS_MAX, type Webhook, type WebhookSettings } from '../../model/webhooks.ts';
import { findKeyDetails } from '../../storage/api-keys.ts';
import type { Database, Executor } from '../../storage/database.ts';
import { findEvents } from '../../storage/events.ts';
import { hurryDeliveries, removeDeliveriesAfter } from '../../storage/webhook-deliveries.ts';
import {
  findWebhook,
  findWebhookSecrets,
  insertWebhook,
  listWebhooks,
  removeWebhook,
  rollWebhookSecret,
  updateWebhook,
} from '../../storage/webhooks.ts';
import { recordAudit } from '../access/audit.ts';
import type { FullPrincipal } from '../access/principals.ts';
import { requireAdministrator } from '../access/roles.ts';
import { findEarlierResult, type IdempotentRequest, type WriteResult, write } from '../writing/writing.ts';
import { removeSettledDeliveries } from './webhook-purge.ts';

export interface WebhookServices {
  database: Database;
  secretBox: SecretBox;
  outgoing: OutgoingRequests;
}

export interface WebhookChange {
  principal: FullPrincipal;
  idempotency: IdempotentRequest | undefined;
}

export interface WebhookWithSecret extends Webhook {
  secret: string;
}

const SECRET_PREFIX = 'whsec_';
/** Standard Webhooks requires 24 to 64 bytes. */
const SECRET_BYTES = 32;

/** Identifies the row that a secret belongs to. */
export function secretOwner(accountId: string, id: string): string {
  return `${accountId}/${id}`;
}

/**
 * For a replayed request, returns the endpoint's current state.
 * @throws {AppError} `validation_failed` for the URL, `quota_exceeded`, `not_found` if the endpoint of a replayed request
 * was deleted, or what `write` and `getAuditActor` throw
 */
export async function createWebhook(
  services: WebhookServices,
  change: WebhookChange,
  settings: WebhookSettings,
): Promise<WriteResult<WebhookWithSecret>> {
  const now = Date.now();
  const result = await write(services.database, change.principal, change.idempotency, async (writing) => {
    const { transaction, account } = writing;
    requireReachable(services, settings.url);
    const actor = await getAuditActor(transaction, change.principal);
    if ((await listWebhooks(transaction, account.id)).length >= WEBHOOKS_MAX) throw tooMany();
    const webhook: Webhook = {
      ...settings,
      id: createId('whk'),
      position: account.sequence,
      pending: 0,
      failingSince: null,
      disabledAt: null,
      oldSecretUntil: null,
      createdAt: now,
      updatedAt: now,
    };
    const secret = services.secretBox.seal(generateSecret(), secretOwner(account.id, webhook.id));
    await insertWebhook(transaction, account.id, webhook, secret);
    await audit(transaction, account.id, actor, 'webhook.created', webhook);
    return webhook.id;
  });
  const { accountId } = change.principal;
  const created = await findWebhook(services.database, accountId, result.outcome);
  if (created === undefined)
    throw new AppError('not_found', 'The endpoint that this request created has been deleted.');
  return { ...result, outcome: { ...created, secret: await findSecret(services, accountId, created.id) } };
}

/**
 * Enabling a disabled endpoint also clears `failingSince` and `disabledAt`, and sends its pending deliveries
 * immediately.
 * @throws {AppError} `validation_failed` for the URL, or what `changeOne` throws
 */
export async function changeWebhook(
  services: WebhookServices,
  change: WebhookChange,
  id: string,
  settings: Partial<WebhookSettings>,
): Promise<WriteResult<Webhook>> {
  return changeOne(services.database, change, id, 'webhook.updated', async (transaction, webhook) => {
    if (settings.url !== undefined) requireReachable(services, settings.url);
    const changed = { ...webhook, ...settings };
    if (isDeepStrictEqual(changed, webhook)) return webhook;
    if (!changed.enabled || webhook.enabled) return changed;
    await hurryDeliveries(transaction, change.principal.accountId, id);
    return { ...changed, failingSince: null, disabledAt: null };
  });
}

/** The old secret also signs requests until `oldSecretUntil`. @throws {AppError} what `changeOne` throws */
export async function rollSecret(
  services: WebhookServices,
  change: WebhookChange,
  id: string,
): Promise<WriteResult<WebhookWithSecret>> {
  const { database, secretBox } = services;
  const { accountId } = change.principal;
  const result = await changeOne(database, change, id, 'webhook.secret_rolled', async (transaction, webhook) => {
    const secret = secretBox.seal(generateSecret(), secretOwner(accountId, id));
    await rollWebhookSecret(transaction, accountId, id, secret);
    return { ...webhook, oldSecretUntil: Date.now() + SECRET_OVERLAP_MS };
  });
  return { ...result, outcome: { ...result.outcome, secret: await findSecret(services, accountId, id) } };
}

/** Events after the sequence `after` are sent again. @throws {AppError} `events_expired`, or what `changeOne` throws */
export async function replayWebhook(
  { database }: WebhookServices,
  change: WebhookChange,
  id: string,
  after: number,
): Promise<WriteResult<Webhook>> {
  const { accountId } = change.principal;
  return changeOne(database, change, id, 'webhook.replayed', async (transaction, webhook, sequence) => {
    await requireEvents(transaction, accountId, after, sequence);
    const removed = await removeDeliveriesAfter(transaction, accountId, id, 'pending', after);
    return { ...webhook, position: after, pending: webhook.pending - removed };
  });
}

/** @throws {AppError} `events_expired` unless all events after `after` are stored */
async function requireEvents(transaction: Executor, accountId: string, after: number, sequence: number): Promise<void> {
  if (after > sequence) {
    const reason = `The sequence is greater than the account's current sequence, which is ${sequence}`;
    throw new AppError('events_expired', `${reason}. Nothing was changed.`);
  }
  if (after === sequence) return;
  const { rows } = await findEvents(transaction, accountId, after, { limit: 1, bytesMax: 1 });
  if (rows[0]?.sequence === after + 1) return;
  throw new AppError('events_expired', 'Events after this sequence have been removed. Nothing was changed.');
}

/**
 * Removes an endpoint. Its settled deliveries are removed first, in slices, because there can be many. The
 * other deliveries are removed together with the endpoint, so a failure does not lose any of them.
 * @throws {AppError} `not_found`, or what `write` and `getAuditActor` throw
 */
export async function deleteWebhook(
  { database }: WebhookServices,
  { principal, idempotency }: WebhookChange,
  id: string,
): Promise<WriteResult<boolean>> {
  const { accountId } = principal;
  const earlier = idempotency && (await findEarlierResult<boolean>(database, principal, idempotency));
  // As in an atomic import, a retry also waits for the standby.
  if (earlier !== undefined) return write(database, principal, idempotency, async () => earlier.outcome);
  await removeSettledDeliveries(database, accountId, id);
  return write(database, principal, idempotency, async ({ transaction }) => {
    const actor = await getAuditActor(transaction, principal);
    const webhook = await getWebhook(transaction, accountId, id);
    await removeWebhook(transaction, accountId, id);
    await audit(transaction, accountId, actor, 'webhook.deleted', webhook);
    return true;
  });
}

/** @throws {AppError} `not_found` */
export async function getWebhook(executor: Executor, accountId: string, id: string): Promise<Webhook> {
  const webhook = await findWebhook(executor, accountId, id);
  if (webhook !== undefined) return webhook;
  throw new AppError('not_found', 'There is no webhook endpoint with this id in the account.');
}

/**
 * Stores the endpoint that `change` returns, unless `change` returns the object that it was given. A copy
 * with equal values is also stored, because the process that sends may be ahead of the stored position. For a
 * replayed request, returns the endpoint's current state.
 * @throws {AppError} `not_found`, or what `change`, `write`, and `getAuditActor` throw
 */
export async function changeOne(
  database: Database,
  { principal, idempotency }: WebhookChange,
  id: string,
  action: AuditAction,
  change: (transaction: Executor, webhook: Webhook, sequence: number) => Promise<Webhook>,
): Promise<WriteResult<Webhook>> {
  const { accountId } = principal;
  let changed: Webhook | undefined;
  const { isReplayed } = await write(database, principal, idempotency, async ({ transaction, account }) => {
    const actor = await getAuditActor(transaction, principal);
    const webhook = await getWebhook(transaction, accountId, id);
    changed = await change(transaction, webhook, account.sequence);
    if (changed === webhook) return true;
    changed.updatedAt = Date.now();
    await updateWebhook(transaction, accountId, changed);
    await audit(transaction, accountId, actor, action, changed);
    return true;
  });
  return { outcome: changed ?? (await getWebhook(database, accountId, id)), isReplayed };
}

/** @throws {AppError} `validation_failed` */
function requireReachable({ outgoing }: WebhookServices, url: string): void {
  const message = outgoing.findIssue(new URL(url));
  if (message === undefined) return;
  const details = [{ field: 'url', code: 'invalid_format' as const, message }];
  throw new AppError('validation_failed', 'One field is not valid; see details.', { details });
}

function generateSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

async function findSecret({ database, secretBox }: WebhookServices, accountId: string, id: string): Promise<string> {
  const secrets = await findWebhookSecrets(database, accountId, id);
  return secretBox.open(secrets?.secret ?? '', secretOwner(accountId, id));
}

function tooMany(): AppError {
  const message = `The account has ${WEBHOOKS_MAX} webhook endpoints, which is the maximum; delete one first.`;
  return new AppError('quota_exceeded', message, { members: { quota: 'webhooks', limit: WEBHOOKS_MAX } });
}

/** @throws {AppError} `unauthorized` or `forbidden` if a user is no longer an administrator */
async function getAuditActor(transaction: Executor, principal: FullPrincipal): Promise<AuditActor> {
  const { accountId } = principal;
  if ('user' in principal) return requireAdministrator(transaction, accountId, principal.user);
  const key = await findKeyDetails(transaction, accountId, principal.keyId);
  return { type: 'api_key', id: principal.keyId, name: key?.name ?? principal.keyId, email: null, address: null };
}

export async function audit(
  transaction: Executor,
  accountId: string,
  actor: AuditActor,
  action: AuditAction,
  { id, url }: Pick<Webhook, 'id' | 'url'>,
): Promise<void> {
  // Only the origin is recorded, because the URL's query may contain a secret.
  await recordAudit(transaction, accountId, actor, action, { type: 'webhook', id, name: new URL(url).origin });
}
