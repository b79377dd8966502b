import assert from 'node:assert/strict';
import { createDatabase } from '../../../testkit/src/database.ts';
import { assertKept } from '../../../testkit/src/ledger.ts';
import type { Outcome, Part, Trial } from '../part.ts';
import { floodPostgres, floodSearches, floodSetting, floodWithLimits } from './overload/settings.ts';
import { probeDuring, type Stage, setStage } from './overload/stage.ts';
import { assertHonest, assertRefuses, assertShed, loadInSteps } from './overload/steps.ts';

export const overload: Part = {
  name: 'overload',
  title: 'Overload',
  promise:
    'Under overload, excess requests are rejected at once with a `Retry-After` header, none of them is stored, and all others are served as before.',
  run: (trial) => (trial.size === 'full' ? runFull(trial) : runSmall(trial)),
};

/** The load of the small form, which is more than any machine can serve or queue. */
const SMALL = { perSecond: 15_000, seconds: 1, connections: 2_500 };

async function runSmall(trial: Trial): Promise<Outcome> {
  const stage = await setStage(trial);
  const [report, { count }] = await probeDuring(stage.url, stage.flood(SMALL));
  assertHonest(report);
  assertRefuses(report);
  await assertOnlyAccepted(trial, stage);
  const after = await stage.flood({ mix: [['listing', 1]], inFlight: 1, seconds: 0.2 });
  assert.deepEqual(after.statuses, { 200: after.completed }, 'a request is rejected after the overload');
  return {
    tried: `${report.due} requests in ${SMALL.seconds} s`,
    figure: `${report.statuses[503]} rejected, none of them stored`,
    figures: [['responses to /livez and /readyz during the overload', String(count)]],
  };
}

async function runFull(trial: Trial): Promise<Outcome> {
  const stage = await setStage(trial);
  const { figures, skipped, capacity, ratio, worst } = await loadInSteps(trial, stage);
  trial.say('comparing with the stored state');
  await assertOnlyAccepted(trial, stage);
  const others = [
    await floodWithLimits(trial, capacity),
    await floodSearches(trial),
    await floodSetting(trial, 'WORKERS=2', { settings: { WORKERS: '2' } }, assertShed),
    await floodPostgres(trial),
  ];
  return {
    tried: 'Open-loop load at 0.5, 1, 2, 5, and 10 times the capacity',
    figure: `At ten times the capacity, the throughput is ${ratio.toFixed(2)} of that at the capacity; p99 of accepted requests ${worst}; 0 rejected writes stored`,
    figures: [...figures, ...others.flat()],
    skipped,
  };
}

async function assertOnlyAccepted(trial: Trial, { url, tenant, ledger }: Stage): Promise<void> {
  await assertKept(url, tenant, await createDatabase(trial.directory, 'sqlite'), ledger);
}
