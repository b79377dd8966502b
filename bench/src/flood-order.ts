/** A well-formed key that belongs to no account. */
export const STRANGER = 'plk_000000000000000000000000000000002XYaC2';

/** A `stranger` is a read with a well-formed key that belongs to no account. */
type Read = 'page' | 'listing' | 'filtered' | 'complete list' | 'search' | 'stranger';
export type Kind = Read | 'create' | 'patch' | 'import';

export interface FloodOrder {
  port: number;
  /** The keys of an account to change and of an account whose list is read, and a key of no account. */
  keys: { changing: string; listing: string; stranger: string };
  /** Whether the service looks up the keys of all rejected requests. It does not while PostgreSQL is overloaded. */
  isKeyAsked: boolean;
  listingIds: readonly string[];
  /** A string that the addresses of all created listings contain. */
  name: string;
  seed: number;
  /** Requests per second in an open loop: at random intervals (Poisson), or at equal ones if `isSteady`. */
  perSecond?: number;
  isSteady?: boolean;
  /** Instead of `perSecond`: a closed loop that keeps this many requests in flight. */
  inFlight?: number;
  /** Requests are abandoned after this time. */
  patienceSeconds: number;
  /** The kinds of requests to send, with their shares. */
  mix?: [kind: Kind, share: number][];
  /** The number of connections that are opened in advance. */
  connections?: number;
  /** Idle connections above this number are closed. */
  idleMax?: number;
  /** One in this many requests uses a new connection. */
  freshEvery?: number;
  /** Requests that were due before this time (`clockMs`) are not timed. */
  timedFromMs?: number;
}

/** The current time in milliseconds, which can be compared between processes. */
export function clockMs(): number {
  return performance.timeOrigin + performance.now();
}

export interface FloodCounts {
  due: number;
  /** Requests that were dropped, because all connections were busy. */
  unsent: number;
  departed: number;
  statuses: Record<string, number>;
  /** The number of invalid responses, and examples of them. */
  faultCount: number;
  faults: string[];
  /** The number of connections that ended before the response, by reason. */
  lost: Record<string, number>;
  /** The addresses of the listings to create, by the outcome of the request. */
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
  /** The number of timed responses that are not 2xx, without those to `stranger`. */
  refused: number;
  refusedP99Ms: number;
  /** The longest delay of the flood's own event loop. */
  ownDelayMs: number;
}
