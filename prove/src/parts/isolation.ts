import assert from 'node:assert/strict';
import { openOperator } from '../../../testkit/src/operator.ts';
import { serveFor } from '../../../testkit/src/serving.ts';
import type { Outcome, Part, Trial } from '../part.ts';
import { assertQuietLog, stateOf } from './isolation/aftermath.ts';
import { Canaries } from './isolation/canaries.ts';
import { type Ground, preparePostgres, prepareSqlite } from './isolation/grounds.ts';
import { mixAccounts } from './isolation/mix.ts';
import { ON_POSTGRES, plantedFaults } from './isolation/planted-faults.ts';
import { assertAbout, assertHeld } from './isolation/statement-log.ts';
import { askForTheirs } from './isolation/trier.ts';
import { assertHeldApart } from './isolation/waiting.ts';
import { Wire } from './isolation/wire.ts';
import { createWorld } from './isolation/world.ts';

const CONNECTIONS = 4;
const MIXES = { full: { connections: 6, requests: 300 }, small: { connections: 2, requests: 40 } };

/**
 * What is asked for stands in `asks.ts`, who asks for it in `tasks.ts`; `trier.ts` sends that and judges each answer,
 * `mix.ts` likewise while two accounts ask at once, `waiting.ts` while they wait. Then `statement-log.ts` judges what was
 * run on the database, and `aftermath.ts` what was logged.
 */
export const isolation: Part = {
  name: 'isolation',
  title: 'Isolation',
  promise: 'Nobody learns anything of an account that is not theirs, not even whether something is there.',
  plantedFaults,
  run: runIsolation,
};

async function runIsolation(trial: Trial): Promise<Outcome> {
  const all: Tried[] = [];
  for (const prepare of groundsOf(trial)) all.push(await tryOn(await prepare(trial), trial));
  const sum = (count: (tried: Tried) => number) =>
    all.reduce((total, tried) => total + count(tried), 0).toLocaleString('en');
  return {
    tried: `${sum(({ requests }) => requests)} requests for what is others' or never was, by ${all[0]?.personas} credentials, and ${sum(({ mixed }) => mixed)} of two accounts at once`,
    figure: `0 of ${all[0]?.canaries} canaries seen by others, 0 answers that told whether something is there`,
    figures: [
      ...all.flatMap(figuresOf),
      ...[...new Set(all.flatMap(({ excepted }) => [...excepted]))].map(
        (why) => ['a statement without an account', why] as const,
      ),
    ],
  };
}

function groundsOf({ size, plantedFault }: Trial) {
  if (plantedFault === ON_POSTGRES) return [preparePostgres];
  return size === 'full' ? [prepareSqlite, preparePostgres] : [prepareSqlite];
}

/** What was done on one engine. */
interface Tried {
  engine: string;
  canaries: number;
  personas: number;
  operations: number;
  requests: number;
  megabytes: number;
  lines: number;
  mixed: number;
  statements: number;
  ofAccounts: number;
  runs: number;
  excepted: ReadonlySet<string>;
}

async function tryOn(ground: Ground, trial: Trial): Promise<Tried> {
  const { engine, log } = ground;
  const service = await serveFor(trial, ground.settings);
  const wire = new Wire(service.url, CONNECTIONS);
  trial.after(() => wire.close());
  const canaries = new Canaries(trial.seed);
  const world = await createWorld(service.url, wire, canaries, await openOperator(trial, ground.databaseUrl));
  const { ours, theirs, third } = world;
  trial.say(`${engine}: ${canaries.size} canaries in three accounts`);
  const before = await stateOf(world, theirs);
  await ground.settle(wire);
  const [runsBefore, linesBefore] = [(await log.read()).length, service.log.length];
  const asking = await askForTheirs(world, trial.size === 'full');
  trial.say(`${engine}: ${asking.requests} requests for what is others'`);
  const lines = await assertQuietLog(world, asking, service.log, linesBefore);
  await ground.settle(wire);
  const tables = await ground.readTables();
  const accountIds = new Set([ours.accountId, third.accountId]);
  const runs = assertAbout((await log.read()).slice(runsBefore), tables, accountIds);
  assert.equal(await stateOf(world, theirs), before, 'what others have asked for has changed something');
  await assertHeldApart(world);
  const mixed = await mixAccounts(world, asking.named, service.url, MIXES[trial.size]);
  const held = assertHeld(await log.read(), tables);
  assert.equal(await service.end(), 0);
  const { requests, bytes, personas } = asking;
  const megabytes = bytes / 1_000_000;
  return {
    engine,
    canaries: canaries.size,
    personas,
    operations: asking.operations.size,
    requests,
    megabytes,
    lines,
    mixed,
    runs,
    ...held,
  };
}

function figuresOf({ engine, operations, megabytes, lines, statements, ofAccounts, runs }: Tried): [string, string][] {
  const count = (number: number) => Math.round(number).toLocaleString('en');
  return [
    [`${engine}: methods and paths`, count(operations)],
    [`${engine}: answers, every byte of them searched`, `${count(megabytes)} MB`],
    [`${engine}: log lines searched`, count(lines)],
    [
      `${engine}: texts of statements`,
      `${statements}, ${ofAccounts} of them on accounts' tables, each held to an account or named below`,
    ],
    [`${engine}: statements that ran for whom they should`, count(runs)],
  ];
}
