import { FairQueue } from './fair-queue.ts';

/**
 * Node.js accepts one connection per listening socket and turn of the event loop. While connections arrive,
 * turns are short for 10 of every 15 ms: otherwise, a client would wait for one long turn for each connection
 * ahead of it.
 */
const CONNECTING_MS = 10;
const OTHERS_MS = 5;
/** Waiting tasks continue in the same turn until they have taken this long. */
let tasksMs = 2;

const waiting = new FairQueue<string, () => void>();
let waitingCount = 0;
let isScheduled = false;
let holders = 0;
/** When the current series of connections began. */
let connectingSinceMs = 0;
/** The number of turns until the series ends, unless another connection arrives. */
let connectingTurns = 0;

/**
 * Yields to the event loop. Each turn resumes waiting tasks for 2 ms, or one task (`resumeOnePerTurn`), and
 * owners (account IDs) alternate, so other work waits for at most 2 ms and one long task.
 */
export function ownTurn(owner = ''): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  schedule();
  waiting.add(owner, resolve);
  waitingCount += 1;
  return promise;
}

/**
 * Makes each turn resume only one task. Call this if the database is a server: a resumed task then sends a query
 * and waits, and most of its work, processing the rows, happens in later turns.
 */
export function resumeOnePerTurn(): void {
  tasksMs = 0;
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

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(giveTurns);
}

async function giveTurns(): Promise<void> {
  const endMs = performance.now() + tasksMs;
  while (holders === 0 && !areConnecting()) {
    const resume = waiting.take();
    if (resume === undefined) break;
    waitingCount -= 1;
    resume();
    // Lets the task run up to its next await.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    if (performance.now() >= endMs) break;
  }
  isScheduled = false;
  if (!waiting.isEmpty) schedule();
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

export function noteConnection(): void {
  if (connectingTurns === 0) {
    connectingSinceMs = performance.now();
    setImmediate(endTurn);
  }
  connectingTurns = 2;
}

/** Whether this turn is reserved for accepting connections. */
export function areConnecting(): boolean {
  if (connectingTurns === 0) return false;
  return (performance.now() - connectingSinceMs) % (CONNECTING_MS + OTHERS_MS) < CONNECTING_MS;
}

function endTurn(): void {
  connectingTurns -= 1;
  if (connectingTurns > 0) setImmediate(endTurn);
}
