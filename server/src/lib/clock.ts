/** A change of the offset to the monotonic clock. Drift and time-server corrections are smaller. */
const JUMP_MIN_MS = 60_000;
/** By then, the operator has usually noticed a wrong clock. */
const DISTRUST_MS = 60 * 60 * 1000;

let offsetMs = Date.now() - performance.now();
let jumpTimeMs = Number.NEGATIVE_INFINITY;

/** Whether this process saw the clock change within the last hour. If so, what looks expired may be valid. */
export function hasClockJumped(): boolean {
  const nowMs = performance.now();
  const seenMs = Date.now() - nowMs;
  if (Math.abs(seenMs - offsetMs) > JUMP_MIN_MS) jumpTimeMs = nowMs;
  offsetMs = seenMs;
  return nowMs - jumpTimeMs < DISTRUST_MS;
}
