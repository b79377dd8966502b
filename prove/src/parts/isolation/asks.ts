import type { DocumentedOperation } from '../../../../server/test/support/openapi.ts';
import type { BaitKind } from './bait.ts';
import { bodyAsks, withBody } from './bodies.ts';
import type { Sent } from './wire.ts';
import type { Gate } from './world.ts';

/** A request with marks such as `<listingId>` in the places of what is somebody else's. */
export interface Ask extends Sent {
  operation: string;
  /** Which place it is about. */
  place: string;
}

/** What may stand in a place; of what is not named here, every id. */
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
const IDS: BaitKind[] = [
  'accountId',
  'listingId',
  'deletedListingId',
  'externalId',
  'keyId',
  'deletedKeyId',
  'administratorId',
  'memberId',
  'invitationId',
  'auditId',
  'sessionId',
];
/** Queries that a cursor of theirs belongs to. */
const CURSORS = [
  'limit=1&cursor=<cursor>',
  'limit=1&sort=-beds&cursor=<sortedCursor>',
  'limit=1&city=<city>&cursor=<cityCursor>',
  'limit=1&cursor=<activityCursor>',
];
/** Asks with theirs in every place of an operation that takes something; `isThorough` tries every kind of id in each. */
export function asksOf({ base }: Gate, operation: DocumentedOperation, isThorough: boolean): Ask[] {
  const method = operation.method.toUpperCase();
  const kindsOf = (place: string): readonly BaitKind[] => {
    const known = KINDS[place] ?? [];
    return isThorough ? [...new Set([...known, ...IDS])] : known;
  };
  const path = theirPath(base + operation.path);
  const [media] = Object.entries(operation.requestBody?.content ?? {});
  const common = { operation: `${method} ${base}${operation.path}`, method, ...withBody(media) };
  const make = (place: string, given: Partial<Ask>): Ask => ({
    ...common,
    path,
    place,
    ...given,
    headers: { ...common.headers, ...given.headers },
  });
  const parameters = (where: string) => operation.parameters.filter((parameter) => parameter.in === where);
  return [
    ...parameters('path').flatMap(({ name }) =>
      kindsOf(`path.${name}`).map((kind) =>
        make(`${name} in the path: ${kind}`, { path: base + operation.path.replace(`{${name}}`, `<${kind}>`) }),
      ),
    ),
    ...parameters('header').flatMap(({ name }) =>
      kindsOf(`header.${name}`).map((kind) => {
        const value = name === 'If-None-Match' || name === 'If-Match' ? `W/"<${kind}>"` : `<${kind}>`;
        return make(`${name}: ${kind}`, { headers: { [name]: value } });
      }),
    ),
    ...parameters('query').flatMap(({ name }) => {
      if (name === 'cursor') return CURSORS.map((query) => make(query, { path: `${path}?${query}` }));
      const kinds =
        isThorough && !(`query.${name}` in KINDS) ? (['city', 'listingId'] as const) : kindsOf(`query.${name}`);
      return kinds.map((kind) =>
        make(`query ${name}: ${kind}`, { path: `${path}?${encodeURIComponent(name)}=<${kind}>` }),
      );
    }),
    ...bodyAsks(operation, make, kindsOf, isThorough),
  ];
}

/** A path with something of theirs for each of its parameters. */
export function theirPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => `<${KINDS[`path.${name}`]?.[0] ?? IDS[0]}>`);
}

/** The request with what is theirs, or with what never was, in the marked places. */
export function fillIn(ask: Ask, values: Record<string, string>): Sent {
  const put = (text: string) => text.replaceAll(/<(\w+)>/g, (mark, kind) => values[kind] ?? mark);
  const headers = Object.fromEntries(Object.entries(ask.headers).map(([name, value]) => [name, put(value)]));
  return { method: ask.method, path: put(ask.path), headers, body: ask.body === undefined ? undefined : put(ask.body) };
}
