import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { formatCount, formatMs, formatTable } from './formats.ts';
import { makeFile, makeListings, sendFile } from './imports.ts';
import { describeCommit, describeMachine, type Machine } from './machine.ts';
import { askDuring } from './neighbours.ts';
import { type Place, say } from './place.ts';
import { startPostgres } from './postgres/recordings.ts';
import { isQuiet, residentBytesOf, watchBusy, watchPeak } from './process-stats.ts';
import { formatTargets } from './report.ts';
import { sendCall, serializeCall } from './requests.ts';
import { createAccount, type Service, startService } from './service.ts';
import { greatest, median } from './statistics.ts';
import type { Target } from './targets.ts';

const ROOT = join(import.meta.dirname, '../..');
const CHANGED_PART = 0.01;
const RUNS = ['first run', 'run that changes 1 %', 'run that changes nothing'] as const;
const NAMES = ['plain import', ...RUNS] as const;
type Name = (typeof NAMES)[number];
const WARM_UP_ROWS = 2_000;

/** `databasePid` is the process id of the PostgreSQL server. */
type FeedPlace = Place & { databasePid: number | undefined };

type Measured = {
  seconds: number;
  memoryGrowthBytes: number;
  /** The p99 of another account's list requests during the run. */
  getP99Ms: number;
};

type Sending = {
  key: string;
  method: 'POST' | 'PUT';
  path: string;
  file: Buffer;
  /** The counts that the response must contain. */
  expected: Record<string, number>;
};

/** One line of the results file. */
export type FeedResults = {
  date: string;
  commit: string;
  machine: Machine;
  engine: 'sqlite' | 'postgres';
  rounds: number;
  rows: number;
  /** Medians of the rounds; memory is the maximum. `ratio` compares with the plain import of the same round. */
  runs: (Measured & { name: Name; ratio: number })[];
  isQuiet: boolean;
};

/** In each round, compares runs of a feed with a plain import of the same number of rows. */
export async function runFeedBench(place: Place, rows: number, engine: FeedResults['engine']): Promise<FeedResults> {
  const date = new Date().toISOString();
  mkdirSync(join(place.directory, 'data'));
  const server = engine === 'postgres' ? await startPostgres() : undefined;
  const at = { ...place, databaseUrl: server?.url ?? '', databasePid: server?.pid };
  const listings = makeListings(rows);
  const file = makeFile(listings);
  const isChanged = (index: number) => index % (1 / CHANGED_PART) === 0;
  const changed = makeFile(listings.map((listing, index) => (isChanged(index) ? { ...listing, beds: 9 } : listing)));
  const rounds: { measured: Map<Name, Measured>; isQuiet: boolean }[] = [];
  for (let round = 1; round <= place.rounds; round += 1) {
    say(`round ${round} of ${place.rounds}`);
    rounds.push(await measureRound(at, round, file, changed, rows));
  }
  await server?.stop();
  const of = (name: Name) => rounds.flatMap(({ measured }) => measured.get(name) ?? []);
  const plain = of('plain import');
  return {
    ...{ date, commit: describeCommit(ROOT), machine: describeMachine(), engine, rounds: place.rounds, rows },
    runs: NAMES.map((name) => ({
      name,
      seconds: median(of(name).map(({ seconds }) => seconds)),
      memoryGrowthBytes: greatest(of(name).map(({ memoryGrowthBytes }) => memoryGrowthBytes)) ?? Number.NaN,
      getP99Ms: median(of(name).map(({ getP99Ms }) => getP99Ms)),
      ratio: median(of(name).map(({ seconds }, index) => seconds / (plain[index]?.seconds ?? Number.NaN))),
    })),
    isQuiet: rounds.every((round) => round.isQuiet),
  };
}

