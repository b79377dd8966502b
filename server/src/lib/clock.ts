/** Against the monotonic clock. Drift and corrections by a time server are smaller. */
const JUMP_MIN_MS = 60_000;
/** By then, a wrong clock has usually been noticed. */
const DISTRUST_MS = 60 * 60 * 1000;

let offsetMs = Date.now() - performance.now();
let jumpTimeMs = Number.NEGATIVE_INFINITY;

/** Whether the clock was set within the last hour, as far as this process saw. What looks expired then may not be. */
export function hasClockJumped(): boolean {
  const nowMs = performance.now();
  const seenMs = Date.now() - nowMs;
  if (Math.abs(seenMs - offsetMs) > JUMP_MIN_MS) jumpTimeMs = nowMs;
  offsetMs = seenMs;
  return nowMs - jumpTimeMs < DISTRUST_MS;
}
