import { createHmac } from 'node:crypto';
import type { SecretBox } from '../../../lib/secret-box.ts';
import { formatTime } from '../../../lib/times.ts';
import type { ClaimedWebhook } from '../../../storage/webhooks.ts';
import { secretOwner } from '../webhooks.ts';

/** The keys that sign messages: the current one and, after a roll, the old one until it expires. */
export interface SigningKeys {
  current: Buffer;
  old: Buffer | undefined;
  /** UTC milliseconds. */
  oldUntil: number;
}

type Secrets = Pick<ClaimedWebhook, 'id' | 'secret' | 'oldSecret' | 'oldSecretUntil'>;

/**
 * Decrypts an endpoint's secrets. Returns undefined if the current one cannot be decrypted. An old secret that cannot
 * be decrypted is left out, so after an encryption key is lost, rolling the secret makes the endpoint work again.
 */
export function openSecrets(
  box: SecretBox,
  accountId: string,
  { id, secret, oldSecret, oldSecretUntil }: Secrets,
): SigningKeys | undefined {
  const open = (stored: string | null) => {
    try {
      return stored === null ? undefined : keyOf(box.open(stored, secretOwner(accountId, id)));
    } catch {
      return undefined;
    }
  };
  const current = open(secret);
  return current && { current, old: open(oldSecret), oldUntil: oldSecretUntil ?? 0 };
}

export const LOCKED_SECRET =
  'The signing secret cannot be decrypted, because SECRETS_KEY_FILE is not set or contains a different key; ' +
  'restore the key, or roll the secret to get a new one';

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(secret.indexOf('_') + 1), 'base64');
}

export interface Message {
  /** UTC milliseconds. */
  createdAt: number;
  /** The `data` member of the body, as JSON. */
  json: string;
}

export function webhookBody(type: string, { createdAt, json }: Message, accountId: string, epoch: string): string {
  const timestamp = formatTime(createdAt);
  return `{"type":"${type}","timestamp":"${timestamp}","data":${json},"accountId":"${accountId}","epoch":"${epoch}"}`;
}

/** The request headers of Standard Webhooks 1.0. The signature covers the current time. */
export function signedHeaders(
  id: string,
  body: string,
  { current, old, oldUntil }: SigningKeys,
): Record<string, string> {
  const now = Date.now();
  const timestamp = String(Math.floor(now / 1000));
  const sign = (key: Buffer) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  const signatures = old !== undefined && now < oldUntil ? [sign(current), sign(old)] : [sign(current)];
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'property-listings-webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
