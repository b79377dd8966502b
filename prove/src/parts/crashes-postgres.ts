import type { Halt } from '../../../testkit/src/postgres.ts';
import type { Part, Trial } from '../part.ts';
import { createRandom } from '../random.ts';
import { type Course, failOver, workOn } from './crashes-postgres/failovers.ts';
import { plantedFaults } from './crashes-postgres/planted-faults.ts';
import { type Stage, setUp } from './crashes-postgres/stage.ts';

/** How often each is done. */
const SIZES = {
  full: { kills: 50, restarts: 50, failovers: 5 },
  small: { kills: 1, restarts: 1, failovers: 1 },
} as const;
/** The hardest first: the small form has no other. */
const COURSES: readonly Course[] = ['standby gone and server restarted before', 'at once', 'standby gone before'];
/** Acknowledged writes before a halt, at most. */
const ACKNOWLEDGED_MAX = 60;
/** Enough to cut requests without an Idempotency-Key, which planted faults need. */
const CUTS_MIN = 24;

export const crashesPostgres: Part = {
  name: 'crashes-postgres',
  title: 'Crashes, PostgreSQL',
  promise:
    'Whatever happens to the PostgreSQL server, no acknowledged write is lost or done twice, and the service recovers by itself.',
  plantedFaults,
  async run(trial) {
    const { kills, restarts, failovers } = SIZES[trial.size];
    const random = createRandom(trial.seed);
    const stage = await setUp(trial);
    const halts = Array.from({ length: kills + restarts }, (_, index): Halt => {
      if (index >= kills) return (index - kills) % 2 === 0 ? 'fast' : 'immediate';
      return 'SIGKILL';
    });
    const backMs: number[] = [];
    for (const [index, how] of halts.entries()) {
      if (index % 10 === 0) trial.say(`${index} of ${halts.length} times halted`);
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
  // Clients that find the server back at once notice nothing.
  if (isNoticed) await expect('a client gets `unavailable`', () => told('unavailable') > refused);
  await server.start();
  const startTimeMs = performance.now();
  const acknowledged = told('acknowledged');
  await expect('the service goes on', () => told('acknowledged') > acknowledged);
  return performance.now() - startTimeMs;
}

function describe({ size }: Trial, { told, cuts }: Stage, changes: number, backMs: number[]) {
  const { kills, restarts, failovers } = SIZES[size];
  const sorted = backMs.toSorted((one, other) => one - other);
  const back = (share: number) => `${Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0)} ms`;
  return {
    tried: `${kills} × kill -9 of all its processes, ${restarts} × restart, ${failovers} × failover to a synchronous standby, under load from two services`,
    figure: `0 of ${told('acknowledged').toLocaleString('en')} acknowledged writes lost or done twice`,
    figures: [
      ['changes stored, rows of imports among them', changes.toLocaleString('en')],
      [
        'requests acknowledged · read',
        `${told('acknowledged').toLocaleString('en')} · ${told('read').toLocaleString('en')}`,
      ],
      ['`unavailable`: nothing was written', told('unavailable').toLocaleString('en')],
      ['`outcome_unknown`', told('outcome_unknown').toLocaleString('en')],
      ['of these repeated and replayed', told('replayed').toLocaleString('en')],
      ['lists cut, because the database was lost after their first byte', told('cut').toLocaleString('en')],
      ['commits lost on the way there or back', cuts.toLocaleString('en')],
      ['first acknowledged write after the server is back, median · longest', `${back(0.5)} · ${back(1)}`],
    ] as const,
  };
}
