import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { listingSource } from '../listings.ts';
import { describeCommit, describeMachine, type Machine } from '../machine.ts';
import { type Place, say } from '../place.ts';
import { isQuiet } from '../process-stats.ts';
import { medians } from '../results.ts';
import type { Measured } from '../rounds.ts';
import { median } from '../statistics.ts';
import { type Group, makeSearchRows, NEWEST } from './rows.ts';
import { SEED, startFilledPeer, startFilledService } from './servers.ts';
import { prepareTurns, type Turn, type TurnMeasured } from './turns.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SAMPLE = 2000;
/**
 * The preparation of a row may take this many times as long as its measurement. A slow row then gets fewer
 * different requests, but more than a measurement sends.
 */
const PREPARE_FACTOR = 5;

export type SearchResult = {
  name: string;
  group: Group;
  unit: Turn['unit'];
  /** All figures are medians of the rounds, except memory growth, which is the maximum. */
  service: Measured;
  peer: Measured | undefined;
  /** The throughput divided by that of `NEWEST` in the same round, and by that of the peer. */
  ofNewest: number;
  ofPeer: number | undefined;
  neighbourP99Ms: number;
  isQuiet: boolean;
};

/** One line of the results file. */
export type SearchResults = {
  date: string;
  commit: string;
  machine: Machine;
  rounds: number;
  seconds: number;
  listings: number;
  rows: SearchResult[];
};

/** Measures searches in an account, on the service and on the peer in turn. @throws at the first unexpected response */
export async function runSearchBench(place: Place, listings: number, hasPeer: boolean): Promise<SearchResults> {
  const date = new Date().toISOString();
  mkdirSync(join(place.directory, 'data'));
  say(`importing ${listings} listings`);
  const service = await startFilledService(place, listings);
  if (hasPeer) say('filling the peer');
  const sides = hasPeer ? [service, await startFilledPeer(place, service)] : [service];
  say('preparing the requests');
  const sample = Array.from({ length: Math.min(SAMPLE, listings) }, listingSource(SEED, 'MLS'));
  const turns = await prepareTurns(makeSearchRows(sample, listings), sides, PREPARE_FACTOR * place.seconds);
  const rounds = Array.from({ length: place.rounds }, () => new Map<string, TurnMeasured[]>());
  // The last turn creates listings. It comes after all others, whose requests expect the prepared pages.
  for (const some of [turns.slice(0, -1), turns.slice(-1)]) {
    for (const [index, round] of rounds.entries()) {
      say(`round ${index + 1} of ${rounds.length} of ${some.length} rows`);
      for (const { name, measures } of some) {
        const measured: TurnMeasured[] = [];
        for (const measure of measures) measured.push(await measure(place.seconds));
        round.set(name, measured);
      }
    }
  }
  await Promise.all(sides.map((side) => side.stop()));
  return {
    ...{ date, commit: describeCommit(ROOT), machine: describeMachine() },
    ...{ rounds: place.rounds, seconds: place.seconds, listings },
    rows: turns.map((turn) => summarize(turn, rounds)),
  };
}

function summarize({ name, group, unit }: Turn, rounds: readonly Map<string, TurnMeasured[]>[]): SearchResult {
  const perSecond = (round: Map<string, TurnMeasured[]>, row: string, side: number) =>
    round.get(row)?.[side]?.perSecond ?? Number.NaN;
  const of = (side: number) => rounds.flatMap((round) => round.get(name)?.[side] ?? []);
  const [service, peer] = [of(0), of(1)];
  const hasPeer = peer.length > 0;
  return {
    ...{ name, group, unit, service: medians(service), peer: hasPeer ? medians(peer) : undefined },
    ofNewest: median(rounds.map((round) => perSecond(round, name, 0) / perSecond(round, NEWEST, 0))),
    ofPeer: hasPeer ? median(rounds.map((round) => perSecond(round, name, 0) / perSecond(round, name, 1))) : undefined,
    neighbourP99Ms: median(service.map(({ neighbourP99Ms }) => neighbourP99Ms)),
    isQuiet: [...service, ...peer].every(({ busy }) => isQuiet(busy)),
  };
}
