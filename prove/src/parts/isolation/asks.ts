import type { DocumentedOperation } from '../../../../testkit/src/openapi.ts';
import { type BaitKind, ID_KINDS } from './filling.ts';
import type { Sent } from './tenant.ts';
import type { Gate } from './world.ts';

/** The kinds of others' values that fit each parameter. A thorough trial adds `QUERIED` (queries) or `ID_KINDS`. */
const KINDS: Record<string, BaitKind[]> = {
  'path.id': ['listingId', 'deletedListingId'],
  'path.externalId': ['externalId'],
  'path.keyId': ['keyId', 'deletedKeyId'],
  'path.memberId': ['administratorId', 'memberId'],
  'path.invitationId': ['invitationId'],
  'path.entryId': ['entryId'],
  'query.after': ['sequence'],
  'query.at': ['sequence'],
  'query.listingId': ['listingId', 'deletedListingId'],
  'query.cursor': ['cursor'],
  'query.keyId': ['keyId', 'deletedKeyId'],
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
/** The further kinds that a thorough trial sends in query parameters. */
const QUERIED: BaitKind[] = ['city', 'listingId'];
/** Queries that match the parameters of another account's cursor, or that would count or find its data. */
const QUERIES = [
  ...['city=<city>&count=true', 'q=<city>&count=true', 'near=30,-97&radius=100km', 'bbox=-98,29,-96,31'],
  'limit=1&cursor=<cursor>',
  'limit=1&sort=-beds&cursor=<sortedCursor>',
  'limit=1&city=<city>&cursor=<cityCursor>',
  'limit=1&cursor=<activityCursor>',
  'limit=1&cursor=<requestsCursor>',
];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'];
const ENCODINGS = ['identity', 'gzip', 'br'];

/** Requests with another account's values in each parameter and member; `isThorough` adds further kinds of values. */
export function asksOf({ base }: Gate, operation: DocumentedOperation, isThorough: boolean): Ask[] {
  const method = operation.method.toUpperCase();
  const path = theirPath(base + operation.path);
  const [[type, media] = []] = Object.entries(operation.requestBody?.content ?? {});
  const headers: Ask['headers'] = type === undefined ? {} : { 'Content-Type': type };
  const body = type === undefined ? undefined : textOf(media?.example);
  const common = { operation: `${method} ${base}${operation.path}`, method, headers, body };
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
      const pathWith = (kind: string) => (base + operation.path).replace(`{${name}}`, `<${kind}>`);
      return kinds.map((kind) => make(`${name} in the path: ${kind}`, { path: pathWith(kind) }));
    }
    if (where === 'header') return headerAsks(name, kinds, make);
    if (name === 'cursor') return QUERIES.map((query) => make(query, { path: `${path}?${query}` }));
    const queryWith = (kind: string) => `${encodeURIComponent(name)}=<${kind}>`;
    return kinds.map((kind) => make(`query ${name}: ${kind}`, { path: `${path}?${queryWith(kind)}` }));
  });
  return [...all, ...bodyAsks(operation, make, kindsOf, isThorough)];
}

function headerAsks(name: string, kinds: readonly BaitKind[], make: Make): Ask[] {
  // Clients choose request ids freely.
  if (name === 'X-Request-Id') return [];
  const isTag = name === 'If-None-Match' || name === 'If-Match';
  return kinds.map((kind) => make(`${name}: ${kind}`, { headers: { [name]: isTag ? `W/"<${kind}>"` : `<${kind}>` } }));
}

/** Builds one request with several of another account's values at once. */
export function wholeAskOf(gate: Gate, operation: DocumentedOperation): Ask {
  const [first] = asksOf(gate, operation, false);
  const headers = { 'Idempotency-Key': '<idempotencyKey>', 'If-None-Match': 'W/"<etag>"', ...first?.headers };
  const method = operation.method.toUpperCase();
  const start = first?.path.split('?', 1).join() ?? gate.base + operation.path;
  const path =
    method === 'GET' ? `${start}?city=<city>&externalId=<externalId>&cursor=<cursor>&after=<sequence>` : start;
  const name = `${method} ${gate.base}${operation.path}`;
  return { operation: name, place: 'everywhere', method, headers, body: first?.body, path };
}

/** Requests for the caller's own data in every format. The responses must not contain other accounts' data. */
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

