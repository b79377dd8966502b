import { wholeList } from './list-checks.ts';
import { median } from './median.ts';
import { type Place, say } from './place.ts';
import type { Million } from './results.ts';
import { type Measured, measureStream } from './rounds.ts';
import { fill } from './seed.ts';
import { createAccount, startService } from './service.ts';

const LISTINGS = 1_000_000;

/**
 * Adds an account with a million listings and reads all of them, in each round by a freshly started service: one that has
 * already streamed a list has the memory it takes, and would show no growth.
 */
export async function measureMillion(place: Place): Promise<Million> {
  say('a million listings');
  const account = await createAccount(place, 'Bench million');
  await fill(
    place,
    Array.from({ length: LISTINGS }, () => account),
  );
  const readyMs: number[] = [];
  const measured: Measured[] = [];
  for (let round = 1; round <= place.rounds; round += 1) {
    say(`round ${round} of ${place.rounds} with a million`);
    const service = await startService(place);
    readyMs.push(service.readyMs);
    measured.push(await measureStream(service, account.key, LISTINGS, () => wholeList(LISTINGS), place.seconds));
    await service.stop();
  }
  return {
    readyMs: median(readyMs),
    perSecond: median(measured.map(({ perSecond }) => perSecond)),
    firstByteMs: Math.max(...measured.map(({ firstByteMs }) => firstByteMs ?? Number.NaN)),
    memoryGrowthBytes: Math.max(...measured.map(({ memoryGrowthBytes }) => memoryGrowthBytes ?? Number.NaN)),
  };
}
