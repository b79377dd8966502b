import assert from 'node:assert/strict';
import { makeListing } from './filling.ts';
import { bearer } from './tenant.ts';
import type { Filled, World } from './world.ts';

const THEIR_WRITES = 10;

/** A long poll does not wake for events of other accounts. */
export async function assertHeldApart(world: World): Promise<void> {
  const { founder, canaries, ours, theirs } = world;
  const key = bearer(ours.keys.full.secret);
  const list = await founder.ask({ method: 'GET', path: '/v1/listings?limit=1', headers: key });
  const query = `/events?after=${JSON.parse(list.body).sequence}&wait=60`;
  let early = 0;
  const held = [['/v1', key] as const, ['/admin', ours.session] as const].map(async ([base, headers]) => {
    const answer = await founder.wire.send({ method: 'GET', path: base + query, headers });
    early += 1;
    return answer;
  });
  for (let count = 0; count < THEIR_WRITES; count += 1) await writeOne(world, theirs);
  assert.equal(early, 0, 'a request that waits was answered when something happened in another account');
  const id = await writeOne(world, ours);
  for (const { status, body } of await Promise.all(held)) {
    assert.equal(status, 200, body);
    const told = Object(JSON.parse(body)).data.map(({ listingId }: { listingId: string }) => listingId);
    assert.deepEqual(told, [id], 'a request that waits was answered with other than what happened in its account');
    assert.deepEqual(canaries.leaks(body, new Set([ours.owner]), new Set()), [], 'events tell of another account');
  }
}

async function writeOne({ founder, canaries }: World, { owner, keys }: Filled): Promise<string> {
  const listing = makeListing(canaries, owner, 'a listing made meanwhile');
  return (await founder.sendJson('POST', '/v1/listings', bearer(keys.full.secret), listing, 201)).id;
}
