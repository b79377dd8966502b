import { randomBytes } from 'node:crypto';

/** So many use one link at the same time. */
export const AT_ONCE = 20;
/** So many guess. */
export const LANES = 16;

/** As long as those that there are. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url');
}

export function countOf(statuses: readonly number[], wanted: number): number {
  return statuses.filter((status) => status === wanted).length;
}

/** Such as `1 × 200, 19 × 404`. */
export function describe(statuses: readonly number[]): string {
  const groups = [...Map.groupBy(statuses, (status) => status)].toSorted(([a], [b]) => a - b);
  return groups.map(([status, those]) => `${those.length} × ${status}`).join(', ');
}
