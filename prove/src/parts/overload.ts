import assert from 'node:assert/strict';
import { createDatabase } from '../../../testkit/src/database.ts';
import { assertKept } from '../../../testkit/src/ledger.ts';
import type { Outcome, Part, Trial } from '../part.ts';
import { assertHonest, assertRefuses } from './overload/assertions.ts';
import { plantedFaults } from './overload/planted-faults.ts';
import { floodPostgres, floodSearches, floodWithLimits, floodWorkers } from './overload/settings.ts';
import { probeDuring, type Stage, setStage } from './overload/stage.ts';
import { loadInSteps } from './overload/steps.ts';

export const overload: Part = {
  name: 'overload',
  title: 'Overload',
  promise:
    'Whoever comes when too many are waiting is told at once when to come back, nothing of that is stored, and the others are answered as before.',
  plantedFaults,
  run: (trial) => (trial.size === 'full' ? runFull(trial) : runSmall(trial)),
};

/** More than any machine answers, and than may wait. */
const SMALL = { perSecond: 15_000, seconds: 1, connections: 2_500 };

async function runSmall(trial: Trial): Promise<Outcome> {
  const stage = await setStage(trial);
  const [report, { count }] = await probeDuring(stage.url, stage.flood(SMALL));
  assertHonest(report);
  assertRefuses(report);
  await assertOnlyAccepted(trial, stage);
  const after = await stage.flood({ kind: 'listing', inFlight: 1, seconds: 0.2 });
  assert.deepEqual(after.statuses, { 200: after.completed }, 'afterwards nobody is refused');
  return {
    tried: `${report.due} requests in ${SMALL.seconds} s`,
    figure: `${report.statuses[503]} refused, nothing of them stored`,
    figures: [['answers to /livez and /readyz meanwhile', String(count)]],
  };
}

async function runFull(trial: Trial): Promise<Outcome> {
  const stage = await setStage(trial);
  const { figures, skipped, capacity, ratio, worst } = await loadInSteps(trial, stage);
  trial.say('comparing with what is stored');
  await assertOnlyAccepted(trial, stage);
  const others = [
    await floodWithLimits(trial, capacity),
    await floodSearches(trial),
    await floodWorkers(trial),
    await floodPostgres(trial),
  ];
  return {
    tried: 'Requests that do not wait for replies, at 0.5, 1, 2, 5 and 10 times what the service can do',
    figure: `At ten times the load ${ratio.toFixed(2)} times as many answers as at one; p99 of the accepted ${worst}; 0 refused changes stored`,
    figures: [...figures, ...others.flat()],
    skipped,
  };
}

async function assertOnlyAccepted(trial: Trial, { url, tenant, ledger }: Stage): Promise<void> {
  await assertKept(url, tenant, await createDatabase(trial.directory, 'sqlite'), ledger);
}
