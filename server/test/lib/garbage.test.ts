import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
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

/** As in `bin/v8-flags.js`, and one thread for marking. */
const FLAGS = ['--max-semi-space-size=4', '--initial-old-space-size=24', '--concurrent-marking-max-worker-num=1'];
const MODULE = new URL('../../src/lib/garbage.ts', import.meta.url).href;

/** Allocates live objects until the young generation has more than 8 MB, then awaits `untilMarkingEnds`. Prints both sizes. */
const GROW = `
  const { getHeapSpaceStatistics } = await import('node:v8');
  const { untilMarkingEnds } = await import(${JSON.stringify(MODULE)});
  const young = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_used_size / 1024 / 1024;
  const live = [];
  // On a busy machine, marking can end while this loop waits, so it waits only after every 16th allocation.
  for (let round = 0; round < 100 && young() <= 8; round += 1) {
    for (live.length = 0; young() <= 8 && live.length < 2_000; ) {
      live.push(Array.from({ length: 2_000 }, (_, index) => ({ index })));
      if (live.length % 16 === 0) await new Promise(setImmediate);
    }
  }
  const before = young();
  // On a busy machine, marking can take longer than one call waits.
  for (let calls = 0; calls < 50 && young() > 4; calls += 1) await untilMarkingEnds();
  console.log(JSON.stringify([before, young()]));
`;

function grow(...flags: string[]): [number, number] {
  const text = execFileSync(process.execPath, [...flags, '--input-type=module', '--eval', GROW], { encoding: 'utf8' });
  return JSON.parse(text);
}

test('work can wait for the end of the marking, during which the young generation is larger than its maximum', () => {
  const [before, after] = grow(...FLAGS);
  assert.ok(before > 8, `${before} MB`);
  assert.ok(after <= 4, `${after} MB`);
});

test('with another maximum, work does not wait for the marking', () => {
  const [before, after] = grow();
  assert.ok(before > 8, `${before} MB`);
  assert.ok(after >= before, `${after} MB`);
});
