import type { EventType } from './listings.ts';

export const WEBHOOKS_MAX = 20;
/** With this many pending deliveries, none can be resent on demand. The sender stops reading events before that. */
export const PENDING_MAX = 512;
export const WEBHOOK_URL_LENGTH_MAX = 2000;

/** A pending delivery waits for an attempt; an expired one stands for events removed before they were delivered. */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'expired'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** The type of the sample event that `…/test` sends. */
export const TEST_TYPE = 'webhook.test';

/** How long requests are also signed with the old secret after a roll. */
export const SECRET_OVERLAP_MS = 24 * 60 * 60 * 1000;
/** An endpoint is disabled after all attempts have failed for this long. */
export const FAILING_MAX_MS = 5 * 24 * 60 * 60 * 1000;
/** How long settled deliveries are kept, which is as long as events are kept. */
export const DELIVERIES_KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** The endpoint settings that clients choose. */
export interface WebhookSettings {
  url: string;
  /** Null for all types. */
  types: EventType[] | null;
  feed: string | null;
  description: string | null;
  enabled: boolean;
}

/** A webhook endpoint, with its position in the account's events. Times are UTC milliseconds. */
export interface Webhook extends WebhookSettings {
  id: string;
  /** Every event up to this sequence is settled, filtered out, or stored as a pending delivery. */
  position: number;
  pending: number;
  /** When the endpoint began to fail; null after a success. */
  failingSince: number | null;
  /** When the service disabled the endpoint because all attempts failed; null otherwise. */
  disabledAt: number | null;
  oldSecretUntil: number | null;
  createdAt: number;
  updatedAt: number;
}

/** An event on its way to an endpoint, or the expired events from `sequence` to `lastSequence`. */
export interface Delivery {
  sequence: number;
  epoch: string;
  state: DeliveryState;
  lastSequence: number;
  /** Null for expired events. */
  type: EventType | null;
  listingId: string | null;
  attempts: number;
  /** When the next attempt is due (UTC milliseconds); null if none is scheduled. */
  nextAt: number | null;
  lastAt: number | null;
  /** The response's status; null if there was no response. */
  status: number | null;
  durationMs: number | null;
  /** The first KiB of the response's body. */
  response: string | null;
  /** Why there was no response. */
  error: string | null;
  updatedAt: number;
}

/** The `webhook-id`, which is the same in every attempt. */
export function deliveryId(webhookId: string, { epoch, sequence }: Pick<Delivery, 'epoch' | 'sequence'>): string {
  return `msg_${webhookId.slice(webhookId.indexOf('_') + 1)}_${epoch}_${sequence}`;
}

/** The epoch and sequence in a delivery's id; undefined if the id does not belong to this endpoint. */
export function parseDeliveryId(webhookId: string, id: string): Pick<Delivery, 'epoch' | 'sequence'> | undefined {
  const [, epoch = '', digits = ''] = /_([^_]+)_([1-9]\d{0,14})$/.exec(id) ?? [];
  const parsed = { epoch, sequence: Number(digits) };
  return deliveryId(webhookId, parsed) === id ? parsed : undefined;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** The delays before the second and later attempts. If the attempt after the last delay fails, the delivery fails. */
const RETRY_DELAYS_MS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR];
/** Spreads the retries of endpoints that failed at the same time. */
const JITTER = 0.2;
const RETRY_AFTER_MAX_MS = 24 * HOUR;
/** Longer than any wait, even if the clocks of processes differ. Later times come from a wrong clock. */
export const WAIT_MAX_MS = RETRY_AFTER_MAX_MS + HOUR;
/** Longer than the longest delay, so the retries of one rejected event are not mistaken for an outage. */
const OUTAGE_MS = 13 * HOUR;
/**
 * If an endpoint has failed for this long and has pending deliveries for this many listings, its other
 * deliveries no longer wait once it accepts an event. With fewer listings, it may be rejecting only those
 * listings' events, so their retries keep to the schedule.
 */
export const RECOVERY = { failedForMs: HOUR, listings: 8 };

/** Whether an endpoint has accepted nothing for so long that its failures say nothing about individual events. */
export function isOutage(failingSince: number | null, now: number): boolean {
  return failingSince !== null && now - failingSince >= OUTAGE_MS;
}

export function isDue(plannedAt: number, now: number): boolean {
  return plannedAt <= now || plannedAt > now + WAIT_MAX_MS;
}

/** When to try again after an attempt that does not use up the retry schedule (UTC milliseconds). */
export function nextExtraAttemptAt(plannedAt: number, now: number, isDuringOutage: boolean, retryAfterMs = 0): number {
  const nextAt = nextAttemptAt(isDuringOutage ? RETRY_DELAYS_MS.length : 1, now, retryAfterMs) ?? now;
  return isDue(plannedAt, now) ? nextAt : Math.max(plannedAt, nextAt);
}

/** When to try again after this many attempts (UTC milliseconds); undefined if there are no further attempts. */
export function nextAttemptAt(attempts: number, now: number, retryAfterMs = 0): number | undefined {
  const delayMs = RETRY_DELAYS_MS[attempts - 1];
  if (delayMs === undefined) return undefined;
  const jitteredMs = delayMs * (1 + JITTER * (2 * Math.random() - 1));
  return Math.round(now + Math.max(jitteredMs, Math.min(retryAfterMs, RETRY_AFTER_MAX_MS)));
}

/**
 * The delay in milliseconds that a `Retry-After` header requests, in seconds or as an HTTP date (RFC 9110 §10.2.3).
 * Returns 0 without a valid header.
 */
export function parseRetryAfter(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  // undici keeps the white space after a value, which is not part of it (RFC 9110 §5.5).
  const value = header.trim();
  const ms = /^\d+$/.test(value) ? Number(value) * SECOND : Date.parse(value) - now;
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}
