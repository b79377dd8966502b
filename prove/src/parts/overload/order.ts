/** A key whose checksum is right, and which no account has. */
export const STRANGER = 'plk_000000000000000000000000000000002XYaC2';

/** What a user may send. A stranger has a key that looks like one and is none. */
export type Kind = 'page' | 'listing' | 'create' | 'complete list' | 'search' | 'import' | 'stranger';

/** What is to be sent, by a process of its own. */
export interface FloodOrder {
  port: number;
  /** Whose listings are changed and read; whose complete list is read, which does not grow; and nobody's. */
  keys: { changing: string; listing: string; stranger: string };
  /** Whether a refused request's key is looked up: not where the database is what everybody waits for. */
  isKeyAsked: boolean;
  /** A listing that is read alone. */
  listingId: string;
  /** Stands in the address of whatever is created. */
  name: string;
  seed: number;
  seconds: number;
  /** So many requests become due in a second, at times left to chance (a Poisson process), whether or not others are answered. */
  perSecond?: number;
  /** Instead of `perSecond`: so many at a time, each followed by another. */
  inFlight?: number;
  /** Who has waited so long leaves. */
  patienceSeconds: number;
  /** Of which all are; left to chance if it is left out. */
  kind?: Kind;
  /** Open before the first request; more are opened as they are needed. */
  connections?: number;
  /** What becomes due before is not timed: it meets what was before. By the clock that all processes share (`clockMs`). */
  timedFromMs?: number;
}

/** Between processes, in milliseconds. */
export function clockMs(): number {
  return performance.timeOrigin + performance.now();
}

/** What came of it. */
export interface FloodReport {
  due: number;
  /** Became due when all connections were waiting for replies, and was given up. */
  unsent: number;
  /** Replies of 2xx that were timed. */
  completed: number;
  completedPerSecond: number;
  /** Of these, from when they became due until they were read whole. */
  p50Ms: number;
  p99Ms: number;
  slowestMs: number;
  /** How often each status was the reply. */
  statuses: Record<string, number>;
  /** Replies of 503 and 429 that were timed. */
  refused: number;
  refusedP99Ms: number;
  /** Replies that are not what they must be, and some of them in words. */
  faultCount: number;
  faults: string[];
  /** Requests whose sender left without a reply. */
  departed: number;
  /** Requests whose connection ended before the reply, by why. */
  lost: Record<string, number>;
  /** How late the process that sends was itself, at most. */
  ownDelayMs: number;
  /** Addresses of listings, by what was told of their creation. */
  told: { stored: string[]; refused: string[]; unknown: string[] };
}
