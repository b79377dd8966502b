import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { cycle } from './cycle.ts';
import { measureImports } from './imports.ts';
import { describeCommit, describeMachine } from './machine.ts';
import { measureMillion } from './million.ts';
import { type Place, say } from './place.ts';
import { type Results, summarize } from './results.ts';
import { CONNECTIONS } from './rounds.ts';
import { recordScenarios } from './scenarios.ts';
import { fill } from './seed.ts';
import { createAccounts, restartService } from './service.ts';
import { takeTurns } from './turns.ts';

const ROOT = join(import.meta.dirname, '../..');
const ACCOUNTS = 100;
const LISTINGS = 200_000;
/** The reader's account has half of all listings, so that its complete list is long. */
const READER_LISTINGS = 100_000;

/** Runs the benchmark on a temporary database. @throws at the first unexpected response */
export async function runBench(place: Place, withMillion: boolean): Promise<Results> {
  const date = new Date().toISOString();
  mkdirSync(join(place.directory, 'data'));

  say(`creating ${ACCOUNTS} accounts`);
  const [reader, writer, ...others] = await createAccounts(place, ACCOUNTS);
  if (reader === undefined || writer === undefined) throw new Error('The bench needs two accounts');

  say(`creating ${LISTINGS} listings`);
  const seededPerSecond = await fill(place, [
    ...Array.from({ length: READER_LISTINGS }, () => reader),
    ...Array.from({ length: LISTINGS - READER_LISTINGS }, cycle([writer, ...others])),
  ]);

  const { service, readyMs } = await restartService(place);
  const fixture = { service, reader, readerListings: READER_LISTINGS, writer };
  const scenarios = await recordScenarios(fixture);
  const rounds = await takeTurns(place, fixture, scenarios);
  await service.stop();
  const imports = await measureImports(place, scenarios.neighbours);

  return {
    date,
    commit: describeCommit(ROOT),
    machine: describeMachine(),
    isPinned: place.cores !== undefined,
    rounds: place.rounds,
    seconds: place.seconds,
    connections: CONNECTIONS,
    accounts: ACCOUNTS,
    listings: LISTINGS,
    seededPerSecond,
    readyMs,
    rows: [...rounds].map(([name, ofOne]) => summarize(name, ofOne)),
    bulk: [imports, ...(withMillion ? [await measureMillion(place, scenarios.neighbours)] : [])],
  };
}
