import assert from 'node:assert/strict';
import type { ServeProcess } from '../../../../testkit/src/process.ts';
import { until } from '../../../../testkit/src/until.ts';
import { makeListing } from './filling.ts';
import { bearer } from './tenant.ts';
import type { Asking } from './trier.ts';
import type { Filled, World } from './world.ts';

/** Reads what an account's administrator can see at paths without parameters, except the overview and key use. */
export async function stateOf({ founder, gates }: World, { session }: Filled): Promise<string> {
  const paths = gates.admin.operations
    .filter(({ method, path }) => method === 'get' && !path.includes('{') && path !== '/overview')
    .map(({ path }) => gates.admin.base + path);
  const texts: string[] = [];
  for (const path of paths) {
    const { body } = await founder.ask({ method: 'GET', path, headers: session });
    texts.push(`${path} ${body.replaceAll(/"(lastUsedAt|updatedAt|requests24h|errors24h)":(?:"[^"]*"|\w+)/g, '"$1"')}`);
  }
  return texts.join('\n');
}

/** Asserts that log lines do not contain data of other accounts, except values that the request contained. */
export async function assertQuietLog({ canaries }: World, { asked }: Asking, log: ServeProcess['log'], start: number) {
  const lines = () => log.slice(start).filter(({ requestId }) => asked.has(String(requestId)));
  await until('every request is in the log', () => lines().length >= asked.size);
  // All other requests were sent by the owners of the data, so their log lines can contain it.
  const isAsked = ({ msg, requestId }: (typeof log)[number]) => msg !== 'request' || asked.has(String(requestId));
  for (const line of log.slice(start).filter(isAsked)) {
    const { visible = new Set<string>(), sent = new Set<string>() } = asked.get(String(line.requestId)) ?? {};
    const leaks = canaries.leaks(JSON.stringify(line), visible, sent);
    assert.deepEqual(leaks, [], `a log line contains data of others: ${JSON.stringify(line)}`);
  }
  return asked.size;
}

const THEIR_WRITES = 10;

/** Asserts that a long poll does not wake for events of other accounts. */
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
  assert.equal(early, 0, 'a long poll returned because of another account');
  const id = await writeOne(world, ours);
  for (const { status, body } of await Promise.all(held)) {
    assert.equal(status, 200, body);
    const told = Object(JSON.parse(body)).data.map(({ listingId }: { listingId: string }) => listingId);
    assert.deepEqual(told, [id], 'a long poll returned wrong events');
    const leaks = canaries.leaks(body, new Set([ours.owner]), new Set());
    assert.deepEqual(leaks, [], 'events contain data of another account');
  }
}

async function writeOne({ founder, canaries }: World, { owner, keys }: Filled): Promise<string> {
  const listing = makeListing(canaries, owner, 'a listing created during a long poll');
  return (await founder.sendJson('POST', '/v1/listings', bearer(keys.full.secret), listing, 201)).id;
}
