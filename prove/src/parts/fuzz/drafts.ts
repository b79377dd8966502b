import fc from 'fast-check';
import { isOfPeople } from '../../../../testkit/src/openapi.ts';
import { seldom } from '../../../../testkit/src/random-values.ts';
import { damaged, type Schema, valuesOf } from '../../../../testkit/src/schema-values.ts';
import { TARGETS, type Target } from './caller.ts';
import { type Fault, faultsOf, isFile } from './faults.ts';

export interface Draft {
  target: Target;
  faults: readonly Fault[];
  query: readonly (readonly [name: string, value: string])[];
  body: unknown;
  typeAt: number;
  acceptAt: number;
  precondition: 'none' | 'current' | 'stale' | 'any' | 'unless any';
  retry: 'none' | 'fresh' | 'reused';
  /** A random number that selects objects, earlier requests, and broken bodies, and when requests are repeated. */
  at: number;
  /** Whether the path names an existing object, a deleted one, or one that never existed. */
  about: 'live' | 'deleted' | 'nothing';
  isHead: boolean;
}

/** Generates drafts of requests to all operations, most often to those for listings. */
export function makeDrafts(): fc.Arbitrary<Draft> {
  return fc.oneof(...TARGETS.map((target) => ({ weight: weightOf(target), arbitrary: draftsOf(target) })));
}

const WEIGHTS: Record<string, number> = {
  listListings: 14,
  createListing: 10,
  updateListing: 10,
  upsertListing: 8,
  deleteListing: 4,
  updateListingByExternalId: 6,
  deleteListingByExternalId: 3,
  retrieveListing: 6,
  retrieveListingByExternalId: 6,
  listEvents: 5,
  createImport: 3,
  putFeed: 4,
  createWebhook: 3,
};
const WEIGHT = 2;

function weightOf({ base, operation }: Target): number {
  const weight = WEIGHTS[operation.operationId] ?? WEIGHT;
  return base === '/v1' ? weight * 2 : weight;
}

function draftsOf(target: Target): fc.Arbitrary<Draft> {
  const { operation } = target;
  // Only `people.ts` sends valid writes about users, because most of them hash a password, which takes 0.1 s.
  const needsFault = isOfPeople(operation) && operation.method !== 'get';
  const fault = fc.constantFrom(...faultsOf(target));
  const faults = fc.oneof(
    { weight: needsFault ? 0 : 7, arbitrary: fc.constant<Fault[]>([]) },
    { weight: 3, arbitrary: fault.map((one) => [one]) },
    { weight: 1, arbitrary: fc.tuple(fault, fault).map(([one, other]) => (one === other ? [one] : [one, other])) },
  );
  return fc.record({
    target: fc.constant(target),
    faults,
    query: queryOf(target),
    body: bodyOf(target, needsFault),
    typeAt: fc.nat(99),
    acceptAt: fc.nat(99),
    precondition: seldom(4, fc.constantFrom('current', 'current', 'stale', 'any', 'unless any'), 'none'),
    retry: seldom(4, fc.constantFrom('fresh', 'fresh', 'reused'), 'none'),
    at: fc.nat(10_000),
    about: seldom(6, fc.constantFrom('deleted', 'deleted', 'nothing'), 'live'),
    isHead: seldom(20, fc.constant(true), false),
  });
}

function bodyOf(target: Target, isGood: boolean): fc.Arbitrary<unknown> {
  const { operation, document } = target;
  const [media] = Object.values(operation.requestBody?.content ?? {});
  if (media === undefined) return fc.constant(undefined);
  const schema: Schema = operation.requestBody?.content['application/json']?.schema ?? media.schema;
  const values = valuesOf(schema, document);
  const adapt = ADAPTED[operation.operationId] ?? ((value: unknown) => value);
  const good = values.map(adapt);
  if (isGood) return good;
  const { items = {} } = schema;
  const rows = () => fc.array(fc.oneof(valuesOf(items, document), damaged(items, document)), { maxLength: 6 });
  const bad = isFile(target) ? rows() : damaged(schema, document).map(adapt);
  return fc.oneof({ weight: 3, arbitrary: good }, { weight: 1, arbitrary: bad });
}

const ADAPTED: Record<string, (value: unknown) => unknown> = {
  upsertListing: unnamed,
  createWebhook: withOwnUrl,
  updateWebhook: withOwnUrl,
};

/** A URL on this machine at which nothing listens. */
const OWN_URL = 'https://127.0.0.1:1024/webhooks';

/** Replaces a valid URL, so that nothing is sent to other machines. */
function withOwnUrl(value: unknown): unknown {
  const { url } = Object(value);
  return typeof url === 'string' && url.includes('://') ? { ...Object(value), url: OWN_URL } : value;
}

