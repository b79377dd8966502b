import sql, { join, raw, type Sql } from 'sql-template-tag';
import { type Box, boxAround, type Circle, EARTH_RADIUS_METRES, toRadians } from '../model/geo.ts';
import type { Condition, Search, SearchColumn } from '../model/search.ts';
import { columnOf } from './functions.ts';
import type { Position } from './searches.ts';

const COMPARISONS = { is: raw('='), gt: raw('>'), gte: raw('>='), lt: raw('<'), lte: raw('<=') };

/** Whether a row of `facets` meets all conditions of a search except those on words. */
export function meets(search: Search): Sql {
  const { circle } = search;
  return circle === undefined ? mayMeet(search) : all([mayMeet(search), isWithin(circle, distance(circle))]);
}

/** Like `meets`, but with a box around the circle instead of the circle. */
export function mayMeet({ conditions, box, circle }: Search): Sql {
  return all([
    ...conditions.map(isMet),
    ...(box === undefined ? [] : [isInBox(box)]),
    ...(circle === undefined ? [] : [isInBox(boxAround(circle))]),
  ]);
}

export function all(tests: Sql[]): Sql {
  return tests.length === 0 ? sql`true` : join(tests, ' and ');
}

export function isMet({ field, operator, value }: Condition): Sql {
  if (operator === 'in') return sql`${column(field)} in (${join([...value])})`;
  return sql`${column(field)} ${COMPARISONS[operator]} ${value}`;
}

/** Whether a row of `listings` has kept its position: no later change than this sequence is to a field of the order. */
export function hasNotMoved(accountId: string, { order }: Search, sequenceMax: number | undefined): Sql {
  if (sequenceMax === undefined) return sql`true`;
  const isUnchanged = sql`listings.sequence <= ${sequenceMax}`;
  if (order.by === 'updatedAt') return isUnchanged;
  const names = order.by === 'distance' ? ['latitude', 'longitude'] : [order.by];
  // In JSON, only the name of a member ends with a quote and a colon: quotes within strings are escaped.
  const isMove = (changes: Sql) =>
    join(
      names.map((name) => sql`${changes} like ${`%"${name}":%`}`),
      ' or ',
    );
  // Counted, because PostgreSQL can turn `not exists` into reading the whole account's history.
  return sql`(${isUnchanged} or (${isMove(raw('listings.changes'))}) is not true and (
      select count(*) from listing_history as former
      where former.account_id = ${accountId} and former.listing_id = listings.id
        and former.sequence > ${sequenceMax} and (${isMove(raw('former.changes'))})
    ) = 0)`;
}

function isInBox({ south, north, longitudes }: Box): Sql {
  const ranges = longitudes.map(([west, east]) => sql`${column('longitude')} between ${west} and ${east}`);
  return sql`${column('latitude')} between ${south} and ${north} and (${join(ranges, ' or ')})`;
}

/** The columns of a cluster, for rows with an id and coordinates. */
export const CLUSTER = raw('count(*), avg(latitude), avg(longitude), max(id)');

/** A row's distance from the antimeridian and the south pole in squares; the integer parts identify the square. */
export function squaresFrom(sideDegrees: number): { column: Sql; row: Sql } {
  const side = raw(String(sideDegrees));
  return { column: sql`(longitude + 180) / ${side}`, row: sql`(latitude + 90) / ${side}` };
}

/** Distances are compared in steps of 0.01 mm, so that the last digits of a sine do not matter. */
export const DISTANCE_STEPS = 1e12;

/** Whether a distance, as `sortValue` gives it, is at most the circle's radius. */
export function isWithin({ radiusMetres }: Circle, value: Sql): Sql {
  // Beyond half a great circle, the sine would decrease again.
  const limit = Math.sin(Math.min(radiusMetres / EARTH_RADIUS_METRES, Math.PI) / 2);
  return sql`${value} <= ${Math.ceil(limit * DISTANCE_STEPS)}`;
}

/** Grows with the great-circle distance: the sine of half the angle (haversine formula), in `DISTANCE_STEPS` steps. */
function distance({ latitude, longitude }: Circle): Sql {
  const northwards = sql`power(sin(radians(${column('latitude')} - ${latitude}) / 2), 2)`;
  const eastwards = sql`power(sin(radians(${column('longitude')} - ${longitude}) / 2), 2)`;
  const square = sql`${northwards} + ${Math.cos(toRadians(latitude))} * cos(radians(${column('latitude')})) * ${eastwards}`;
  return sql`floor(sqrt(${square}) * ${raw(String(DISTANCE_STEPS))})`;
}

/** The value by which a search sorts a row of `facets`; null in a list by id. */
export function sortValue({ order, circle }: Search): Sql {
  if (order.by === 'id') return raw('null');
  if (order.by !== 'distance') return column(order.by);
  if (circle === undefined) throw new Error('A list by distance needs a center');
  return distance(circle);
}

/** Whether a row comes after a position; rows without a value come last, and ties are newest first. */
export function comesAfter(position: Position | undefined, search: Search, sorted = sortValue(search)): Sql {
  if (position === undefined) return sql`true`;
  const { value, id } = position;
  const isOlder = sql`id < ${id}`;
  if (search.order.by === 'id') return isOlder;
  if (value === null) return sql`(${sorted} is null and ${isOlder})`;
  const isBeyond = sql`${sorted} ${search.order.isDescending ? COMPARISONS.lt : COMPARISONS.gt} ${value}`;
  return sql`(${isBeyond} or (${sorted} = ${value} and ${isOlder}) or ${sorted} is null)`;
}

/** The order of a search, for rows with the columns `value` and `id`. */
export function inOrder({ order }: Search): Sql {
  if (order.by === 'id') return raw('id desc');
  return raw(`value ${order.isDescending ? 'desc' : 'asc'} nulls last, id desc`);
}

function column(name: SearchColumn): Sql {
  return raw(`facets.${columnOf(name)}`);
}
