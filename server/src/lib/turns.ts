import { FairQueue } from './fair-queue.ts';

/**
 * Node.js takes one connection in a turn of the event loop. While more come, turns are kept short for so much of the time:
 * else a client that connects would wait for a long turn for each one that came before it.
 */
const CONNECTING_MS = 10;
const OTHERS_MS = 5;

const waiting = new FairQueue<string, () => void>();
let waitingCount = 0;
let holders = 0;
/** When the first of the connections came that are still coming. */
let connectingSinceMs = 0;
/** How many turns count as theirs if no other one comes. */
let connectingTurns = 0;

/**
 * Lets everybody else have their turn. Of many that wait here only one goes on in each turn of the event loop, and owners
 * (the ids of accounts) alternate. However many take long, other work waits for one of them at most.
 */
export function ownTurn(owner = ''): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (waiting.isEmpty) setImmediate(giveTurn);
  waiting.add(owner, resolve);
  waitingCount += 1;
  return promise;
}

/** Lets those who wait for turns wait until the result is disposed of: others wait for what is done meanwhile. */
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

/** How many wait for a turn of their own. */
export function countWaiting(): number {
  return waitingCount;
}

/** To be told of each new connection. */
export function noteConnection(): void {
  if (connectingTurns === 0) {
    connectingSinceMs = performance.now();
    setImmediate(endTurn);
  }
  connectingTurns = 2;
}

/** Whether this turn is left to connections: one was made in it or in the one before. */
export function areConnecting(): boolean {
  if (connectingTurns === 0) return false;
  return (performance.now() - connectingSinceMs) % (CONNECTING_MS + OTHERS_MS) < CONNECTING_MS;
}

function endTurn(): void {
  connectingTurns -= 1;
  if (connectingTurns > 0) setImmediate(endTurn);
}
