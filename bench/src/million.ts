import { type BulkRound, type BulkRow, summarizeBulk } from './bulk.ts';
import { unchangingList } from './list-checks.ts';
import { watchNeighbours } from './neighbours.ts';
import { type Place, say } from './place.ts';
import { type Measured, measureStream } from './rounds.ts';
import type { Scenario } from './scenario-kinds.ts';
import { fill } from './seed.ts';
import { createAccount, startService } from './service.ts';

const LISTINGS = 1_000_000;
export const MILLION = `complete list of ${LISTINGS.toLocaleString('en-US')}`;

/**
 * Adds an account with a million listings and reads all of them, in each round by a freshly started service: one that has
 * already streamed a list has the memory it takes, and would show no growth.
 * @param neighbours what other accounts ask for when they are read once more
 */
export async function measureMillion(place: Place, neighbours: readonly Scenario[]): Promise<BulkRow> {
  say('a million listings');
  const account = await createAccount(place, 'Bench million');
  await fill(
    place,
    Array.from({ length: LISTINGS }, () => account),
  );
  const makeCheck = unchangingList(LISTINGS);
  const rounds: BulkRound[] = [];
  for (let round = 1; round <= place.rounds; round += 1) {
    say(`round ${round} of ${place.rounds} with a million`);
    const service = await startService(place);
    const read = (): Promise<Measured> => measureStream(service, account.key, LISTINGS, makeCheck, place.seconds);
    rounds.push({
      readyMs: service.readyMs,
      measured: await read(),
      watched: await watchNeighbours(service, neighbours, place.seconds, read),
    });
    await service.stop();
  }
  return summarizeBulk(MILLION, rounds);
}
