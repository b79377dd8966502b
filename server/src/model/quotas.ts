import type { Allowance } from '../lib/limiter.ts';

/** What the operator lets an account use; null where there is no limit of its own. */
export interface Quotas {
  listingsMax: number | null;
  /** UTF-8 bytes of its listings, and of the versions that its events keep for 30 days. */
  bytesMax: number | null;
  /** For each of its keys, in place of RATE_LIMIT. */
  rateLimit: Allowance | null;
}

export const OFF = 'off';

export function formatAllowance({ points, seconds }: Allowance): string {
  return `${points}/${seconds}s`;
}
