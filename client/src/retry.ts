import { ApiError, ConnectionError } from './errors.ts';

/**
 * When a request may be sent again. `always`: it reads, or its Idempotency-Key tells the service that it is the same.
 * `unread`: only if the service says that it has not looked at it. `never`: its body is gone.
 */
export type Repeat = 'always' | 'unread' | 'never';

const DELAY_MS = 500;
const DELAY_MS_MAX = 8_000;
/** Longer than this nobody waits without being asked: then the error says how long. */
const RETRY_AFTER_MS_MAX = 60_000;

/** How long to wait before the next try; undefined if there must be none. `tries` have failed. */
export function retryDelayMs(error: unknown, repeat: Repeat, tries: number, maxRetries: number): number | undefined {
  if (tries > maxRetries || !isPassing(error, repeat)) return undefined;
  const askedMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
  if (askedMs > RETRY_AFTER_MS_MAX && maxRetries !== Infinity) return undefined;
  const delayMs = Math.min(DELAY_MS * 2 ** (tries - 1), DELAY_MS_MAX);
  // So that many clients do not come back in the same moment.
  return askedMs + delayMs * (askedMs > 0 ? Math.random() / 4 : 1 - Math.random() / 2);
}

function isPassing(error: unknown, repeat: Repeat): boolean {
  if (repeat === 'always') return error instanceof ConnectionError || (error instanceof ApiError && isTransient(error));
  return repeat === 'unread' && error instanceof ApiError && isUnread(error);
}

function isTransient({ status, code }: ApiError): boolean {
  if (code === 'quota_exceeded') return false;
  return status === 408 || status === 429 || status >= 500 || code === 'idempotency_in_progress';
}

/** An import that broke off has the report so far in its error: some of its rows are there. */
function isUnread({ code, members }: ApiError): boolean {
  const isRejection = code === 'too_many_imports' || code === 'unavailable';
  return code === 'rate_limited' || (isRejection && members.created === undefined);
}

/** Timers know no longer time: beyond, they would be over at once. */
export const TIMER_MS_MAX = 2 ** 31 - 1;

/** Rejects with the signal's reason when it is aborted meanwhile. */
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
