import type { SQLInputValue } from 'node:sqlite';

/** The query parameters of a list, checked by `LIST_QUERY`. */
export type ListQuery = Record<string, SQLInputValue | undefined> &
  Partial<Record<'q' | 'bbox' | 'near' | 'radius' | 'sort' | 'cursor', string>> & { limit?: number; count?: boolean };

/** The text does not contain the values, so that a few prepared statements serve all requests. */
export type Query = { text: string; values: SQLInputValue[] };

const NAMES = { status: 'status', propertyType: 'property_type', city: 'city' };
const NUMBERS = { beds: 'beds', baths: 'baths', listPrice: 'list_price', yearBuilt: 'year_built' };
const filters = new Map([
  ...Object.entries(NAMES).map(([name, column]) => [name, `${column} = ?`] as const),
  ...Object.entries(NUMBERS).flatMap(([name, column]) => [
    [name, `${column} = ?`] as const,
    [`${name}[gte]`, `${column} >= ?`] as const,
    [`${name}[lte]`, `${column} <= ?`] as const,
  ]),
]);

const text = { type: 'string', minLength: 1 };
export const LIST_QUERY = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...Object.fromEntries([...filters.keys()].map((name) => [name, name in NAMES ? text : { type: 'number' }])),
    ...{ q: text, cursor: text, count: { type: 'boolean' }, limit: { type: 'integer', minimum: 1, maximum: 1000 } },
    bbox: { type: 'string', pattern: '^-?[\\d.]+(,-?[\\d.]+){3}$' },
    near: { type: 'string', pattern: '^-?[\\d.]+,-?[\\d.]+$' },
    radius: { type: 'string', pattern: '^[\\d.]+km$' },
    sort: { enum: ['listPrice', '-listPrice'] },
  },
  dependencies: { near: ['radius'], radius: ['near'] },
};

const EARTH_RADIUS_KM = 6371.0088;
const DISTANCE = `(${2 * EARTH_RADIUS_KM} * asin(sqrt(
  power(sin(radians(latitude - ?) / 2), 2) + cos(radians(latitude)) * cos(radians(?)) * power(sin(radians(longitude - ?) / 2), 2)
)))`;

/** Builds two statements: one that reads a page or, without `limit`, all matches, and one that counts all matches. */
export function buildSearch(account: string, query: ListQuery): { page: Query; count: Query } {
  const { q, bbox, near, radius = '', sort, cursor, limit } = query;
  // The places come first, because SQLite's estimates are too high for small boxes.
  const tables = [bbox === undefined && near === undefined ? 'listings' : 'places cross join listings using (row)'];
  const tests: Query[] = [{ text: 'account = ?', values: [account] }];
  for (const [name, test] of filters) {
    const value = query[name];
    if (value !== undefined) tests.push({ text: test, values: [value] });
  }
  // The word index can return its rows in descending order, so that a page of the newest matches does not have
  // to be sorted.
  const row = q === undefined ? 'listings.row' : 'words.rowid';
  if (q !== undefined) {
    tables.push('words on words.rowid = listings.row');
    tests.push({ text: 'words match ?', values: [q.replaceAll(/[\p{L}\p{N}]+/gu, '"$&"*')] });
  }
  if (bbox !== undefined) {
    tests.push(...inBox(bbox.split(',').map(Number)));
  }
  let value: Query = { text: 'null', values: [] };
  let order = `${row} desc`;
  if (near !== undefined) {
    const [latitude = 0, longitude = 0] = near.split(',').map(Number);
    value = { text: DISTANCE, values: [latitude, latitude, longitude] };
    order = `value, ${row} desc`;
    tests.push(...inBox(boxAround(latitude, longitude, Number.parseFloat(radius))));
    tests.push({ text: `${DISTANCE} <= ?`, values: [...value.values, Number.parseFloat(radius)] });
  }
  if (sort !== undefined) {
    value = { text: 'list_price', values: [] };
    order = `list_price ${sort === 'listPrice' ? 'asc nulls last' : 'desc'}, ${row} desc`;
  }
  const from = `from ${tables.join(' join ')} where`;
  const after = cursor === undefined ? [] : comesAfter(cursor, sort, row);
  const paged = join([...tests, ...after]);
  const all = join(tests);
  return {
    page: {
      text: `select ${row} as row, ${value.text} as value, doc ${from} ${paged.text} order by ${order} limit ?`,
      values: [...value.values, ...paged.values, limit === undefined ? -1 : limit + 1],
    },
    count: { text: `select count(*) as total ${from} ${all.text}`, values: all.values },
  };
}

export function writeCursor(value: unknown, row: unknown): string {
  return Buffer.from(JSON.stringify([value, row])).toString('base64url');
}

/** Builds a condition for the rows after the cursor. SQLite can seek their position in the index of the sort order. */
function comesAfter(cursor: string, sort: string | undefined, row: string): Query[] {
  const [value, last] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  if (sort === undefined) return [{ text: `${row} < ?`, values: [last] }];
  const sign = sort === 'listPrice' ? '>' : '<';
  return [{ text: `list_price ${sign}= ? and (list_price ${sign} ? or ${row} < ?)`, values: [value, value, last] }];
}

/** Builds conditions for the listings in a box. The R*Tree rounds to 32 bits, so the columns are compared, too. */
function inBox([west = 0, south = 0, east = 0, north = 0]: number[]): Query[] {
  const values = [south, north, west, east];
  return [
    { text: 'places.north >= ? and places.south <= ? and places.east >= ? and places.west <= ?', values },
    { text: 'latitude >= ? and latitude <= ? and longitude >= ? and longitude <= ?', values },
  ];
}

function boxAround(latitude: number, longitude: number, radiusKm: number): number[] {
  const height = (radiusKm / EARTH_RADIUS_KM) * (180 / Math.PI) * 1.001;
  const width = height / Math.cos((latitude * Math.PI) / 180);
  return [longitude - width, latitude - height, longitude + width, latitude + height];
}

function join(tests: readonly Query[]): Query {
  return { text: tests.map((test) => test.text).join(' and '), values: tests.flatMap((test) => test.values) };
}
