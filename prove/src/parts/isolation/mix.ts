import assert from 'node:assert/strict';
import { openRaw } from '../../../../testkit/src/raw.ts';
import type { Canaries } from './canaries.ts';
import { administratorsOf, bearer, type Credential, JSON_TYPE, nameOf, type Sent, Wire } from './tenant.ts';
import type { Asking } from './trier.ts';
import type { Filled, World } from './world.ts';

/** One of the two accounts that send requests at the same time. */
type Side = ReturnType<typeof createSide>;

const NDJSON = { 'Content-Type': 'application/x-ndjson' };
const SHARED_NAMES = 20;

type Make = (side: Side, canaries: Canaries) => Sent;

const get =
  (path: (side: Side) => string, headers: Credential = {}): Make =>
  (side) => {
    const credential = path(side).startsWith('/v1') ? side.key : side.session;
    return { method: 'GET', path: path(side), headers: { ...credential, ...headers } };
  };

/** A write whose `address` is a canary. Both sides use the same few names as external ids and Idempotency-Keys. */
const change =
  (method: string, path: string, more: (name: string) => Credential = () => ({})): Make =>
  ({ tenant, key }, canaries) => {
    const name = `shared-${canaries.below(SHARED_NAMES)}`;
    const body = `${JSON.stringify({ address: canaries.text(tenant.owner, 'an address among others'), beds: 1, baths: 1 })}\n`;
    return { method, path: path.replace('NAME', name), headers: { ...key, ...JSON_TYPE, ...more(name) }, body };
  };

const REQUESTS: readonly Make[] = [
  get(() => '/v1/listings', { Accept: 'application/x-ndjson' }),
  get(() => '/v1/listings?sort=-beds', { Accept: 'text/csv' }),
  get(() => '/v1/listings?q=street&limit=5&count=true'),
  get(({ tenant }) => `/v1/listings/${tenant.ownListingId}`),
  get(({ other }) => `/v1/listings/${other.ownListingId}`),
  get(({ other }) => `/v1/listings?city=${other.bait.city}`),
  get(() => '/v1/events?limit=50'),
  get(() => '/v1/me'),
  get(() => '/admin/listings?limit=20'),
  get(() => '/admin/overview'),
  get(() => '/admin/activity?limit=20'),
  change('POST', '/v1/listings'),
  change('POST', '/v1/listings', (name) => ({ 'Idempotency-Key': name })),
  change('PUT', '/v1/listings/external/NAME'),
  change('POST', '/v1/imports', () => NDJSON),
  change('POST', '/v1/imports?atomic=true', (name) => ({ ...NDJSON, 'Idempotency-Key': `import-${name}` })),
  change('POST', '/v1/imports?dryRun=true', () => NDJSON),
];

const SHARED_CONNECTIONS = 3;
/** Below the service's maximum of 128 pipelined requests, after which it closes the connection. */
const PIPELINED = 100;
const ENCODINGS = ['identity', 'gzip', 'br'];
const LONG_LIST = 400;

/** Two accounts send requests at once on shared connections. Each must see only its own data. */
export async function mixAccounts(
  world: World,
  named: Asking['named'],
  url: string,
  { connections, requests }: Record<'connections' | 'requests', number>,
): Promise<number> {
  const { ours, theirs, canaries } = world;
  const sides = [createSide(ours, theirs, named), createSide(theirs, ours, named)];
  const pick = <T>(items: readonly T[]): T => items[canaries.below(items.length)] ?? assert.fail('nothing to pick');
  for (const side of sides) await lengthen(world, side);
  const wire = new Wire(url, SHARED_CONNECTIONS);
  const pipeline = async () => {
    using connection = await openRaw(url);
    for (let left = requests; left > 0; left -= PIPELINED) {
      const asked = Array.from({ length: Math.min(left, PIPELINED) }, () => {
        const side = pick(sides);
        return { side, sent: pick(REQUESTS)(side, canaries) };
      });
      connection.send(Buffer.from(asked.map(({ sent }) => write(sent, url)).join('')));
      for (const { side, sent } of asked) {
        const { headers, body, status } = await connection.readReply();
        look(side, sent, `${status} ${JSON.stringify(headers)} ${body}`, canaries);
      }
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
  assert.deepEqual(shared, [], `${shared.length} listings are visible to two accounts`);
  return connections * requests * 2;
}

function createSide(tenant: Filled, other: Filled, all: Asking['named']) {
  const { owner, administrator, keys, session } = tenant;
  const visible = new Set([owner, administratorsOf(owner), nameOf(administrator)]);
  // Values that this side has sent, which its own data can contain.
  const named = all.get(owner) ?? new Set<string>();
  return { tenant, other, key: bearer(keys.full.secret), session, visible, named, ids: new Set<string>() };
}

function look({ visible, named, ids }: Side, { method, path }: Sent, reply: string, canaries: Canaries): void {
  const leaks = canaries.leaks(reply, visible, named.union(canaries.find(path)));
  const told = leaks.slice(0, 3).join('; ');
  assert.deepEqual(leaks, [], `${method} ${path} with two accounts at once contains data of the other: ${told}`);
  for (const [id] of reply.matchAll(/\blst_[0-9a-z]{26}/g)) if (!named.has(id)) ids.add(id);
}

/** Imports so many listings that the service reads the list in several steps. */
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
