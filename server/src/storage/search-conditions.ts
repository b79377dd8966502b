import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Box, boxAround, type Circle, EARTH_RADIUS_METRES, toRadians } from '../model/geo.ts';
import type { Condition, Order, Search, SearchColumn } from '../model/search.ts';
import type { EngineSql } from './database.ts';
import { columnOf } from './functions.ts';
import { hasWords } from './words.ts';

type Test = RawBuilder<SqlBool>;

/** A listing's position in a sorted list. */
export interface Position {
  id: string;
  /** The sort value; null for a listing without such a value, and in a list by id. */
  value: string | number | null;
}

const COMPARISONS = { is: sql`=`, gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` };

/** Whether a row of `facets` belongs to the account and matches a search. */
export function isMatch(engine: EngineSql, accountId: string, { conditions, box, circle, words }: Search): Test {
  const tests = [
    sql<SqlBool>`facets.account_id = ${accountId}`,
    ...conditions.map(isMet),
    ...(box === undefined ? [] : [isInBox(box)]),
    ...(circle === undefined ? [] : [isInBox(boxAround(circle)), isInCircle(circle)]),
    ...(words.length === 0 ? [] : [hasWords(engine, accountId, words)]),
  ];
  return sql`${sql.join(tests, sql` and `)}`;
}

/**
 * Like `isMatch`, but for a listing that matched before. The listing's words are looked up only if they have changed
 * since, because a lookup collects all listings with these words.
 */
export function isStillMatch(
  engine: EngineSql,
  accountId: string,
  search: Search,
  searchRow: RawBuilder<unknown>,
): Test {
  const isMatchButForWords = isMatch(engine, accountId, { ...search, words: [] });
  if (search.words.length === 0) return isMatchButForWords;
  const hasSameWords = sql`facets.search_row = ${searchRow}`;
  return sql`${isMatchButForWords} and (${hasSameWords} or ${hasWords(engine, accountId, search.words)})`;
}

function isMet({ field, operator, value }: Condition): Test {
  if (operator === 'in') return sql`${searchColumn(field)} in (${sql.join(value)})`;
  return sql`${searchColumn(field)} ${COMPARISONS[operator]} ${value}`;
}

function isInBox({ south, north, longitudes }: Box): Test {
  const ranges = longitudes.map(([west, east]) => sql`${searchColumn('longitude')} between ${west} and ${east}`);
  return sql`${searchColumn('latitude')} between ${south} and ${north} and (${sql.join(ranges, sql` or `)})`;
}

/** Distances are compared in steps of 0.01 mm, so that the last digits of a sine do not matter. */
const DISTANCE_STEPS = 1e12;

function isInCircle(circle: Circle): Test {
  // Beyond half a great circle, the sine would decrease again.
  const limit = Math.sin(Math.min(circle.radiusMetres / EARTH_RADIUS_METRES, Math.PI) / 2);
  return sql`${distance(circle)} <= ${Math.ceil(limit * DISTANCE_STEPS)}`;
}

/** Grows with the great-circle distance: the sine of half the angle, by the haversine formula. */
function distance({ latitude, longitude }: Circle): RawBuilder<number> {
  const northwards = sql`power(sin(radians(${searchColumn('latitude')} - ${latitude}) / 2), 2)`;
  const eastwards = sql`power(sin(radians(${searchColumn('longitude')} - ${longitude}) / 2), 2)`;
  const square = sql`${northwards} + ${Math.cos(toRadians(latitude))} * cos(radians(${searchColumn('latitude')})) * ${eastwards}`;
  return sql`floor(sqrt(${square}) * ${sql.lit(DISTANCE_STEPS)})`;
}

export function sortValue({ order, circle }: Search): RawBuilder<Position['value']> {
  if (order.by === 'id') return sql`null`;
  if (order.by !== 'distance') return searchColumn(order.by);
  if (circle === undefined) throw new Error('A list by distance needs a center');
  return distance(circle);
}

/** Whether a row comes after a position; rows without a value come last, and ties are newest first. */
export function comesAfter({ value, id }: Position, search: Search): Test {
  const isOlder = sql<SqlBool>`facets.id < ${id}`;
  if (search.order.by === 'id') return isOlder;
  const sorted = sortValue(search);
  if (value === null) return sql`(${sorted} is null and ${isOlder})`;
  const isBeyond = sql`${sorted} ${beyond(search.order)} ${value}`;
  return sql`(${isBeyond} or (${sorted} = ${value} and ${isOlder}) or ${sorted} is null)`;
}

function beyond({ isDescending }: Order) {
  return isDescending ? COMPARISONS.lt : COMPARISONS.gt;
}

function searchColumn(name: SearchColumn): RawBuilder<string | number | null> {
  return sql.ref(`facets.${columnOf(name)}`);
}
