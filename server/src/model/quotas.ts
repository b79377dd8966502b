import type { Allowance } from '../lib/limiter.ts';

/** An account's limits, set by the operator; null means that the account has no limit of its own. */
export interface Quotas {
  listingsMax: number | null;
  /** The maximum stored bytes (`countBytes`), including histories and the former versions that are kept for 30 days. */
  bytesMax: number | null;
  /** The rate limit of each of the account's keys; overrides RATE_LIMIT. */
  rateLimit: Allowance | null;
}

export const OFF = 'off';

export function formatAllowance({ points, seconds }: Allowance): string {
  return `${points}/${seconds}s`;
}
