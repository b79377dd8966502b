import assert from 'node:assert/strict';
import { formatCount } from '../../../bench/src/formats.ts';
import { defer } from '../../../testkit/src/cleanup.ts';
import { openOperator } from '../../../testkit/src/operator.ts';
import { serveFor } from '../../../testkit/src/serving.ts';
import type { Outcome, Part, Trial } from '../part.ts';
import { assertHeldApart, assertQuietLog, stateOf } from './isolation/aftermath.ts';
import { Canaries } from './isolation/canaries.ts';
import { type Ground, preparePostgres, prepareSqlite } from './isolation/grounds.ts';
import { mixAccounts } from './isolation/mix.ts';
import { assertAbout, assertHeld } from './isolation/statement-log.ts';
import { Wire } from './isolation/tenant.ts';
import { askForTheirs } from './isolation/trier.ts';
import { createWorld } from './isolation/world.ts';

const CONNECTIONS = 4;
const MIXES = { full: { connections: 6, requests: 300 }, small: { connections: 2, requests: 40 } };

/**
 * `asks.ts` defines the requests and `personas.ts` their callers. `trier.ts` sends them and checks each
 * response, and `mix.ts` does the same with two accounts at once. Then `statement-log.ts` checks the SQL that
 * was executed, and `aftermath.ts` checks the service's log and long polls.
 */
export const isolation: Part = {
  name: 'isolation',
  title: 'Isolation',
  promise: 'No account can learn anything about another, not even whether an object exists.',
  run: runIsolation,
};

async function runIsolation(trial: Trial): Promise<Outcome> {
  const all: Tried[] = [];
  const onPostgres = trial.plantedFault?.needs === 'PostgreSQL';
  if (!onPostgres) all.push(await tryOn(await prepareSqlite(trial), trial));
  if (onPostgres || trial.size === 'full') all.push(await tryOn(await preparePostgres(trial), trial));
  const sum = (name: 'requests' | 'mixed') => formatCount(all.reduce((total, tried) => total + tried[name], 0));
  const reasons = new Set(all.flatMap(({ excepted }) => [...excepted]));
  return {
    tried: `${sum('requests')} requests for other accounts' objects or objects that never existed, with ${all[0]?.personas} credentials, and ${sum('mixed')} requests from two accounts at once`,
    figure: `0 of ${all[0]?.canaries} canaries visible to others, 0 responses that reveal whether an object exists`,
    figures: [
      ...all.flatMap(figuresOf),
      ...Array.from(reasons, (why) => ['a statement without an account', why] as const),
    ],
  };
}

type Tried = Awaited<ReturnType<typeof tryOn>>;

async function tryOn(ground: Ground, trial: Trial) {
  const { engine, readLog } = ground;
  const service = await serveFor(trial, ground.settings);
  const wire = new Wire(service.url, CONNECTIONS);
  defer(trial, () => wire.close());
  const canaries = new Canaries(trial.seed);
  const world = await createWorld(service.url, wire, canaries, await openOperator(trial, ground.databaseUrl));
  const { ours, theirs, third } = world;
  trial.say(`${engine}: ${canaries.size} canaries in three accounts`);
  const before = await stateOf(world, theirs);
  await ground.settle(wire);
  const [runsBefore, linesBefore] = [(await readLog()).length, service.log.length];
  const asking = await askForTheirs(world, trial.size === 'full');
  trial.say(`${engine}: ${asking.requests} requests for data of others`);
  const lines = await assertQuietLog(world, asking, service.log, linesBefore);
  await ground.settle(wire);
  const tables = await ground.readTables();
  const accountIds = new Set([ours.accountId, third.accountId]);
  const runs = assertAbout((await readLog()).slice(runsBefore), tables, accountIds);
  assert.equal(await stateOf(world, theirs), before, 'requests of others changed something');
  await assertHeldApart(world);
  const mixed = await mixAccounts(world, asking.named, service.url, MIXES[trial.size]);
  const held = assertHeld(await readLog(), tables);
  assert.equal(await service.end(), 0);
  const { requests, bytes, personas, operations } = asking;
  const sums = { canaries: canaries.size, operations: operations.size, megabytes: bytes / 1_000_000 };
  return { engine, personas, requests, lines, mixed, runs, ...sums, ...held };
}

function figuresOf({ engine, operations, megabytes, lines, statements, ofAccounts, runs }: Tried): [string, string][] {
  const bound = `${ofAccounts} of them on accounts' tables, each bound to an account or listed below`;
  return [
    [`${engine}: methods and paths`, formatCount(operations)],
    [`${engine}: responses, searched byte by byte`, `${formatCount(megabytes)} MB`],
    [`${engine}: log lines searched`, formatCount(lines)],
    [`${engine}: distinct SQL statements`, `${statements}, ${bound}`],
    [`${engine}: statements that ran for the right account`, formatCount(runs)],
  ];
}
