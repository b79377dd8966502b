import { type PowerLoss, preparePowerLoss, whyNoPowerLoss } from '../../../testkit/src/power-loss.ts';
import { createRandom } from '../../../testkit/src/random.ts';
import type { Outcome, Part, Trial } from '../part.ts';
import { readFaults } from '../planted-faults.ts';
import { type Crashed, type Crashes, crashAgainAndAgain, killAtOnce, killSome } from './crashes-sqlite/crash.ts';

/** How often a service is killed or loses power: first with one process, then with two workers. */
const SIZES = { full: { kills: [100, 100], losses: [25, 25] }, small: { kills: [0, 1], losses: [2, 0] } } as const;

const whyNot = whyNoPowerLoss();

export const crashesSqlite: Part = {
  name: 'crashes-sqlite',
  title: 'Crashes, SQLite',
  promise: 'Acknowledged writes survive crashes and power loss; all others are stored whole or not at all.',
  plantedFaults: readFaults('crashes-sqlite').filter(({ needs }) => whyNot === undefined || needs === undefined),
  run,
};

async function run(trial: Trial): Promise<Outcome> {
  const size = SIZES[trial.size];
  const random = createRandom(trial.seed);
  const crew = { WORKERS: '2' };
  const kill = (name: string, count: number, end: Crashes['end'], settings: Record<string, string>) =>
    crashAgainAndAgain({ trial, random, name, count, end, settings });
  const losePower = async (name: string, count: number, settings: Record<string, string>) => {
    const power = preparePowerLoss(trial.directory, random, settings);
    return { ...(await crashAgainAndAgain({ trial, random, name, count, end: killAtOnce, ...power })), ...power.sums };
  };

  const lost: PowerLost[] = [];
  if (whyNot === undefined) {
    lost.push(await losePower('power loss of one process', size.losses[0], {}));
    lost.push(await losePower('power loss of two workers', size.losses[1], crew));
  }
  const killed = [
    await kill('kill of one process', size.kills[0], killAtOnce, {}),
    await kill('kill of two workers', size.kills[1], killSome, crew),
  ];
  return describe(killed, lost);
}

type PowerLost = Crashed & PowerLoss['sums'];

function describe(killed: Crashed[], lost: PowerLost[]): Outcome {
  const all = [...killed, ...lost];
  const powerLosses = lost.length === 0 ? '' : ` and ${sum(lost, 'crashes')} × power loss`;
  return {
    tried: `${sum(killed, 'crashes')} × \`kill -9\`${powerLosses} at random moments under load, with one process and with two workers`,
    figure: `0 of ${sum(all, 'acknowledged')} acknowledged writes lost`,
    figures: [
      ['`kill -9` of a service with one process', sum(killed.slice(0, 1), 'crashes')],
      ['`kill -9` with two workers: all processes, one worker, or the first process', sum(killed.slice(1), 'crashes')],
      ['crashes during a restart', sum(all, 'halfStarts')],
      ['power losses under load', sum(lost, 'crashes')],
      ['power losses in total, including those during setup and startup', sum(lost, 'losses')],
      ['of these, with unsynced data', sum(lost, 'unsynced')],
      ['of these, during a checkpoint', sum(lost, 'inCheckpoint')],
      ['acknowledged writes before a `kill -9`', sum(killed, 'acknowledged')],
      ['acknowledged writes before a power loss', sum(lost, 'acknowledged')],
      ['requests whose connection was lost', sum(all, 'lost')],
      ['writes that were retried and replayed', sum(all, 'replayed')],
      ['writes with an unknown outcome (no Idempotency-Key)', sum(all, 'unknown')],
      ['of these, stored completely', sum(all, 'unknownKept')],
    ],
    skipped: whyNot === undefined ? [] : [whyNot],
  };
}

function sum<T extends string>(crashed: readonly Record<T, number>[], what: T): string {
  return crashed.reduce((total, each) => total + each[what], 0).toLocaleString('en');
}
