/** A well-formed key that belongs to no account. */
export const STRANGER = 'plk_000000000000000000000000000000002XYaC2';

/** A `stranger` has a well-formed key that does not exist. */
type Read = 'page' | 'listing' | 'filtered' | 'complete list' | 'search' | 'stranger';
export type Kind = Read | 'create' | 'patch' | 'import';

export interface FloodOrder {
  port: number;
  /** Keys of the account that changes, of the account whose list is read, and one that belongs to no account. */
  keys: { changing: string; listing: string; stranger: string };
  /** Whether rejected requests have their keys looked up; not if the database is the bottleneck. */
  isKeyAsked: boolean;
  listingIds: readonly string[];
  /** Part of the created listings' addresses. */
  name: string;
  seed: number;
  /** Requests per second, open loop with random intervals (Poisson), or equal ones. */
  perSecond?: number;
  isSteady?: boolean;
  /** Instead of `perSecond`: closed loop with this many requests in flight. */
  inFlight?: number;
  /** Requests are abandoned after this time. */
  patienceSeconds: number;
  /** Kinds of requests, with their shares. */
  mix?: [kind: Kind, share: number][];
  /** Connections that are opened beforehand. */
  connections?: number;
  /** Idle connections above this number are closed. */
  idleMax?: number;
  /** One in this many requests uses a new connection. */
  freshEvery?: number;
  /** Requests due earlier are not timed (`clockMs`). */
  timedFromMs?: number;
}

/** Milliseconds, comparable between processes. */
export function clockMs(): number {
  return performance.timeOrigin + performance.now();
}

export interface FloodCounts {
  due: number;
  /** Dropped, because all connections were busy. */
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
  /** Latencies are measured from the due time to the end of the response. */
  p50Ms: number;
  p99Ms: number;
  readP99Ms: number;
  writeP99Ms: number;
  slowestMs: number;
  /** Timed responses with 503 or 429. */
  refused: number;
  refusedP99Ms: number;
  ownDelayMs: number;
}
