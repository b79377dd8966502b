import { AppError } from '../../model/errors.ts';
import { type FeedCounts, type FeedSettings, parseLimit } from '../../model/feeds.ts';

export interface GuardReason {
  reason: 'empty' | 'cut' | 'missing' | 'failed';
  message: string;
  count?: number;
  limit?: number;
}

export interface JudgedPlan {
  counts: FeedCounts;
  /** The line of the row in which the file ends, if the file is cut short. */
  cutLine: number | undefined;
  /** The number of the feed's listings, and of those that the run would treat as missing for the first time. */
  listings: number;
  newlyMissing: number;
}

/** The minimum limit for a percentage; otherwise, a single missing listing would stop the run of a small feed. */
const MISSING_MIN = 5;

/** Returns the reasons why the plan must not be applied. Without `limits`, checks only the file itself. */
export function judge(
  { counts, cutLine, listings, newlyMissing }: JudgedPlan,
  limits: Pick<FeedSettings, 'missingMax' | 'failedMax'> | undefined,
): GuardReason[] {
  const reasons: GuardReason[] = [];
  if (cutLine !== undefined) {
    reasons.push({ reason: 'cut', message: `the file ends in the middle of the row on line ${cutLine}` });
  }
  if (counts.rows === 0) reasons.push({ reason: 'empty', message: 'the file has no rows' });
  if (limits === undefined) return reasons;
  const missing = { count: newlyMissing, limit: limitOf(limits.missingMax, listings, MISSING_MIN) };
  if (missing.count > missing.limit) {
    const message = `${missing.count} of the feed's ${listings} listings are missing from the file, and the limit is ${missing.limit}`;
    reasons.push({ reason: 'missing', message, ...missing });
  }
  const failed = { count: counts.failed, limit: limitOf(limits.failedMax, counts.rows, 0) };
  if (failed.count > failed.limit) {
    const message = `${failed.count} of ${counts.rows} rows failed, and the limit is ${failed.limit}`;
    reasons.push({ reason: 'failed', message, ...failed });
  }
  return reasons;
}

function limitOf(text: string, total: number, minimum: number): number {
  const limit = parseLimit(text)?.(total) ?? 0;
  return text.endsWith('%') ? Math.max(limit, minimum) : limit;
}

/**
 * @param isAccepted whether the request has accepted the plan's failures, which then do not count toward the limit
 * @throws {AppError} `feed_guard` if more rows have failed than planned, and more than the limit allows
 */
export function requireFewFailures(
  plan: JudgedPlan,
  { counts }: { counts: FeedCounts },
  limits: Pick<FeedSettings, 'missingMax' | 'failedMax'>,
  { planId, isAccepted }: { planId: string; isAccepted: boolean },
): void {
  const unplanned = counts.failed - plan.counts.failed;
  if (unplanned <= 0) return;
  const failed = isAccepted ? unplanned : counts.failed;
  const uncounted = isAccepted ? `, not counting the failed rows of the accepted plan (${plan.counts.failed})` : '';
  const reasons = judge({ ...plan, counts: { ...counts, failed }, newlyMissing: 0 }, limits);
  const tooMany = reasons.find(({ reason }) => reason === 'failed');
  if (tooMany === undefined) return;
  const changed = counts.created + counts.updated;
  const message =
    `The run stopped early, after it had changed ${countListings(changed)}, because listings or quotas have changed ` +
    `since the plan was made: ${tooMany.message}${uncounted}. Missing listings were not withdrawn or deleted. ` +
    `Correct the failed rows; to proceed anyway, send the file again with failedMax=${counts.failed}.`;
  throw new AppError('feed_guard', message, { members: { reasons: [tooMany], plan: plan.counts, planId } });
}

export function countListings(count: number): string {
  return count === 1 ? '1 listing' : `${count} listings`;
}

export function stoppedByGuard(reasons: GuardReason[], members: Record<string, unknown>): AppError {
  const parameters = reasons.flatMap(({ reason, count }) => (count === undefined ? [] : [`${reason}Max=${count}`]));
  const isFileWrong = parameters.length < reasons.length;
  const check = reasons.every(({ reason }) => reason === 'failed') ? 'Correct the failed rows' : 'Check the file';
  const remedy = isFileWrong
    ? 'Send the complete file.'
    : `${check}; to proceed anyway, send the file again with ${parameters.join('&')}.`;
  const message = `Nothing was changed: ${reasons.map((each) => each.message).join('; ')}. ${remedy}`;
  return new AppError('feed_guard', message, { members: { reasons, ...members } });
}
