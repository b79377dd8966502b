import fc from 'fast-check';
import { EXTERNAL_IDS, fields, patch, seldom, toJson } from '../../../testkit/src/random-values.ts';
import { eventsQuery, listQuery } from './random-queries.ts';

/**
 * A request. `@id3@`, `@next3@`, `@cursor3@`, and `@etag3@` in its path, headers, or body stand for
 * values from earlier responses, by number; `@epoch@` stands for the database's epoch.
 */
export interface RandomRequest {
  /** The time since the previous request. */
  pauseMs: number;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

type Parts = Partial<Omit<RandomRequest, 'pauseMs'>> & { path: string };

const reference = (kind: string) => fc.nat(40).map((at) => `@${kind}${at}@`);

/** Sometimes includes each of these headers. */
function headers(choices: Record<string, fc.Arbitrary<string>>): fc.Arbitrary<Record<string, string>> {
  const optional = Object.entries(choices).map(([name, value]) => {
    const header = value.map((given) => ({ [name]: given }));
    return seldom(5, header, {});
  });
  return fc.tuple(...optional).map((all) => Object.assign({}, ...all));
}

/** Mostly a good value, sometimes a bad one. */
function either(good: readonly string[], bad: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...good) },
    { weight: 1, arbitrary: fc.constantFrom(...bad) },
  );
}

const idempotencyKey = either(['k1', '"k1"', 'k2', 'k3', 'k4'], ['bad key', '']);
const version = either(['"1"', '"2"', '*', '"1", "2", "3"'], ['W/"1"', 'bad', '@etag1@']);
const preconditions = { 'Idempotency-Key': idempotencyKey, 'If-Match': version };
const accept = either(
  ['application/json', 'application/x-ndjson', 'text/csv', 'application/geo+json', '*/*;q=0.5, text/csv;q=0.1'],
  ['text/html'],
);
const reading = headers({ Accept: accept, 'If-None-Match': fc.oneof(reference('etag'), version) });

const id = fc.oneof(
  { weight: 15, arbitrary: reference('id') },
  { weight: 1, arbitrary: fc.constantFrom('lst_00000000000000000000000000', 'lst_%00', 'nobody', '%F0%9F%98%80') },
);
const externalId = either(EXTERNAL_IDS.map(encodeURIComponent), ['%00', 'a%00b', '%ff', '%20a%20', '.', '%ED%A0%80']);
const byId = id.map((given) => `/listings/${given}`);
const byExternalId = externalId.map((given) => `/listings/external/${given}`);
const one = fc.oneof(byId, byExternalId);

const BROKEN = ['', '{', '[]', '{"beds":1,"beds":2}', '"\\u0000"', '\u0000', 'null', '{"address":"\\ud800"}'];

