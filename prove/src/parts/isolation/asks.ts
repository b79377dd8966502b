import type { DocumentedOperation } from '../../../../testkit/src/openapi.ts';
import type { Ask, KindsOf, Make } from './ask.ts';
import { type BaitKind, ID_KINDS } from './bait.ts';
import { bodyAsks, exampleBody } from './bodies.ts';
import type { Sent } from './wire.ts';
import type { Gate } from './world.ts';

/** Objects that fit a place; other places take every id. */
const KINDS: Record<string, BaitKind[]> = {
  'path.id': ['listingId', 'deletedListingId'],
  'path.externalId': ['externalId'],
  'path.keyId': ['keyId', 'deletedKeyId'],
  'path.memberId': ['administratorId', 'memberId'],
  'path.invitationId': ['invitationId'],
  'query.after': ['sequence'],
  'query.cursor': ['cursor'],
  'query.externalId': ['externalId'],
  'query.city': ['city'],
  'query.q': ['city'],
  'header.X-Account-Id': ['accountId'],
  'header.Idempotency-Key': ['idempotencyKey'],
  'header.If-None-Match': ['etag'],
  'body.id': ['sessionId', 'listingId'],
  'body.accountId': ['accountId'],
  'body.email': ['email', 'invitedEmail'],
  'body.externalId': ['externalId'],
  'body.token': ['invitationId'],
};
/** What most parameters treat as any text. */
const QUERIED: BaitKind[] = ['city', 'listingId'];
/** Queries that fit a foreign cursor, or would count or find foreign data. */
const QUERIES = [
  ...['city=<city>&count=true', 'q=<city>&count=true', 'near=30,-97&radius=100km', 'bbox=-98,29,-96,31'],
  'limit=1&cursor=<cursor>',
  'limit=1&sort=-beds&cursor=<sortedCursor>',
  'limit=1&city=<city>&cursor=<cityCursor>',
  'limit=1&cursor=<activityCursor>',
];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'];
const ENCODINGS = ['identity', 'gzip', 'br'];

/** Foreign ids in every place of an operation; `isThorough` tries every kind of id in each. */
export function asksOf({ base }: Gate, operation: DocumentedOperation, isThorough: boolean): Ask[] {
  const method = operation.method.toUpperCase();
  const path = theirPath(base + operation.path);
  const common = { operation: `${method} ${base}${operation.path}`, method, ...exampleBody(operation) };
  const make: Make = (place, given) => {
    const headers = { ...common.headers, ...given.headers };
    return { ...common, path, place, ...given, headers };
  };
  const kindsOf: KindsOf = (place) => {
    const others = place.startsWith('query.') ? QUERIED : ID_KINDS;
    return [...new Set([...(KINDS[place] ?? []), ...(isThorough ? others : [])])];
  };
  const all = operation.parameters.flatMap((parameter) => {
    const { name, in: where } = parameter;
    const kinds = kindsOf(`${where}.${name}`);
    if (where === 'path') {
      const start = base + operation.path;
      return kinds.map((kind) =>
        make(`${name} in the path: ${kind}`, { path: start.replace(`{${name}}`, `<${kind}>`) }),
      );
    }
    return where === 'header' ? headerAsks(name, kinds, make) : queryAsks(name, kinds, make, path);
  });
  return [...all, ...bodyAsks(operation, make, kindsOf, isThorough)];
}

function headerAsks(name: string, kinds: readonly BaitKind[], make: Make): Ask[] {
  // Clients choose their own request ids.
  if (name === 'X-Request-Id') return [];
  const isTag = name === 'If-None-Match' || name === 'If-Match';
  return kinds.map((kind) => make(`${name}: ${kind}`, { headers: { [name]: isTag ? `W/"<${kind}>"` : `<${kind}>` } }));
}

function queryAsks(name: string, kinds: readonly BaitKind[], make: Make, path: string): Ask[] {
  if (name === 'cursor') return QUERIES.map((query) => make(query, { path: `${path}?${query}` }));
  return kinds.map((kind) => make(`query ${name}: ${kind}`, { path: `${path}?${encodeURIComponent(name)}=<${kind}>` }));
}

/** Everything foreign at once, for callers without access. */
export function wholeAskOf(gate: Gate, operation: DocumentedOperation): Ask {
  const [first] = asksOf(gate, operation, false);
  const headers = { 'Idempotency-Key': '<idempotencyKey>', 'If-None-Match': 'W/"<etag>"', ...first?.headers };
  const method = operation.method.toUpperCase();
  const path = first?.path.split('?', 1).join() ?? gate.base + operation.path;
  const whole = {
    operation: `${method} ${gate.base}${operation.path}`,
    place: 'everywhere',
    method,
    headers,
    body: first?.body,
  };
  const query = '?city=<city>&externalId=<externalId>&cursor=<cursor>&after=<sequence>';
  return { ...whole, path: method === 'GET' ? path + query : path };
}

/** Their own data in every format and encoding: nothing else may be in it. */
export function formatAsksOf({ base }: Gate, { method, path, responses }: DocumentedOperation): Ask[] {
  if (method !== 'get' || path.includes('{')) return [];
  return Object.keys(responses[200]?.content ?? {}).flatMap((type) =>
    ENCODINGS.map((encoding) => ({
      operation: `GET ${base}${path}`,
      place: `${type}, ${encoding}`,
      method: 'GET',
      path: base + path,
      headers: { Accept: type, 'Accept-Encoding': encoding },
    })),
  );
}

/** Each path with every undocumented method. */
export function methodAsksOf({ base, operations }: Gate, isThorough: boolean): Ask[] {
  const asked = operations.filter(({ path }) => isThorough || path.includes('{'));
  const paths = Map.groupBy(asked, ({ path }) => path);
  return [...paths].flatMap(([path, documented]) =>
    METHODS.filter((method) => !documented.some((operation) => operation.method.toUpperCase() === method)).map(
      (method) => ({
        operation: `${method} ${base}${path}`,
        place: 'a method that is not there',
        method,
        path: theirPath(base + path),
        headers: {},
      }),
    ),
  );
}

function theirPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => `<${KINDS[`path.${name}`]?.[0] ?? ID_KINDS[0]}>`);
}

/** The request, with the given values for its marks. */
export function fillIn(ask: Ask, values: Record<string, string>): Sent {
  const put = (text: string) => text.replaceAll(/<(\w+)>/g, (mark, kind) => values[kind] ?? mark);
  const headers = Object.fromEntries(Object.entries(ask.headers).map(([name, value]) => [name, put(value)]));
  return { method: ask.method, path: put(ask.path), headers, body: ask.body === undefined ? undefined : put(ask.body) };
}
