import sql, { raw } from 'sql-template-tag';
import type { Search } from '../../model/search.ts';
import { columnOf } from '../functions.ts';
import { all, isMet } from '../search-conditions.ts';
import type { Position } from '../searches.ts';
import type { PreparedQueries } from './prepared-queries.ts';

/** The first batch has this many listings, each further one twice as many. */
const BATCH_LENGTHS = { first: 32, max: 1_024 };

/** Above every number. */
const END = Number.MAX_SAFE_INTEGER;

/** The numbers of an account's listings in the order of a search, read from the index of its sort column in batches. */
export function walk(
  queries: PreparedQueries,
  account: number,
  search: Search,
  after: Position | undefined,
): Generator<number[]> {
  const { by } = search.order;
  if (by === 'distance') throw new Error('No index has this order');
  return by === 'id' ? walkIds(queries, account, after) : walkColumn(queries, account, search, after);
}

function* walkIds(queries: PreparedQueries, account: number, after: Position | undefined): Generator<number[]> {
  let lastId = after?.id ?? '~';
  for (const length of batchLengths()) {
    const rows = queries.all(sql`select number, id from listing_facets indexed by listing_facets_id
      where account_id = ${account} and id < ${lastId} order by id desc limit ${length}`);
    yield rows.map(([number]) => Number(number));
    if (rows.length < length) return;
    lastId = String(rows.at(-1)?.[1]);
  }
}

function* walkColumn(
  queries: PreparedQueries,
  account: number,
  { order, conditions }: Search,
  after: Position | undefined,
): Generator<number[]> {
  const name = columnOf(order.by);
  const [column, index] = [raw(`facets.${name}`), raw(`listing_facets_${name}`)];
  const bounds = all(conditions.filter(({ field, operator }) => field === order.by && operator !== 'in').map(isMet));
  const from = sql`from listing_facets as facets indexed by ${index} where account_id = ${account}`;
  const lengths = batchLengths();
  const nextLength = () => lengths.next().value ?? BATCH_LENGTHS.max;

  /** Listings with a value, newest first. Numbers grow with ids. */
  function* walkTies(value: Position['value'], before: number): Generator<number[]> {
    let last = before;
    for (;;) {
      const length = nextLength();
      const rows = queries.all(sql`select number ${from} and ${column} is ${value} and number < ${last}
        order by number desc limit ${length}`);
      yield rows.map(([number]) => Number(number));
      if (rows.length < length) return;
      last = Number(rows.at(-1)?.[0]);
    }
  }

  let value = after?.value;
  if (after !== undefined) yield* walkTies(after.value, findNumberAfter(queries, account, after.id));
  while (value !== null) {
    const length = nextLength();
    const isBeyond =
      value === undefined ? sql`${column} is not null` : sql`${column} ${raw(order.isDescending ? '<' : '>')} ${value}`;
    const rows = queries.all(sql`select number, ${column} ${from} and ${isBeyond} and ${bounds}
      order by ${column} ${raw(order.isDescending ? 'desc' : 'asc')} limit ${length}`);
    const isFull = rows.length === length;
    const lastValue = rows.at(-1)?.[1] as string | number | undefined;
    // The batch may end amid listings with the same value, of which the newest come first.
    yield inTiesNewestFirst(isFull ? rows.filter(([, each]) => each !== lastValue) : rows);
    if (!isFull || lastValue === undefined) break;
    yield* walkTies(lastValue, END);
    value = lastValue;
  }
  const isBounded = bounds.values.length > 0;
  if (value !== null && !isBounded) yield* walkTies(null, END);
}

function* batchLengths(): Generator<number> {
  for (let length = BATCH_LENGTHS.first; ; length = Math.min(2 * length, BATCH_LENGTHS.max)) yield length;
}

/** Sorts the numbers of rows with the same value. The rows are sorted by value. */
function inTiesNewestFirst(rows: unknown[][]): number[] {
  const groups: number[][] = [];
  let lastValue: unknown;
  for (const [number, value] of rows) {
    if (groups.length === 0 || value !== lastValue) groups.push([]);
    groups.at(-1)?.push(Number(number));
    lastValue = value;
  }
  return groups.flatMap((group) => group.sort((one, other) => other - one));
}

/** A number above those of the listings after this one in a list by id, and not above its own. */
export function findNumberAfter(queries: PreparedQueries, account: number, id: string): number {
  const [row] = queries.all(sql`select number from listing_facets indexed by listing_facets_id
    where account_id = ${account} and id < ${id} order by id desc limit 1`);
  return row === undefined ? 0 : Number(row[0]) + 1;
}
