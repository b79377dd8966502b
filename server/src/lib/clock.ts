/** A larger change relative to the monotonic clock is a jump. Drift and time-server corrections are smaller. */
const JUMP_MIN_MS = 60_000;
/** How long a jump is remembered. After that time, the operator has usually noticed a wrong clock. */
const DISTRUST_MS = 60 * 60 * 1000;

let offsetMs = Date.now() - performance.now();
let jumpTimeMs = Number.NEGATIVE_INFINITY;

/**
 * The current time in UTC milliseconds. Undefined if this process has seen the clock jump in the last hour,
 * since data that looks expired may then be valid.
 */
export function trustedNow(): number | undefined {
  const [now, monotonicMs] = [Date.now(), performance.now()];
  const seenMs = now - monotonicMs;
  if (Math.abs(seenMs - offsetMs) > JUMP_MIN_MS) jumpTimeMs = monotonicMs;
  offsetMs = seenMs;
  return monotonicMs - jumpTimeMs < DISTRUST_MS ? undefined : now;
}

/** Trusts the clock again, for tests that share a process with tests that set it. */
export function forgetJumps(): void {
  offsetMs = Date.now() - performance.now();
  jumpTimeMs = Number.NEGATIVE_INFINITY;
}
