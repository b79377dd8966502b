import { signWebhook } from '@property-listings/client/webhooks';

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
