import assert from 'node:assert/strict';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { test } from 'node:test';
import { defer } from '../../../testkit/src/cleanup.ts';
import { until } from '../../../testkit/src/until.ts';
import { collectSoon } from '../../src/lib/garbage.ts';

test('V8 collects garbage of the old generation soon after it is asked to, and memory does not grow', async (t) => {
  let collections = 0;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (Object(entry).detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections += 1;
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  defer(t, () => observer.disconnect());
  const { rss } = process.memoryUsage();
  for (let round = 1; round <= 3; round += 1) {
    const before = collections;
    collectSoon();
    await until('garbage is collected', () => collections > before);
  }
  assert.ok(process.memoryUsage().rss - rss < 40 * 1024 * 1024);
});
