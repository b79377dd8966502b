import { FairQueue } from './fair-queue.ts';

/**
 * Node.js accepts one connection per turn of the event loop. While more arrive, turns are kept short for this part of
 * the time: otherwise, a client would wait for one long turn per connection before its own.
 */
const CONNECTING_MS = 10;
const OTHERS_MS = 5;

const waiting = new FairQueue<string, () => void>();
let waitingCount = 0;
let holders = 0;
/** When the current series of connections began. */
let connectingSinceMs = 0;
/** How many turns are left of the series if no other connection comes. */
let connectingTurns = 0;

/**
 * Yields. In each turn of the event loop, only one of those waiting here continues, and owners (account IDs)
 * alternate. However many long tasks there are, other work waits for one of them at most.
 */
export function ownTurn(owner = ''): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (waiting.isEmpty) setImmediate(giveTurn);
  waiting.add(owner, resolve);
  waitingCount += 1;
  return promise;
}

/** Gives no turns until the result is disposed of: more urgent work is going on. */
export function holdTurns(): Disposable {
  holders += 1;
  return {
    [Symbol.dispose]() {
      holders -= 1;
    },
  };
}

function giveTurn(): void {
  if (holders === 0 && !areConnecting()) {
    waiting.take()?.();
    waitingCount -= 1;
  }
  if (!waiting.isEmpty) setImmediate(giveTurn);
}

export function countWaiting(): number {
  return waitingCount;
}

/** Call it for each new connection. */
export function noteConnection(): void {
  if (connectingTurns === 0) {
    connectingSinceMs = performance.now();
    setImmediate(endTurn);
  }
  connectingTurns = 2;
}

/** Whether this turn is left to connections: one arrived in it or in the turn before. */
export function areConnecting(): boolean {
  if (connectingTurns === 0) return false;
  return (performance.now() - connectingSinceMs) % (CONNECTING_MS + OTHERS_MS) < CONNECTING_MS;
}

function endTurn(): void {
  connectingTurns -= 1;
  if (connectingTurns > 0) setImmediate(endTurn);
}
