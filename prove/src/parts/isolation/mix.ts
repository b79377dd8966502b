import assert from 'node:assert/strict';
import { openRaw } from '../../../../testkit/src/raw.ts';
import type { Canaries } from './canaries.ts';
import { REQUESTS, type Side } from './mixed-requests.ts';
import { administratorsOf, bearer, nameOf } from './tenant.ts';
import type { Asking } from './trier.ts';
import { type Sent, Wire } from './wire.ts';
import type { Filled, World } from './world.ts';

export interface MixSize {
  connections: number;
  requests: number;
}

const SHARED_CONNECTIONS = 3;
const ENCODINGS = ['identity', 'gzip', 'br'];
const LONG_LIST = 400;

/** Two accounts at once on shared connections, pipelined and in turn: each sees only its own data. */
export async function mixAccounts(
  world: World,
  named: Asking['named'],
  url: string,
  { connections, requests }: MixSize,
): Promise<number> {
  const { ours, theirs, canaries } = world;
  const sides = [createSide(ours, theirs, named), createSide(theirs, ours, named)];
  const pick = <T>(items: readonly T[]): T => items[canaries.below(items.length)] ?? assert.fail('nothing to pick');
  for (const side of sides) await lengthen(world, side);
  const wire = new Wire(url, SHARED_CONNECTIONS);
  const pipeline = async () => {
    using connection = await openRaw(url);
    const asked = Array.from({ length: requests }, () => {
      const side = pick(sides);
      return { side, sent: pick(REQUESTS)(side, canaries) };
    });
    connection.send(Buffer.from(asked.map(({ sent }) => write(sent, url)).join('')));
    for (const { side, sent } of asked) {
      const { headers, body, status } = await connection.readReply();
      look(side, sent, `${status} ${JSON.stringify(headers)} ${body}`, canaries);
    }
  };
  const inTurn = async () => {
    for (let count = 0; count < requests; count += 1) {
      const side = pick(sides);
      const { headers, ...sent } = pick(REQUESTS)(side, canaries);
      const answer = await wire.send({ ...sent, headers: { ...headers, 'Accept-Encoding': pick(ENCODINGS) } });
      look(side, { ...sent, headers }, `${answer.head}\n${answer.body}`, canaries);
    }
  };
  await Promise.all(Array.from({ length: connections }, () => [pipeline(), inTurn()]).flat());
  wire.close();
  const [one, two] = sides.map(({ ids }) => ids);
  const shared = [...(one ?? [])].filter((id) => two?.has(id));
  assert.deepEqual(shared, [], `${shared.length} listings were shown to two accounts`);
  return connections * requests * 2;
}

function createSide(tenant: Filled, other: Filled, named: Asking['named']): Side {
  const { owner, administrator, keys, session } = tenant;
  const visible = new Set([owner, administratorsOf(owner), nameOf(administrator)]);
  return {
    tenant,
    other,
    key: bearer(keys.full.secret),
    session,
    visible,
    named: named.get(owner) ?? new Set(),
    ids: new Set(),
  };
}

function look({ visible, named, ids }: Side, { method, path }: Sent, reply: string, canaries: Canaries): void {
  const leaks = canaries.leaks(reply, visible, named.union(canaries.find(path)));
  assert.deepEqual(
    leaks,
    [],
    `${method} ${path} among the requests of two accounts tells of the other: ${leaks.slice(0, 3).join('; ')}`,
  );
  for (const [id] of reply.matchAll(/\blst_[0-9a-z]{26}/g)) if (!named.has(id)) ids.add(id);
}

/** A list so long that it is read in several runs. */
async function lengthen({ founder, canaries }: World, { tenant, key }: Side): Promise<void> {
  const row = () => `${canaries.text(tenant.owner, 'address in a long list')},1,1\n`;
  const body = `address,beds,baths\n${Array.from({ length: LONG_LIST }, row).join('')}`;
  await founder.ask({ method: 'POST', path: '/v1/imports', headers: { ...key, 'Content-Type': 'text/csv' }, body });
}

function write({ method, path, headers, body = '' }: Sent, url: string): string {
  const length = body !== '' && { 'Content-Length': Buffer.byteLength(body) };
  const all = { Host: new URL(url).host, ...headers, ...length };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}
