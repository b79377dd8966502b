/** A well-formed key that belongs to no account. */
export const STRANGER = 'plk_000000000000000000000000000000002XYaC2';

/** A `stranger` has a well-formed key that does not exist. */
export type Kind = 'page' | 'listing' | 'create' | 'complete list' | 'search' | 'import' | 'stranger';

/** Orders for the process that floods. */
export interface FloodOrder {
  port: number;
  /** Whose listings change; whose complete list is read; and no account's. */
  keys: { changing: string; listing: string; stranger: string };
  /** Whether a rejected request's key is looked up: not when the database is the bottleneck. */
  isKeyAsked: boolean;
  listingId: string;
  name: string;
  seed: number;
  seconds: number;
  /** Requests per second, open loop with random intervals (Poisson). */
  perSecond?: number;
  /** Instead of `perSecond`: closed loop with this many at a time. */
  inFlight?: number;
  /** Requests are abandoned after this time. */
  patienceSeconds: number;
  kind?: Kind;
  connections?: number;
  /** Requests due earlier are not timed (`clockMs`). */
  timedFromMs?: number;
}

/** Milliseconds, comparable between processes. */
export function clockMs(): number {
  return performance.timeOrigin + performance.now();
}

/** What is counted during a flood. */
export interface FloodCounts {
  due: number;
  /** Due when all connections were busy, and dropped. */
  unsent: number;
  departed: number;
  statuses: Record<string, number>;
  /** Invalid responses, and examples of them. */
  faultCount: number;
  faults: string[];
  /** Connections that ended before the response, by reason. */
  lost: Record<string, number>;
  /** Addresses of listings, by the outcome of their creation. */
  told: { stored: string[]; refused: string[]; unknown: string[] };
}

export interface FloodReport extends FloodCounts {
  completed: number;
  completedPerSecond: number;
  /** From due time to the end of the response. */
  p50Ms: number;
  p99Ms: number;
  slowestMs: number;
  /** Timed 503 and 429. */
  refused: number;
  refusedP99Ms: number;
  ownDelayMs: number;
}
