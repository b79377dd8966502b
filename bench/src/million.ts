import { type BulkRound, type BulkRow, summarizeBulk } from './bulk.ts';
import { unchangingList, wholeList } from './list-checks.ts';
import { watchNeighbours } from './neighbours.ts';
import { type Place, say } from './place.ts';
import { type Measured, measureStream } from './rounds.ts';
import type { Scenario } from './scenario-kinds.ts';
import { fill } from './seed.ts';
import { createAccount, startService } from './service.ts';

const LISTINGS = 1_000_000;
export const MILLION = `complete list of ${LISTINGS.toLocaleString('en-US')}`;

/**
 * Adds an account with a million listings, and streams all of them. Each round restarts the service, because
 * memory grows only during the first stream.
 * @param neighbours the requests of other accounts, which are measured during a separate stream
 */
export async function measureMillion(place: Place, neighbours: readonly Scenario[]): Promise<BulkRow> {
  say('creating a million listings');
  const account = await createAccount(place, 'Bench million');
  const owners = Array.from({ length: LISTINGS }, () => account);
  await fill(place, owners);
  const makeCheck = unchangingList(wholeList(LISTINGS));
  const rounds: BulkRound[] = [];
  for (let round = 1; round <= place.rounds; round += 1) {
    say(`round ${round} of ${place.rounds} with a million listings`);
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
