import type { Canaries, Owner } from './canaries.ts';
import { type Credential, JSON_TYPE } from './tenant.ts';
import type { Sent } from './wire.ts';
import type { Filled } from './world.ts';

/** One of two accounts in use at once. */
export interface Side {
  tenant: Filled;
  other: Filled;
  key: Credential;
  session: Credential;
  visible: ReadonlySet<Owner>;
  /** What it named before may occur in its own data. */
  named: ReadonlySet<string>;
  ids: Set<string>;
}

const NDJSON = { 'Content-Type': 'application/x-ndjson' };
const SHARED_NAMES = 20;

type Make = (side: Side, canaries: Canaries) => Sent;

const get =
  (path: (side: Side) => string, headers: Credential = {}): Make =>
  (side) => {
    const credential = path(side).startsWith('/v1') ? side.key : side.session;
    return { method: 'GET', path: path(side), headers: { ...credential, ...headers } };
  };

/** Its address is a canary; both sides share a few names. */
const change =
  (method: string, path: string, more: (name: string) => Credential = () => ({})): Make =>
  ({ tenant, key }, canaries) => {
    const name = `shared-${canaries.below(SHARED_NAMES)}`;
    const body = `${JSON.stringify({ address: canaries.text(tenant.owner, 'an address among others'), beds: 1, baths: 1 })}\n`;
    return { method, path: path.replace('NAME', name), headers: { ...key, ...JSON_TYPE, ...more(name) }, body };
  };

/** Requests of either side. */
export const REQUESTS: readonly Make[] = [
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
