import sql, { raw, type Sql } from 'sql-template-tag';
import type { Condition, Order, Search } from '../../model/search.ts';
import { columnOf } from '../functions.ts';
import { all, isMet } from '../search-conditions.ts';
import type { Position } from '../searches.ts';
import type { PreparedQueries } from './prepared-queries.ts';

/** Greater than the number of any listing. */
export const END = Number.MAX_SAFE_INTEGER;

/** The first batch has at most `first` listings. Each further batch is twice as large, up to `max`. */
const BATCH_LENGTHS = { first: 32, max: 256 };

/** A listing's number, and its value in the sort column. */
export type FoundRow = readonly [number: number, value: Position['value']];

/** Whether `walk` returns only matches, so their rows do not have to be checked. */
export function isWalked({ conditions, box, circle, words, order }: Search): boolean {
  if (box !== undefined || circle !== undefined || words.length > 0) return false;
  return conditions.every((condition) => isBound(condition, order));
}

function isBound({ field, operator }: Condition, { by }: Order): boolean {
  return field === by && operator !== 'in';
}

/** An account's listings in the order of a search, read in batches from the index of its sort column. */
export function walk(
  queries: PreparedQueries,
  account: number,
  search: Search,
  after: Position | undefined,
  firstMax: number,
): Generator<FoundRow[]> {
  const { by } = search.order;
  if (by === 'distance') throw new Error('No index has this order');
  const lengths = batchLengths(firstMax);
  return by === 'id' ? walkIds(queries, account, after, lengths) : walkColumn(queries, account, search, after, lengths);
}

function* walkIds(
  queries: PreparedQueries,
  account: number,
  after: Position | undefined,
  lengths: Iterable<number>,
): Generator<FoundRow[]> {
  let lastId = after?.id ?? '~';
  for (const length of lengths) {
    const rows = queries.all(sql`select number, id from listing_facets indexed by listing_facets_id
      where account_id = ${account} and id < ${lastId} order by id desc limit ${length}`);
    yield rows.map(([number]) => [Number(number), null]);
    if (rows.length < length) return;
    lastId = String(rows.at(-1)?.[1]);
  }
}

/** The listings with `value` and numbers below `before` come next. */
interface Place {
  value: Position['value'];
  before: number;
}

function* walkColumn(
  queries: PreparedQueries,
  account: number,
  { order, conditions }: Search,
  after: Position | undefined,
  lengths: Iterable<number>,
): Generator<FoundRow[]> {
  const name = columnOf(order.by);
  const [column, index] = [raw(`facets.${name}`), raw(`listing_facets_${name}`)];
  const beyond = order.isDescending ? raw('<') : raw('>');
  const sorted = order.isDescending ? sql`${column} desc, number desc` : column;
  const bounds = all(conditions.filter((condition) => isBound(condition, order)).map(isMet));
  const from = sql`from listing_facets as facets indexed by ${index} where account_id = ${account}`;
  const ties = ({ value, before }: Place, length: number) => sql`select number, ${column} as value ${from}
    and ${column} is ${value} and number < ${before} order by number desc limit ${length}`;
  const others = (isBeyond: Sql, length: number) => sql`select number, ${column} as value ${from}
    and ${isBeyond} and ${bounds} order by ${sorted} limit ${length}`;

  let place = after && { value: after.value, before: findNumberAfter(queries, account, after.id) };
  for (const length of lengths) {
    let next: Sql;
    if (place === undefined) next = others(sql`${column} is not null`, length);
    else if (place.value === null) next = ties(place, length);
    else {
      next = sql`select * from (${ties(place, length)})
        union all select * from (${others(sql`${column} ${beyond} ${place.value}`, length)}) limit ${length}`;
    }
    const rows = queries.all(next) as unknown as FoundRow[];
    const isFull = rows.length === length;
    const [lastNumber = 0, lastValue = null] = rows.at(-1) ?? [];
    // In ascending order, listings with the same value are not read newest first, and the batch may lack some
    // of those with the last value.
    const isCut = isFull && !order.isDescending && (place === undefined || lastValue !== place.value);
    yield inTiesNewestFirst(isCut ? rows.filter(([, value]) => value !== lastValue) : rows);
    if (isFull) place = { value: lastValue, before: isCut ? END : lastNumber };
    else if (place?.value === null || bounds.values.length > 0) return;
    else place = { value: null, before: END };
  }
}

function* batchLengths(firstMax: number): Generator<number> {
  const { first, max } = BATCH_LENGTHS;
  for (let length = Math.min(first, firstMax); ; length = Math.min(2 * length, max)) yield length;
}

/** Sorts rows newest first within each value. The rows are already sorted by value. */
function inTiesNewestFirst(rows: FoundRow[]): FoundRow[] {
  const groups: FoundRow[][] = [];
  for (const row of rows) {
    if (groups.at(-1)?.[0]?.[1] !== row[1]) groups.push([]);
    groups.at(-1)?.push(row);
  }
  return groups.flatMap((group) => group.sort(([one], [other]) => other - one));
}

/**
 * In a list by id, the lowest number above the numbers of all listings that follow the listing with this id. It
 * is at most that listing's own number.
 */
export function findNumberAfter(queries: PreparedQueries, account: number, id: string): number {
  const [row] = queries.all(sql`select number from listing_facets indexed by listing_facets_id
    where account_id = ${account} and id < ${id} order by id desc limit 1`);
  return row === undefined ? 0 : Number(row[0]) + 1;
}
