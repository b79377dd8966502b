import {
  type RateLimiterAbstract,
  RateLimiterCluster,
  RateLimiterClusterMaster,
  RateLimiterMemory,
  RateLimiterPostgres,
  type RateLimiterRes,
} from 'rate-limiter-flexible';

/** So many points in so many seconds, which begin with the first point. */
export interface Allowance {
  points: number;
  seconds: number;
}

/** What is gone of the points after some were taken. */
export type Taken = Pick<RateLimiterRes, 'consumedPoints' | 'msBeforeNext'>;

/**
 * What counts points. Take them by `penalty`, which tells how many were taken: `consume` refuses by an exception, which
 * takes five times as long.
 */
export type Limiter = Pick<RateLimiterAbstract, 'points' | 'duration' | 'get' | 'penalty' | 'reward' | 'delete'>;

/** How long it takes until there are points again: never longer than all the seconds, also if the clock was set back. */
export function waitMsOf({ duration }: Pick<Limiter, 'duration'>, { msBeforeNext }: Taken): number {
  return Math.min(msBeforeNext, duration * 1000);
}

/** Decides where points are counted. `name` tells limiters apart where several processes count together. */
export type CreateLimiter = (name: string, allowance: Allowance) => Limiter;

/** Counts in the memory of this process. An entry takes 0.4 KiB and a timer, and is gone when its seconds are over. */
export const createMemoryLimiter: CreateLimiter = (_name, { points, seconds }) =>
  // Joining a prefix to each key would take as long as the rest.
  new RateLimiterMemory({ points, duration: seconds, keyPrefix: '' });

/** A request does not wait longer for the process that counts. */
const ANSWER_MAX_MS = 500;

/**
 * Counts in the memory of the first process of a cluster, for all its workers. When that one does not answer, each worker
 * counts for itself.
 */
export const createClusterLimiter: CreateLimiter = (name, allowance) => {
  const { points, seconds: duration } = allowance;
  const common = new RateLimiterCluster({ points, duration, keyPrefix: name, timeoutMs: ANSWER_MAX_MS });
  return withFallback(common, createMemoryLimiter(name, allowance), () => process.connected);
};

/** A PostgreSQL database with a table `rate_limits`, as the library asks it: a row is called by the limiter and the key. */
export interface CounterStore {
  query(query: { text: string; values: unknown[] }): Promise<{ rows: object[] }>;
}

/** Counts in a database, for all processes of all machines. When the database does not answer, `createOther` counts. */
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

/** Lets this process count for its workers. */
export function countForWorkers(): void {
  new RateLimiterClusterMaster();
}
