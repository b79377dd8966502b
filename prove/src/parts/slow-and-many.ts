import assert from 'node:assert/strict';
import { drive, type Load } from '../../../bench/src/driver.ts';
import { formatCount, formatGrowth, formatMs, formatRatio } from '../../../bench/src/formats.ts';
import { residentBytesOf, watchPeak } from '../../../bench/src/process-stats.ts';
import { createDatabase } from '../../../testkit/src/database.ts';
import { assertKept } from '../../../testkit/src/ledger.ts';
import type { ServeProcess } from '../../../testkit/src/process.ts';
import type { Outcome, Part, Patch, Trial } from '../part.ts';
import { countSockets, createTenant, serve, withPatches } from '../service.ts';
import { fill, normalCalls } from './slow-and-many/normal-calls.ts';
import { besiege, type Phase, phasesOf } from './slow-and-many/phases.ts';
import { assertHeld, assertTurnedAway } from './slow-and-many/turned-away.ts';

const BEFORE_SECONDS = { full: 10, small: 1 };
/** How long the first measurement of a phase takes, during which the phase's connections open. */
const OPENING_SECONDS = { full: 5, small: 0.3 };
const BYTE_INTERVAL_MS = { full: 1_000, small: 100 };
const CONNECTIONS = 8;
const REQUESTS_PER_SECOND = 100;
/** How a normal client fails if the service ends or closes its connection. */
const LOST = /^the server closed the connection$|\bE(CONNRESET|CONNREFUSED|PIPE)\b/;
/** Shorter timeouts for the small form, which cannot wait for minutes. */
const SHORT_PATIENCE: readonly Patch[] = [
  ['HEADERS_TIMEOUT_MS', '10_000', '2_000'],
  ['KEEP_ALIVE_TIMEOUT_MS', '65_000', '3_000'],
  ['server:IDLE_TIMEOUT_MS', '75_000', '4_000'],
  ['DURATION_MAX_MS', '60_000', '3_000'],
];

export const slowAndMany: Part = {
  name: 'slow-and-many',
  title: 'Slow and many',
  promise:
    'Clients that send slowly, never read, or only hold connections open use few resources and are eventually disconnected.',
  run,
};

async function run(trial: Trial): Promise<Outcome> {
  const tenant = await createTenant(trial);
  const { key } = tenant;
  const service = await serve(trial.size === 'full' ? trial : withPatches(trial, SHORT_PATIENCE));
  const ledger = await fill(service.url, key, trial);
  const port = Number(new URL(service.url).port);
  const next = await normalCalls(port, key, ledger);
  const drivers = { port, connections: CONNECTIONS, next, perSecond: REQUESTS_PER_SECOND };
  const load = (seconds: number) => drive({ ...drivers, seconds }).catch(failNormal);
  const before = await load(BEFORE_SECONDS[trial.size]);
  const { phases, skipped } = phasesOf(trial, key);
  const told: (readonly [string, string])[] = [['p99 of normal clients before', `${formatMs(before.p99Ms)} ms`]];
  let requests = before.requests;
  for (const phase of phases) {
    trial.say(phase.name);
    const { opening, during, held, growthBytes } = await stand(service, phase, trial, load);
    requests += opening.requests + during.requests;
    const early = `p99 in the first ${OPENING_SECONDS[trial.size]} s, while connections open`;
    const ratio = formatRatio(during.p99Ms / before.p99Ms);
    told.push(
      [`${early}: ${phase.name}`, `${formatMs(opening.p99Ms)} ms`],
      [`p99 during: ${phase.name}`, `${formatMs(during.p99Ms)} ms, ${ratio} × before`],
      [`memory during: ${phase.name}`, formatGrowth(growthBytes)],
      [`open connections halfway through: ${phase.name}`, held],
    );
  }
  trial.say('comparing with the stored state');
  await assertKept(service.url, tenant, await createDatabase(trial.directory, 'sqlite'), ledger);
  assert.equal(await service.end(), 0, 'the service did not exit with 0');
  const crowd = phases.flatMap(({ crowds }) => crowds).reduce((sum, { count }) => sum + count, 0);
  return {
    tried: `${phases.map(({ name }) => name).join('; ')}; for ${phases[0]?.seconds} s each, alongside ${REQUESTS_PER_SECOND} normal requests per second`,
    figure: `0 of ${formatCount(requests)} normal requests failed; 0 of ${formatCount(crowd)} connections remained open`,
    figures: told,
    skipped,
  };
}

function failNormal(error: Error): never {
  assert.ok(!LOST.test(error.message), `a normal client lost its connection: ${error.message}`);
  assert.fail(`a normal client failed: ${error.message}`);
}

/** @throws AssertionError if a normal request fails, memory grows too much, or a connection stays open */
async function stand(
  service: ServeProcess,
  { name, crowds, seconds, growthMaxBytes }: Phase,
  { size }: Trial,
  load: (seconds: number) => Promise<Load>,
): Promise<{ opening: Load; during: Load; held: string; growthBytes: number }> {
  const pid = Number(service.child.pid);
  const socketsBefore = countSockets(pid);
  const bytesBefore = residentBytesOf(pid) ?? 0;
  const port = Number(new URL(service.url).port);
  const { result, peakBytes } = await watchPeak(pid, async () => {
    const opened = Promise.all(crowds.map((crowd) => besiege(port, crowd, BYTE_INTERVAL_MS[size])));
    const [opening, sieges] = await Promise.all([load(OPENING_SECONDS[size]), opened]);
    const othersCount = socketsBefore + CONNECTIONS;
    const [during, held] = await Promise.all([load(seconds), assertHeld(service, sieges, { seconds, othersCount })]);
    for (const siege of sieges) siege.lift();
    await assertTurnedAway(service, sieges, size, socketsBefore);
    for (const siege of sieges) siege.end();
    return { opening, during, held };
  });
  const growthBytes = peakBytes - bytesBefore;
  assert.ok(growthBytes < growthMaxBytes, `${name}: memory grew by ${formatGrowth(growthBytes)}`);
  return { ...result, growthBytes };
}
