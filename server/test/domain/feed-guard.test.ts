import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireFewFailures } from '../../src/domain/feeds/feed-guard.ts';
import { emptyCounts } from '../../src/model/feeds.ts';

test('if a request has accepted the failures of a plan, only further failures count toward the limit', () => {
  const countsOf = (failed: number) => ({ ...emptyCounts(), rows: 1000, failed });
  const plan = { counts: countsOf(300), cutLine: 9, listings: 1000, newlyMissing: 500 };
  const limits = { missingMax: '20%', failedMax: '5%' };
  const judge = (failed: number, isAccepted: boolean) =>
    requireFewFailures(plan, { counts: countsOf(failed) }, limits, { planId: 'p', isAccepted });
  judge(300, false);
  judge(350, true);
  const message =
    /: 51 of 1000 rows failed, and the limit is 50, not counting the failed rows of the accepted plan \(300\)\..*failedMax=351/;
  assert.throws(() => judge(351, true), { code: 'feed_guard', message });
  assert.throws(() => judge(301, false), { code: 'feed_guard' });
});
