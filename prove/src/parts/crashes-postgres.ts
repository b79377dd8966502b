import { formatCount } from '../../../bench/src/formats.ts';
import type { Halt } from '../../../testkit/src/postgres.ts';
import { createRandom } from '../../../testkit/src/random.ts';
import type { Part, Trial } from '../part.ts';
import { type Course, failOver, type Stage, setUp, workOn } from './crashes-postgres/stage.ts';

const SIZES = {
  full: { kills: 50, restarts: 50, failovers: 5 },
  small: { kills: 1, restarts: 1, failovers: 1 },
} as const;
/** The small form runs only the first course, which is the hardest. */
const COURSES: readonly Course[] = ['standby gone and server restarted before', 'at once', 'standby gone before'];
/** The maximum number of acknowledged writes before a halt. */
const ACKNOWLEDGED_MAX = 60;
/** Enough cuts to include requests without an Idempotency-Key, because only these reveal some planted faults. */
const CUTS_MIN = 24;

export const crashesPostgres: Part = {
  name: 'crashes-postgres',
  title: 'Crashes, PostgreSQL',
  promise:
    'Whatever happens to the PostgreSQL server, no acknowledged write is lost or executed twice, and the service recovers on its own.',
  async run(trial) {
    const { kills, restarts, failovers } = SIZES[trial.size];
    const random = createRandom(trial.seed);
    const stage = await setUp(trial);
    const restarting = Array.from({ length: restarts }, (_, index) => (index % 2 === 0 ? 'fast' : 'immediate'));
    const halts: readonly Halt[] = [...Array<Halt>(kills).fill('SIGKILL'), ...restarting];
    const backMs: number[] = [];
    for (const [index, how] of halts.entries()) {
      if (index % 10 === 0) trial.say(`halted ${index} of ${halts.length} times`);
      await workOn(stage, 1 + random.upTo(ACKNOWLEDGED_MAX));
      backMs.push(await haltOnce(stage, how, random.next() < 0.5));
    }
    if (trial.plantedFault !== undefined) await stage.expect('commits are cut', () => stage.cuts >= CUTS_MIN);
    for (let count = 0; count < failovers; count += 1) {
      trial.say(`${count} of ${failovers} failovers`);
      await failOver(stage, trial, `standby_${count}`, COURSES[count % COURSES.length] ?? 'at once');
    }
    const changes = await stage.finish();
    return describe(trial, stage, changes, backMs);
  },
};

async function haltOnce({ server, told, expect }: Stage, how: Halt, isNoticed: boolean): Promise<number> {
  const refused = told('unavailable');
  await server.halt(how);
  // Clients do not always notice a server that restarts at once.
  if (isNoticed) await expect('a client gets `unavailable`', () => told('unavailable') > refused);
  await server.start();
  const startTimeMs = performance.now();
  const acknowledged = told('acknowledged');
  await expect('a write is acknowledged again', () => told('acknowledged') > acknowledged);
  return performance.now() - startTimeMs;
}

function describe({ size }: Trial, { told, cuts }: Stage, changes: number, backMs: number[]) {
  const { kills, restarts, failovers } = SIZES[size];
  const sorted = backMs.toSorted((one, other) => one - other);
  const back = (share: number) => `${Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0)} ms`;
  const count = (what: string) => formatCount(told(what));
  return {
    tried: `${kills} × \`kill -9\` of all server processes, ${restarts} × restart, ${failovers} × failover to a synchronous standby, under load from two services`,
    figure: `0 of ${count('acknowledged')} acknowledged writes lost or executed twice`,
    figures: [
      ['stored changes, including imported rows', formatCount(changes)],
      ['acknowledged writes · reads', `${count('acknowledged')} · ${count('read')}`],
      ['`unavailable`: nothing was written', count('unavailable')],
      ['`outcome_unknown`', count('outcome_unknown')],
      ['of these, retried and replayed', count('replayed')],
      ['lists and event pages cut off after their first byte, because the database was lost', count('cut')],
      ['commits whose request or response was lost', formatCount(cuts)],
      ['time until the first acknowledged write after a restart, median · longest', `${back(0.5)} · ${back(1)}`],
    ] as const,
  };
}
