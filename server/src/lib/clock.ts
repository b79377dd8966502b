/** The smallest jump relative to the monotonic clock. Drift and time-server corrections are smaller. */
const JUMP_MIN_MS = 60_000;
/** How long a jump is remembered. By then, the operator has usually noticed a wrong clock. */
const DISTRUST_MS = 60 * 60 * 1000;

let offsetMs = Date.now() - performance.now();
let jumpTimeMs = Number.NEGATIVE_INFINITY;

/** Whether this process has seen the clock jump in the last hour. If so, data that looks expired may be valid. */
export function hasClockJumped(): boolean {
  const nowMs = performance.now();
  const seenMs = Date.now() - nowMs;
  if (Math.abs(seenMs - offsetMs) > JUMP_MIN_MS) jumpTimeMs = nowMs;
  offsetMs = seenMs;
  return nowMs - jumpTimeMs < DISTRUST_MS;
}