/** Requests with undocumented methods. Without `isThorough`, only for paths with a parameter. */
export function methodAsksOf({ base, operations }: Gate, isThorough: boolean): Ask[] {
  const place = 'an undocumented method';
  const documented = new Set(operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`));
  const paths = new Set(operations.map(({ path }) => path).filter((path) => isThorough || path.includes('{')));
  return [...paths].flatMap((path) =>
    METHODS.filter((method) => !documented.has(`${method} ${path}`)).map((method) => {
      return { operation: `${method} ${base}${path}`, place, method, path: theirPath(base + path), headers: {} };
    }),
  );
}

function theirPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => `<${KINDS[`path.${name}`]?.[0] ?? ID_KINDS[0]}>`);
}

export function fillIn(ask: Ask, values: Record<string, string>): Sent {
  const put = (text: string) => text.replaceAll(/<(\w+)>/g, (mark, kind) => values[kind] ?? mark);
  const headers = Object.fromEntries(Object.entries(ask.headers).map(([name, value]) => [name, put(value)]));
  return { method: ask.method, path: put(ask.path), headers, body: ask.body === undefined ? undefined : put(ask.body) };
}

/** Members that the schemas of most operations do not contain. */
const EXTRAS: BaitKind[] = ['accountId', 'listingId', 'keyId', 'memberId'];
/** How to write a file with one row, by its type. */
const FILES: [type: string, write: (name: string, value: string) => string][] = [
  ['application/x-ndjson', (name, value) => `{"${name}":"${value}","address":"1","beds":1,"baths":1}\n`],
  ['application/json', (name, value) => `[{"${name}":"${value}","address":"1","beds":1,"baths":1}]`],
  ['text/csv', (name, value) => `${name},address,beds,baths\n${value},1,1,1\n`],
];
/** The examples' password, which these requests must not contain. */
const EXAMPLE_PASSWORD = 'correct horse battery staple';
const UNTOUCHED = new Set(['password', 'currentPassword', 'newPassword', 'code']);

function textOf(example: unknown): string {
  const text = typeof example === 'string' ? example : JSON.stringify(example);
  return text
    .replaceAll(EXAMPLE_PASSWORD, 'a wrong password')
    .replaceAll(/MLS-\d+(\d)/g, '<own>-$1')
    .replaceAll(/\w+(?=@example\.com)/g, '<own>');
}

/** Builds requests with another account's ids as members of an object and in the rows of a file. */
function bodyAsks(operation: DocumentedOperation, make: Make, kindsOf: KindsOf, isThorough: boolean): Ask[] {
  if (operation.path === '/imports') return fileAsks(make);
  const own = make('', {}).path.replace('<listingId>', '<ownListingId>');
  return Object.entries(operation.requestBody?.content ?? {}).flatMap(([type, { example }]) => {
    if (typeof example !== 'object' || example === null) return [];
    const send = (place: string, members: object) =>
      make(place, { path: own, headers: { 'Content-Type': type }, body: textOf({ ...example, ...members }) });
    const members = new Set([
      ...Object.keys(example),
      ...(operation.path.startsWith('/listings') ? ['externalId'] : []),
    ]);
    const named = [...members.difference(UNTOUCHED)].flatMap((name) =>
      kindsOf(`body.${name}`).map((kind) => send(`member ${name}: ${kind}`, { [name]: `<${kind}>` })),
    );
    const extras = EXTRAS.map((kind): [string, string] => [kind, `<${kind}>`]);
    const each = isThorough ? extras.map(([name, value]) => send(`a member ${name}`, { [name]: value })) : [];
    return [...named, send('unexpected members', Object.fromEntries(extras)), ...each];
  });
}

function fileAsks(make: Make): Ask[] {
  const path = make('', {}).path;
  return FILES.flatMap(([type, write]) =>
    ['', '?dryRun=true', '?atomic=true'].flatMap((query) =>
      (['id', 'externalId'] as const).map((name) =>
        make(`${name} of a row of ${type}${query}`, {
          path: path + query,
          headers: { 'Content-Type': type },
          body: write(name, name === 'id' ? '<listingId>' : '<externalId>'),
        }),
      ),
    ),
  );
}

/** A request with marks, such as `<listingId>`, for objects of another account. */
export interface Ask extends Sent {
  operation: string;
  place: string;
}

type Make = (place: string, given: Partial<Ask>) => Ask;

type KindsOf = (place: string) => readonly BaitKind[];
