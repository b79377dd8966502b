import type { Outcome, Part, Trial } from '../part.ts';
import { createRandom } from '../random.ts';
import { type Crashed, type Crashes, crashAgainAndAgain } from './crashes-sqlite/crash.ts';
import { killAtOnce, killSome } from './crashes-sqlite/kill.ts';
import { crashFaults, powerFaults } from './crashes-sqlite/planted-faults.ts';
import { type PowerLoss, preparePowerLoss, whyNoPowerLoss } from './crashes-sqlite/power-loss.ts';

/** How often a service is killed or loses power, of one process and of two workers. */
const SIZES = {
  full: { kills: [100, 100], losses: [25, 25] },
  small: { kills: [0, 1], losses: [2, 0] },
} as const;

const whyNot = whyNoPowerLoss();

/** Acknowledged writes survive the end of the service or the machine. */
export const crashesSqlite: Part = {
  name: 'crashes-sqlite',
  title: 'Crashes, SQLite',
  promise: 'Acknowledged writes survive crashes and power loss; all others are stored whole or not at all.',
  plantedFaults: [...crashFaults, ...(whyNot === undefined ? powerFaults : [])],
  run,
};

async function run(trial: Trial): Promise<Outcome> {
  const size = SIZES[trial.size];
  const random = createRandom(trial.seed);
  const crew = { WORKERS: '2' };
  const kill = (name: string, count: number, end: Crashes['end'], settings: Record<string, string>) =>
    crashAgainAndAgain({ trial, random, name, count, end, settings });
  const losePower = async (name: string, count: number, settings: Record<string, string>) => {
    const power = preparePowerLoss(trial, random, settings);
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
    tried: `${sum(killed, 'crashes')} × \`kill -9\`${powerLosses} at random moments under load, of one process and of two workers`,
    figure: `0 of ${sum(all, 'acknowledged')} acknowledged writes lost`,
    figures: [
      ['`kill -9` of a service of one process', sum(killed.slice(0, 1), 'crashes')],
      ['`kill -9` with two workers: all processes, one worker, or the first process', sum(killed.slice(1), 'crashes')],
      ['of a service that was starting again', sum(all, 'halfStarts')],
      ['power losses under load', sum(lost, 'crashes')],
      ['power losses in all, including those during setup and start', sum(lost, 'losses')],
      ['of these with unsynced data', sum(lost, 'unsynced')],
      ['of these during a checkpoint', sum(lost, 'inCheckpoint')],
      ['acknowledged writes before a `kill -9`', sum(killed, 'acknowledged')],
      ['acknowledged writes before a power loss', sum(lost, 'acknowledged')],
      ['requests whose connection was lost', sum(all, 'lost')],
      ['writes that were repeated and replayed', sum(all, 'replayed')],
      ['writes with an unknown outcome (no Idempotency-Key)', sum(all, 'unknown')],
      ['of these stored, whole', sum(all, 'unknownKept')],
    ],
    skipped: whyNot === undefined ? [] : [whyNot],
  };
}

function sum<T extends string>(crashed: readonly Record<T, number>[], what: T): string {
  return crashed.reduce((total, each) => total + each[what], 0).toLocaleString('en');
}
