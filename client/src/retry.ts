import { ApiError, ConnectionError } from './errors.ts';

/**
 * When a request can be retried. `always`: it changes nothing, or has an Idempotency-Key. `unread`: only if the
 * service has not processed any of its body. `never`: its body cannot be sent again.
 */
export type Repeat = 'always' | 'unread' | 'never';

const DELAY_MS = 500;
const DELAY_MS_MAX = 8_000;
/** If `Retry-After` is longer, the request fails at once (unless retries are unlimited); the error has the delay. */
const RETRY_AFTER_MS_MAX = 60_000;

/** @returns the delay before the next attempt; undefined if the request must not be retried */
export function retryDelayMs(error: unknown, repeat: Repeat, attempts: number, maxRetries: number): number | undefined {
  if (attempts > maxRetries || !isRetryable(error, repeat)) return undefined;
  const askedMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
  if (askedMs > RETRY_AFTER_MS_MAX && maxRetries !== Infinity) return undefined;
  const delayMs = Math.min(DELAY_MS * 2 ** (attempts - 1), DELAY_MS_MAX);
  // Random, so that many clients do not retry at the same time.
  return askedMs + delayMs * (askedMs > 0 ? Math.random() / 4 : 1 - Math.random() / 2);
}

function isRetryable(error: unknown, repeat: Repeat): boolean {
  if (repeat === 'always') return error instanceof ConnectionError || (error instanceof ApiError && isTransient(error));
  return repeat === 'unread' && error instanceof ApiError && isUnread(error);
}

function isTransient({ status, code }: ApiError): boolean {
  if (code === 'quota_exceeded') return false;
  return status === 408 || status === 429 || status >= 500;
}

/** An error with `created` or `runId` comes from an interrupted import or feed run, some of whose rows may be saved. */
function isUnread({ code, members }: ApiError): boolean {
  return /^(rate_limited|too_many_imports|unavailable)$/.test(code) && (members.created ?? members.runId) === undefined;
}

/** A longer timer would fire at once. */
export const TIMER_MS_MAX = 2 ** 31 - 1;

/** Rejects with the signal's reason if the signal is aborted. */
export function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      },
      Math.min(delayMs, TIMER_MS_MAX),
    );
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
