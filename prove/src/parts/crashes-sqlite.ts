import { spawnSync } from 'node:child_process';
import type { Fault, Outcome, Part, Trial } from '../part.ts';
import { createRandom } from '../random.ts';
import { type Crashed, type Crashes, crashAgainAndAgain } from './crashes-sqlite/crash.ts';
import { killAtOnce, killSome } from './crashes-sqlite/kill.ts';
import { preparePowerLoss } from './crashes-sqlite/power-loss.ts';

const CONNECTION = 'server/src/storage/sqlite/open-connection.ts';

/** A service that asks SQLite for less than it promises, and does not notice. */
function asksFor(mode: string, number: number) {
  return [
    { file: CONNECTION, from: 'pragma synchronous = full;', to: `pragma synchronous = ${mode};` },
    { file: CONNECTION, from: "expectPragma(database, 'synchronous', 2);", to: `// It is ${number}.` },
  ];
}

const faults: readonly Fault[] = [
  {
    name: 'late-commit',
    what: 'Writes are answered 20 ms before their commit',
    patches: [
      {
        file: 'server/src/storage/sqlite/write-queue.ts',
        from: 'this.#commit();\n        for (const answer of answers) answer();',
        to: 'for (const answer of answers) answer(); await sleep(20); this.#commit();',
      },
    ],
  },
  {
    name: 'removed-log',
    what: "A log that a crash has left is taken for rubbish at the service's start",
    patches: [
      {
        file: 'server/src/storage/sqlite.ts',
        from: 'const writer = openConnection(path);',
        to: "process.getBuiltinModule('fs').rmSync(path + '-wal', { force: true }); const writer = openConnection(path);",
      },
    ],
  },
  {
    name: 'unsynced-directory',
    what: 'A directory that the service makes is not synced into its parent',
    patches: [{ file: 'server/src/storage/sqlite.ts', from: 'syncNames(parent);', to: '' }],
  },
  { name: 'synchronous-off', what: 'SQLite syncs nothing (`synchronous=OFF`)', patches: asksFor('off', 0) },
  {
    name: 'synchronous-normal',
    what: 'SQLite syncs only at a checkpoint (`synchronous=NORMAL`)',
    patches: asksFor('normal', 1),
  },
];

/** How often a service is killed or loses power, of one process and of two workers. */
const SIZES = {
  full: { kills: [100, 100], losses: [25, 25] },
  small: { kills: [1, 1], losses: [2, 0] },
} as const;

/** Whatever ends the service or the machine, what was acknowledged is there afterwards. */
export const crashesSqlite: Part = {
  name: 'crashes-sqlite',
  title: 'Crashes, SQLite',
  promise: 'What was acknowledged outlives a crash and a power loss, and what was not is there whole or not at all.',
  faults,
  run,
};

async function run(trial: Trial): Promise<Outcome> {
  const size = SIZES[trial.size];
  const random = createRandom(trial.seed);
  const crew = { WORKERS: '2' };
  const losePower = (name: string, count: number, settings: Record<string, string>) =>
    crashAgainAndAgain({ trial, random, name, count, end: killAtOnce, ...preparePowerLoss(trial, random, settings) });
  const kill = (name: string, count: number, end: Crashes['end'], settings: Record<string, string>) =>
    crashAgainAndAgain({ trial, random, name, count, end, settings });

  const skipped = spawnSync('cc', ['--version']).error === undefined ? [] : ['Power loss: there is no C compiler, cc.'];
  const lost: Crashed[] = [];
  if (skipped.length === 0) {
    lost.push(await losePower('power loss of one process', size.losses[0], {}));
    if (size.losses[1] > 0) lost.push(await losePower('power loss of two workers', size.losses[1], crew));
  }
  const killed = [
    await kill('kill of one process', size.kills[0], killAtOnce, {}),
    await kill('kill of two workers', size.kills[1], killSome, crew),
  ];
  return describe(killed, lost, skipped);
}

function describe(killed: Crashed[], lost: Crashed[], skipped: string[]): Outcome {
  const all = [...killed, ...lost];
  const sum = (crashed: readonly Crashed[], what: keyof Crashed) =>
    crashed.reduce((total, each) => total + each[what], 0).toLocaleString('en');
  const powerLosses = lost.length === 0 ? '' : `, ${sum(lost, 'crashes')} × power loss`;
  return {
    tried: `${sum(killed, 'crashes')} × kill -9${powerLosses} at random moments under load, half with one process and half with two workers`,
    figure: `0 of ${sum(all, 'acknowledged')} acknowledged writes lost`,
    figures: [
      ['kill -9 of a service of one process', sum(killed.slice(0, 1), 'crashes')],
      [
        'kill -9 of a service of two workers: of all, of one worker, or of the first process',
        sum(killed.slice(1), 'crashes'),
      ],
      ['acknowledged writes before these', sum(killed, 'acknowledged')],
      ['power losses', sum(lost, 'crashes')],
      ['acknowledged writes before these', sum(lost, 'acknowledged')],
      ['writes whose connection was lost, sent again', sum(all, 'lost')],
      ['of these done before, and not done again', sum(all, 'replayed')],
      ['writes of which nobody knows what came of them', sum(all, 'unknown')],
      ['of these there, as a whole', sum(all, 'unknownKept')],
    ],
    skipped,
  };
}