/** Sends each file to a newly started and warmed-up service, so that the measurements are comparable. */
async function measureRound(place: FeedPlace, round: number, file: Buffer, changed: Buffer, rows: number) {
  const create = (name: string) => createAccount(place, `${name} ${round}`);
  const [importer, broker, other] = [await create('Import'), await create('Feed'), await create('Other')];
  const feed = { key: broker.key, method: 'PUT', path: '/v1/feeds/mls' } as const;
  const steps: Record<Name, Sending> = {
    'plain import': { key: importer.key, method: 'POST', path: '/v1/imports', file, expected: { created: rows } },
    'first run': { ...feed, file, expected: { created: rows } },
    'run that changes 1 %': { ...feed, file: changed, expected: { updated: rows * CHANGED_PART } },
    'run that changes nothing': { ...feed, file: changed, expected: { unchanged: rows } },
  };
  const measured = new Map<Name, Measured>();
  let areQuiet = true;
  for (const name of NAMES) {
    const service = await startService(place);
    await warmUp(service, other.key);
    const endWatch = watchBusy(service.pid, service.cores, place.databasePid);
    const figures = await measureSending(service, other.key, steps[name]);
    measured.set(name, figures);
    say(`${name}: ${figures.seconds.toFixed(1)} s, +${(figures.memoryGrowthBytes / 1e6).toFixed(0)} MB`);
    areQuiet &&= isQuiet(endWatch());
    await service.stop();
  }
  return { measured, isQuiet: areQuiet };
}

/** Sends a file. @throws unless the response has the expected counts */
async function send({ port }: Service, { key, method, path, file, expected }: Sending): Promise<void> {
  const reply = await sendFile(port, key, method, path, file);
  for (const [member, count] of Object.entries({ ...expected, failed: 0 }))
    if (JSON.parse(reply)[member] !== count) throw new Error(`${method} ${path}: got ${reply.slice(0, 1000)}`);
}

async function warmUp(service: Service, key: string): Promise<void> {
  const file = makeFile(makeListings(WARM_UP_ROWS));
  await send(service, { key, method: 'POST', path: '/v1/imports', file, expected: {} });
  await send(service, { key, method: 'PUT', path: '/v1/feeds/warm', file, expected: {} });
}

async function measureSending(service: Service, key: string, sending: Sending): Promise<Measured> {
  const list = { method: 'GET', path: '/v1/listings?limit=20', key } as const;
  const { body } = await sendCall(service.port, list);
  const exchange = { request: serializeCall(service.port, list), expected: { status: 200, body } };
  const memoryBefore = residentBytesOf(service.pid) ?? Number.NaN;
  const startedMs = performance.now();
  const { result, peakBytes } = await watchPeak(service.pid, () =>
    askDuring(service, [{ service: () => () => exchange }], async () => {
      await send(service, sending);
      return (performance.now() - startedMs) / 1000;
    }),
  );
  const [getP99Ms = Number.NaN] = result.p99sMs;
  return { seconds: result.result, memoryGrowthBytes: peakBytes - memoryBefore, getP99Ms };
}

export function listFeedTargets({ engine, runs, isQuiet }: FeedResults): Target[] {
  const ratios = engine === 'postgres' ? [1.5, 1.5, 1.5] : [1.3, 0.35, 0.25];
  return RUNS.flatMap((name, index): Target[] => {
    const run = runs.find((candidate) => candidate.name === name);
    const atMost = { limit: 'at most', isQuiet } as const;
    return [
      { name: `${name} ÷ plain import`, ...atMost, value: ratios[index] ?? 0, unit: '', got: run?.ratio },
      { name: `${name}: memory growth`, ...atMost, value: 100, unit: 'MB', got: run && run.memoryGrowthBytes / 1e6 },
      { name: `${name}: p99 of GET`, ...atMost, value: 50, unit: 'ms', got: run?.getP99Ms },
    ];
  });
}

export function formatFeedReport(results: FeedResults): string {
  const { date, commit, machine, engine, rounds, rows, runs } = results;
  return [
    `${date}  commit ${commit}  ${machine.cpu}, ${machine.cores} cores, node ${machine.node}, ${engine}`,
    `${formatCount(rows)} rows of CSV; medians of ${rounds} rounds; memory: maximum. Ratio: to a plain import, without a feed.`,
    '',
    formatTable([
      ['', 'seconds', 'rows/s', 'ratio', 'memory', 'GET p99 ms'],
      ...runs.map(({ name, seconds, ratio, memoryGrowthBytes, getP99Ms }) => [
        ...[name, seconds.toFixed(2), formatCount(rows / seconds), ratio.toFixed(2)],
        ...[`+${(memoryGrowthBytes / 1e6).toFixed(0)} MB`, formatMs(getP99Ms)],
      ]),
    ]),
    '',
    formatTargets(listFeedTargets(results)),
  ].join('\n');
}
