/** The machine's clock against one that nobody sets: so much is no drift, and no correction by a time server that holds. */
const JUMP_MIN_MS = 60_000;
/** Whoever has set a clock wrong has noticed by then, as a rule. */
const DISTRUST_MS = 60 * 60 * 1000;

let offsetMs = Date.now() - performance.now();
let jumpTimeMs = Number.NEGATIVE_INFINITY;

/**
 * Whether the clock was set, forward or back, within the last hour as far as this process has seen. Then what looks as if
 * its time were over may be young: nothing is removed or forgotten for that.
 */
export function hasClockJumped(): boolean {
  const nowMs = performance.now();
  const seenMs = Date.now() - nowMs;
  if (Math.abs(seenMs - offsetMs) > JUMP_MIN_MS) jumpTimeMs = nowMs;
  offsetMs = seenMs;
  return nowMs - jumpTimeMs < DISTRUST_MS;
}
