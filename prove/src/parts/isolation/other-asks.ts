import type { DocumentedOperation } from '../../../../server/test/support/openapi.ts';
import { type Ask, asksOf, theirPath } from './asks.ts';
import type { Gate } from './world.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'];
const ENCODINGS = ['identity', 'gzip', 'br'];
/** Everything of theirs at once: for who is not even let in. */
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

/** What is their own, as every type and in every compression: nothing else may be among it. */
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

/** Each path, or each that takes an id, with every method that the document does not name. */
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
