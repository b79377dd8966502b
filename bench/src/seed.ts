import { generator } from '../../testkit/src/random-json.ts';
import { createExchange } from './creates.ts';
import { drive } from './driver.ts';
import { listingSource } from './listings.ts';
import type { Place } from './place.ts';
import { type Account, startService } from './service.ts';
import { shuffle } from './vocabulary.ts';

const CONNECTIONS = 64;
const SEED = 20_261;
/** A limit that is never reached, because seeding ends with the last listing. */
const SECONDS_MAX = 3600;

/**
 * Creates one listing per element of `owners`, over HTTP and in random order, then stops the service.
 * @returns listings per second
 */
export async function fill(place: Place, owners: readonly Account[]): Promise<number> {
  const service = await startService(place);
  const nextListing = listingSource(SEED, 'MLS');
  const nextOwner = shuffle(generator(SEED), owners).values();
  const { requestsPerSecond } = await drive({
    port: service.port,
    connections: CONNECTIONS,
    seconds: SECONDS_MAX,
    next() {
      const owner = nextOwner.next().value;
      return owner === undefined ? undefined : createExchange(service.port, owner.key, nextListing());
    },
  });
  await service.stop();
  return requestsPerSecond;
}
