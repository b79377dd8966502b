import { signWebhook } from '@property-listings/client/webhooks';
import { write } from '../output/standard-output.ts';
import { pad, paint, toJson, toLine } from '../output/terminal.ts';

/** The service uses the same timeout. */
const TIMEOUT_MS = 10_000;

export interface Destination {
  url: string;
  secret: string;
}

export interface Attempt {
  /** The HTTP status, or the reason why there is none. */
  status: number | string;
  durationMs: number;
  isDelivered: boolean;
}

/** Sends a signed webhook once, as the service does: redirects are not followed, and only 2xx counts as delivered. */
export async function deliver({ url, secret }: Destination, id: string, message: object): Promise<Attempt> {
  const body = JSON.stringify(message);
  const headers = { 'Content-Type': 'application/json', ...(await signWebhook(body, secret, { id })) };
  const startedAtMs = performance.now();
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const result = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal }).catch(describeFailure);
  const durationMs = Math.round(performance.now() - startedAtMs);
  if (typeof result === 'string') return { status: result, durationMs, isDelivered: false };
  // Do not read the response body, which does not matter and might never end.
  await result.body?.cancel();
  return { status: result.status, durationMs, isDelivered: result.ok };
}

function describeFailure(error: unknown): string {
  const { name, cause, message } = Object(error);
  if (name === 'TimeoutError') return 'timeout';
  const code = String(cause?.code ?? cause?.message ?? message);
  return code === 'ECONNREFUSED' ? 'connection refused' : code;
}

export interface Delivery extends Attempt {
  /** The `webhook-id` header. */
  id: string;
  type: string;
  listingId: string;
  next: '' | 'gave up' | `retry in ${number} s`;
}

const GAP = '  ';
/** Column widths: the length of the longest event type, of a listing's ID, and of an HTTP status. */
const WIDTHS = { type: 15, listing: 30, status: 3 };

/** Writes an attempt as one line: columns in a terminal, fields separated by tabs in a pipe, or JSON. */
export async function writeDelivery(delivery: Delivery, json: true | undefined): Promise<void> {
  const { isDelivered, ...shown } = delivery;
  const time = new Date();
  if (json) return write(`${toJson({ time, ...shown })}\n`);
  const { type, listingId, next } = delivery;
  const status = toLine(`${delivery.status}`);
  const duration = `${delivery.durationMs} ms`;
  if (!process.stdout.isTTY) {
    return write(`${[time.toISOString(), type, listingId, status, duration, next].join('\t').trimEnd()}\n`);
  }
  const columns = [
    time.toTimeString().slice(0, 8),
    pad(type, WIDTHS.type),
    pad(listingId, WIDTHS.listing),
    paint(process.stdout, isDelivered ? 'green' : 'red', pad(status, WIDTHS.status)),
    duration,
    next,
  ];
  await write(`${columns.join(GAP).trimEnd()}\n`);
}
