import type { ListingEvent } from './types.ts';
import { WebhookVerificationError } from './webhook-errors.ts';
import { readHeaders, type SignedHeaders, type WebhookHeaders } from './webhook-headers.ts';
import { importSecret, isEqual, sign, toBytes } from './webhook-signature.ts';

export { WebhookVerificationError, type WebhookVerificationReason } from './webhook-errors.ts';
export type { WebhookHeaders } from './webhook-headers.ts';

interface Message<Type extends string, Data> {
  type: Type;
  /** When the event occurred, in ISO 8601. */
  timestamp: string;
  data: Data;
  accountId: string;
  /** Identifies the history of the database. After a restore, a sequence may belong to another event. */
  epoch: string;
}

type Test = Message<'webhook.test', { webhookId: string }>;
/** One member per type of event, so that `type` determines the type of `data`. */
type ListingMessage<Event = ListingEvent> = Event extends ListingEvent ? Message<Event['type'], Event> : never;

/** The body of a webhook. */
export type WebhookMessage = ListingMessage | Test;
export type WebhookType = WebhookMessage['type'];

/** A verified webhook. Ignore unknown types, which a newer service may send. */
export type WebhookEvent = WebhookMessage & {
  /** The `webhook-id` header, which is the same in each attempt. An ID that you have already processed is a repeat. */
  id: string;
};

/** The body of the request as a string or bytes, exactly as received. */
export type WebhookBody = string | ArrayBuffer | Uint8Array;

export interface WebhookOptions {
  /** The maximum age of a request, and how far in the future its timestamp can be, in seconds. Default: 300. */
  toleranceSeconds?: number | undefined;
  /** Default: the current time. */
  now?: Date | undefined;
}

const TOLERANCE_SECONDS = 300;

/**
 * Checks that the service sent this request, as specified by Standard Webhooks, and parses its body.
 * @param secrets the endpoint's secret, or the new and the old secret while you replace it; undefined and
 * empty values are ignored
 * @throws {WebhookVerificationError} if the request cannot be verified, or if no valid secret is given
 */
export async function verifyWebhook(
  body: WebhookBody,
  headers: WebhookHeaders,
  secrets: string | undefined | readonly (string | undefined)[],
  { toleranceSeconds = TOLERANCE_SECONDS, now = new Date() }: WebhookOptions = {},
): Promise<WebhookEvent> {
  const bytes = readBody(body);
  const keys = await readSecrets(secrets);
  const signed = readHeaders(headers);
  checkTimestamp(signed.timestamp, toleranceSeconds, now);
  await checkSignatures(bytes, signed, keys);
  return { ...parse(bytes), id: signed.id };
}

function readBody(body: unknown): Uint8Array {
  const bytes = toBytes(body);
  if (bytes !== undefined) return bytes;
  throw new WebhookVerificationError(
    'parsed_body',
    'The body must be the request body as a string or bytes, not a parsed object, because the signature covers the ' +
      'exact bytes. Read it before any JSON parser, such as with request.text() or express.raw().',
  );
}

function readSecrets(secrets: string | undefined | readonly (string | undefined)[]): Promise<CryptoKey[]> {
  const given = [secrets].flat().filter((secret) => secret?.trim());
  if (given.length > 0) return Promise.all(given.map((secret = '') => importSecret(secret)));
  throw new WebhookVerificationError('invalid_secret', 'The secret of the webhook endpoint is missing.');
}

function checkTimestamp(timestamp: string, toleranceSeconds: number, now: Date): void {
  const ageSeconds = Math.floor(now.getTime() / 1000) - Number(timestamp);
  if (Math.abs(ageSeconds) <= toleranceSeconds) return;
  const isOld = ageSeconds > 0;
  throw new WebhookVerificationError(
    isOld ? 'timestamp_too_old' : 'timestamp_too_new',
    `The webhook was sent ${Math.abs(ageSeconds)} seconds ${isOld ? 'ago' : 'in the future'}, and the tolerance is ` +
      `${toleranceSeconds} seconds. Check the clock of this machine.`,
  );
}

async function checkSignatures(bytes: Uint8Array, signed: SignedHeaders, keys: CryptoKey[]): Promise<void> {
  const expected = await Promise.all(keys.map((key) => sign(key, signed.id, signed.timestamp, bytes)));
  // Compares all signatures, so the time does not reveal which one matches.
  const matches = expected.flatMap((own) => signed.signatures.map((given) => isEqual(own, given)));
  if (matches.includes(true)) return;
  throw new WebhookVerificationError(
    'wrong_signature',
    'No signature matches. Check that the secret belongs to this endpoint, and that the body is passed exactly as ' +
      'received.',
  );
}

function parse(bytes: Uint8Array): WebhookMessage {
  try {
    const message = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof message?.type === 'string') return message;
  } catch {
    // Fall through: the service never sends this.
  }
  throw new WebhookVerificationError('invalid_body', 'The signature is correct, but the body is not an event.');
}

/** Signs a webhook as the service does, to test a receiver. @returns the headers to send */
export async function signWebhook(
  body: WebhookBody,
  secret: string,
  { id, now = new Date() }: { id: string; now?: Date | undefined },
): Promise<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signature = await sign(await importSecret(secret), id, timestamp, readBody(body));
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
