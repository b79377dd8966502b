import { setTimeout as sleep } from 'node:timers/promises';

const DEADLINE_MS = 30_000;
const POLL_MS = 10;

/** Polls `ask` until its value is neither false nor undefined, and returns that value. @throws at the deadline */
export async function until<T>(
  what: string,
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  deadlineMs = DEADLINE_MS,
): Promise<T> {
  const endTimeMs = performance.now() + deadlineMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > endTimeMs) throw new Error(`Timed out after ${deadlineMs} ms: ${what}`);
    await sleep(POLL_MS);
  }
}
