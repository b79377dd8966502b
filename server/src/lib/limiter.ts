import { type RateLimiterAbstract, RateLimiterMemory } from 'rate-limiter-flexible';

/** So many points in so many seconds, which begin with the first point. */
export interface Allowance {
  points: number;
  seconds: number;
}

/**
 * What counts points. Take them by `penalty`, which tells how many were taken: `consume` refuses by an exception, which
 * takes five times as long.
 */
export type Limiter = Pick<RateLimiterAbstract, 'points' | 'penalty' | 'reward' | 'delete'>;

/** Decides where points are counted. `name` tells limiters apart where several processes count together. */
export type CreateLimiter = (name: string, allowance: Allowance) => Limiter;

/** Counts in the memory of this process. An entry takes 0.4 KiB and a timer, and is gone when its seconds are over. */
export const createMemoryLimiter: CreateLimiter = (_name, { points, seconds }) =>
  // Joining a prefix to each key would take as long as the rest.
  new RateLimiterMemory({ points, duration: seconds, keyPrefix: '' });