function changing(
  method: string,
  path: fc.Arbitrary<string>,
  value: fc.Arbitrary<object>,
  given: Record<string, fc.Arbitrary<string>> = preconditions,
): fc.Arbitrary<Parts> {
  const body = fc.oneof(
    { weight: 20, arbitrary: value.map(toJson) },
    { weight: 1, arbitrary: fc.constantFrom(...BROKEN) },
  );
  return fc
    .tuple(path, body, headers(given))
    .map(([to, text, more]) => ({ method, path: to, body: text, headers: { ...JSON_TYPE, ...more } }));
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

const row = fc
  .tuple(fields, seldom(5, reference('id'), ''))
  .map(([given, known]) => (known === '' ? given : { ...given, id: known }));
const mode = either(
  [
    ...['', '', '?dryRun=true', '?ignoreUnknown=true', '?mode=replace', '?clean=true', '?map[Colour]=metadata.colour'],
    ...['?values[status:x]=closed&defaults[city]=y', '?clean=true&decimal=comma'],
  ],
  [
    ...['?atomic=maybe', '?dryRun=true&atomic=true', '?map[x]=y', '?map[city]=&clean=true&dates=mdy'],
    ...['?values[x]=y', '?defaults[beds]=z'],
  ],
);

/** A JSON array or NDJSON. */
const jsonImport: fc.Arbitrary<Parts> = fc
  .tuple(
    fc.array(row, { maxLength: 12 }),
    fc.oneof(mode, fc.constant('?atomic=true')),
    fc.boolean(),
    seldom(3, idempotencyKey, ''),
  )
  .map(([rows, how, isArray, key]) => ({
    method: 'POST',
    path: `/imports${how}`,
    headers: {
      'Content-Type': isArray ? 'application/json' : 'application/x-ndjson',
      ...(how.includes('atomic') && key !== '' && { 'Idempotency-Key': key }),
    },
    body: isArray ? toJson(rows) : rows.map((value) => `${toJson(value)}\n`).join(''),
  }));

const COLUMNS = ['address', 'beds', 'baths', 'externalId', 'ListPrice', 'city', 'metadata', 'Colour'];
const cells = fc.tuple(
  either(['Elm', "'=1+1", '"a, ""b"""', 'é'], ['', 'a\0b']),
  either(['1', '2', ' 3 ', '1e0'], ['-0', '2.5', '', 'x']),
  either(['1', '2'], ['1e3']),
  either(['', 'a', 'b/c', 'é'], ['a\0b']),
  either(['', '0.10', '450000.50'], ['=1', '1,000']),
  either(['', 'Austin', 'Łódź'], ["'"]),
  either(['', '"{""m"":1.50}"'], ['{}', '[]', '{']),
  fc.constant('red'),
);
const csvImport: fc.Arbitrary<Parts> = fc
  .tuple(fc.array(cells, { maxLength: 6 }), fc.integer({ min: 3, max: 8 }), mode)
  .map(([rows, width, how]) => ({
    method: 'POST',
    path: `/imports${how}`,
    headers: { 'Content-Type': 'text/csv' },
    body: [COLUMNS, ...rows].map((line) => line.slice(0, width).join()).join('\r\n'),
  }));

const other = fc.constantFrom<Parts>(
  { path: '/me' },
  { path: '/openapi.json' },
  { path: '/nowhere' },
  { method: 'PUT', path: '/listings' },
  { method: 'HEAD', path: '/listings?count=true' },
  { method: 'HEAD', path: '/events' },
  { path: '/me', headers: { Authorization: 'Bearer plk_nobody' } },
  { method: 'POST', path: '/listings', body: 'a', headers: { 'Content-Type': 'text/plain' } },
);

/** GET requests to these paths. */
function get(path: fc.Arbitrary<string>): fc.Arbitrary<Parts> {
  return fc.tuple(path, reading).map(([from, given]) => ({ path: from, headers: given }));
}

const list = listQuery.map((query) => `/listings?${query}`);
/** Fields without an external ID, which is in the path. */
const unnamed = fields.map((given) => ({ ...given, externalId: undefined }));
const putting = changing('PUT', byExternalId, unnamed, { ...preconditions, 'If-None-Match': version });
const removing = fc
  .tuple(one, headers(preconditions))
  .map(([path, given]): Parts => ({ method: 'DELETE', path, headers: given }));

const request: fc.Arbitrary<Parts> = fc.oneof(
  { weight: 8, arbitrary: changing('POST', fc.constant('/listings'), fields, { 'Idempotency-Key': idempotencyKey }) },
  { weight: 6, arbitrary: changing('PATCH', byId, patch) },
  { weight: 4, arbitrary: putting },
  { weight: 2, arbitrary: removing },
  { weight: 3, arbitrary: jsonImport },
  { weight: 2, arbitrary: csvImport },
  { weight: 3, arbitrary: get(one) },
  { weight: 16, arbitrary: get(list) },
  { weight: 5, arbitrary: get(reference('next')) },
  { weight: 3, arbitrary: get(eventsQuery.map((query) => `/events?${query}`)) },
  { weight: 1, arbitrary: other },
);

/** Longer than the day for which some records are stored. */
const HOURS_25_MS = 90_000_000;
const pauseMs = seldom(100, fc.constant(HOURS_25_MS), undefined).chain((long) =>
  long === undefined ? fc.constantFrom(0, 0, 1, 999, 60_000) : fc.constant(long),
);

const FIRST_LISTINGS = 30;
/** The account's first listings. */
const first = fc
  .array(fields, { minLength: 1, maxLength: FIRST_LISTINGS, size: 'max' })
  .map((rows): Parts => ({ method: 'POST', path: '/imports', headers: JSON_TYPE, body: toJson(rows) }));

const complete = ([parts, pause]: [Parts, number]): RandomRequest => ({
  method: 'GET',
  headers: {},
  body: undefined,
  ...parts,
  pauseMs: pause,
});
const each = fc.record({
  request: fc.tuple(request, pauseMs).map(complete),
  /** Unless 0, the request this many positions earlier is repeated instead. */
  repeated: seldom(12, fc.nat(8), 0),
});

/** A client's sequence of at most `countMax` requests. */
export function requests(countMax: number): fc.Arbitrary<RandomRequest[]> {
  const others = fc.array(each, { maxLength: countMax - 1, size: 'max' });
  return fc.tuple(fc.tuple(first, fc.constant(0)).map(complete), others).map(([start, rest]) => {
    const all = [start];
    for (const { request, repeated } of rest) all.push((repeated > 0 ? all.at(-repeated) : undefined) ?? request);
    return all;
  });
}