/** Removes the external id from the body, because an upsert has it in its path. */
function unnamed(value: unknown): unknown {
  const { externalId: _, ...others } = Object(value);
  return others;
}

/** Not generated: cursors come from responses, and the others name the file's columns and fields. */
const UNTRIED = new Set(['cursor', 'map', 'values', 'defaults']);

type Parameter = fc.Arbitrary<readonly [string, string]>;

function queryOf({ operation, document }: Target): fc.Arbitrary<(readonly [string, string])[]> {
  const known = operation.parameters.filter((parameter) => parameter.in === 'query' && !UNTRIED.has(parameter.name));
  if (known.length === 0) return fc.constant([]);
  const each = known.map(({ name, schema }): Parameter => {
    const value = PARAMETERS[name] ?? PARAMETERS[name.replace(/\[.*/, '')] ?? valuesOf(schema, document).map(String);
    return value.map((text) => [name, text] as const);
  });
  const framing = known.flatMap(({ name }, at) => (FRAMING.has(name) ? (each[at] ?? []) : []));
  const any = fc.oneof(
    { weight: 8, arbitrary: fc.oneof(...each) },
    { weight: framing.length > 0 ? 5 : 0, arbitrary: fc.oneof(...framing, ...each.slice(0, 1)) },
    { weight: 1, arbitrary: nonsense(known) },
  );
  return fc
    .uniqueArray(any, { maxLength: 3, selector: ([name]) => name })
    .map((query) =>
      query.some(([name]) => name === 'near') ? [...query.filter(([name]) => name !== 'radius'), RADIUS] : query,
    );
}

/** Parameters that shape a list without filtering it. */
const FRAMING = new Set(['limit', 'fields', 'count', 'sort']);
const RADIUS = ['radius', '3000km'] as const;

function nonsense(known: readonly { name: string }[]): Parameter {
  const value = fc.oneof(
    fc.constantFrom('x', '-1', '0', '1.5', '1e3', '1,2', 'true', 'active', 'active,active', ',', '2026-01-31', '+1'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
  );
  return fc.tuple(fc.constantFrom(...known.map(({ name }) => name)), value);
}

const FIELDS = 'id,address listPrice metadata,photos id,version,createdAt colour id,id distance,id'.split(' ');

/** Values for parameters whose rules the document states in prose. None of these values makes a request slow. */
const PARAMETERS: Record<string, fc.Arbitrary<string>> = {
  city: fc.constantFrom('Austin', 'élan', 'a b', '東京', 'x', '=1+1'),
  stateOrProvince: fc.constantFrom('TX', 'tx', '-', 'a b'),
  postalCode: fc.constantFrom('x', '78701', 'a b'),
  country: fc.constantFrom('US', 'us', 'USA'),
  feed: fc.constantFrom('mls', 'MLS'),
  externalId: fc.constantFrom('a', 'b/c', 'ü d', 'MLS-1'),
  onMarketDate: fc.constantFrom('2026-11-21', '2026-02-30', '2026-11-21T00:00:00Z'),
  closeDate: fc.constantFrom('2026-11-21', '9999-12-31', 'now'),
  createdAt: fc.constantFrom('2026-11-21', '2020-01-31T09:30:00Z', '9999-12-31', '2026-02-30', 'now'),
  updatedAt: fc.constantFrom('2026-11-21', '2020-01-31T09:30:00.0001Z', '2026-11-21T00:00:00+01:00', ''),
  bbox: fc.constantFrom('-97.9,30.1,-97.6,30.5', '170,-50,-170,50', '0,1,0,0', '1,2,3', '-180,-90,180,90'),
  near: fc.constantFrom('30.2672,-97.7431', '0,0', '91,0', '1', '-33.9,151.2'),
  radius: fc.constantFrom('5km', '300mi', '0m', '20016km', '5'),
  q: fc.constantFrom('elm', 'ÉLAN', '5', '東', 'x', '!', 'd arc', '😀', 'strasse'),
  status: fc.constantFrom('active', 'active,pending', 'pending,coming_soon,active', 'sold', 'active,active'),
  propertyType: fc.constantFrom('residential', 'land,farm', 'castle'),
  fields: fc.constantFrom(...FIELDS),
  after: fc.oneof(fc.constantFrom('0', '0', '1', '2', '9007199254740992', '1000000000'), fc.nat(40).map(String)),
  wait: seldom(20, fc.constant('1'), '0'),
  epoch: fc.constantFrom('@epoch@', '@epoch@', '00000000'),
  limit: fc.oneof(fc.integer({ min: 1, max: 20 }).map(String), fc.constantFrom('0', '1000', '1001')),
};
