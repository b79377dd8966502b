import { type RateLimiterAbstract, RateLimiterMemory } from 'rate-limiter-flexible';

/** So many points in so many seconds, which begin with the first point. */
export interface Allowance {
  points: number;
  seconds: number;
}

export type Limiter = RateLimiterAbstract;

/**
 * What counts points: the one place that decides where, so far in the memory of this process. An entry takes 0.4 KiB
 * and a timer, and is gone when its seconds are over. Take points by `penalty`, which tells how many were taken:
 * `consume` refuses by an exception, which takes five times as long.
 */
export function createLimiter({ points, seconds }: Allowance): Limiter {
  // Joining the library's prefix to each key would take as long as the rest.
  return new RateLimiterMemory({ points, duration: seconds, keyPrefix: '' });
}
