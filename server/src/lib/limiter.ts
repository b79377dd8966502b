import {
  type RateLimiterAbstract,
  RateLimiterCluster,
  RateLimiterClusterMaster,
  RateLimiterMemory,
  RateLimiterPostgres,
  type RateLimiterRes,
} from 'rate-limiter-flexible';

/** Points per window. A window lasts `seconds` and begins with its first point. */
export interface Allowance {
  points: number;
  seconds: number;
}

/** The state of a window after points were taken. */
export type Taken = Pick<RateLimiterRes, 'consumedPoints' | 'msBeforeNext'>;

/** Counts points. Use `penalty` to take them: `consume` throws when none are left, which takes five times as long. */
export type Limiter = Pick<RateLimiterAbstract, 'points' | 'duration' | 'get' | 'penalty' | 'reward' | 'delete'>;

/** The time until the window ends: never longer than its duration, even if the clock was set back. */
export function waitMsOf({ duration }: Pick<Limiter, 'duration'>, { msBeforeNext }: Taken): number {
  return Math.min(msBeforeNext, duration * 1000);
}

/** Creates a limiter. `name` distinguishes the limiters that several processes share. */
export type CreateLimiter = (name: string, allowance: Allowance) => Limiter;

/** Counts in the memory of this process. Until its window ends, an entry takes 0.4 KiB and a timer. */
export const createMemoryLimiter: CreateLimiter = (_name, { points, seconds }) =>
  // Prefixing a key would take as long as counting it.
  new RateLimiterMemory({ points, duration: seconds, keyPrefix: '' });

/** How long a request waits for the first process to count it. */
const ANSWER_MAX_MS = 500;

/** Counts in the first process of a cluster; while it does not respond, each worker counts for itself. */
export const createClusterLimiter: CreateLimiter = (name, allowance) => {
  const { points, seconds: duration } = allowance;
  const common = new RateLimiterCluster({ points, duration, keyPrefix: name, timeoutMs: ANSWER_MAX_MS });
  return withFallback(common, createMemoryLimiter(name, allowance), () => process.connected);
};

/** Runs the queries of `RateLimiterPostgres` on a PostgreSQL database with a `rate_limits` table. */
export interface CounterStore {
  query(query: { text: string; values: unknown[] }): Promise<{ rows: object[] }>;
}

/** Counts in a database that all machines share or, while it does not respond, in a limiter made by `createOther`. */
export function createDatabaseLimiters(store: CounterStore, createOther: CreateLimiter): CreateLimiter {
  return (name, allowance) => {
    const { points, seconds: duration } = allowance;
    const place = { storeClient: store, storeType: 'client', tableName: 'rate_limits', tableCreated: true };
    const common = new RateLimiterPostgres({ points, duration, keyPrefix: name, ...place });
    return withFallback(common, createOther(name, allowance), () => true);
  };
}

function withFallback(common: RateLimiterAbstract, other: Limiter, isThere: () => boolean): Limiter {
  const ask = <T>(work: (limiter: Limiter) => Promise<T>): Promise<T> =>
    isThere() ? work(common).catch(() => work(other)) : work(other);
  return {
    points: common.points,
    duration: common.duration,
    get: (key) => ask((limiter) => limiter.get(key)),
    penalty: (key, count) => ask((limiter) => limiter.penalty(key, count)),
    reward: (key, count) => ask((limiter) => limiter.reward(key, count)),
    delete: (key) => ask((limiter) => limiter.delete(key)),
  };
}

/** Makes this process count rate limits for its workers. */
export function countForWorkers(): void {
  new RateLimiterClusterMaster();
}
