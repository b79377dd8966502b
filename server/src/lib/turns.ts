import { FairQueue } from './fair-queue.ts';

const waiting = new FairQueue<string, () => void>();
let waitingCount = 0;
let holders = 0;

/**
 * Yields to the event loop. Each turn resumes only one of the waiting tasks, and owners (account IDs)
 * alternate, so other work waits for at most one long task.
 */
export function ownTurn(owner = ''): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (waiting.isEmpty) setImmediate(giveTurn);
  waiting.add(owner, resolve);
  waitingCount += 1;
  return promise;
}

/** Pauses `ownTurn` in favor of more urgent work, until the result is disposed of. */
export function holdTurns(): Disposable {
  holders += 1;
  return {
    [Symbol.dispose]() {
      holders -= 1;
    },
  };
}

function giveTurn(): void {
  if (holders === 0) {
    waiting.take()?.();
    waitingCount -= 1;
  }
  if (!waiting.isEmpty) setImmediate(giveTurn);
}

export function countWaiting(): number {
  return waitingCount;
}

/** Counts the caller as waiting until the result is disposed of. For tasks that wait for a database first. */
export function noteWaiting(): Disposable {
  waitingCount += 1;
  return {
    [Symbol.dispose]() {
      waitingCount -= 1;
    },
  };
}
