import { EARTH_RADIUS_METRES } from '../../model/geo.ts';
import { termConditions } from '../../model/search-terms.ts';
import type { Run } from '../runs.ts';
import { DISTANCE_STEPS } from '../search-conditions.ts';
import type { Position } from '../searches.ts';
import { findSorted, listed, readMatching } from './match-rows.ts';
import { isOver, type SearchContext } from './search-context.ts';
import { END } from './walk.ts';

const NEAREST_METRES = 250;
/** How much larger the next circle is than one that is expected to have enough matches. */
const CIRCLE_MARGIN = 1.5;
const CIRCLE_GROWTH_MAX = 6;
/** Maximum candidates in one circle, and in all circles of a search. */
const CIRCLE_READ_MAX = 500;
const CIRCLES_READ_MAX = 1_000;

/**
 * The first matches of a list by distance. Reads circles around the center until one has enough matches, but
 * not too many candidates.
 * @returns undefined if that takes too long, or if the list cannot be read this way
 */
export function findNearest(context: SearchContext): Run<unknown[]> | undefined {
  const { index, account, search, wanted, unindexed } = context;
  const { circle, order } = search;
  if (circle === undefined || order.isDescending) return undefined;
  let tooSmall = Math.max(toMetres(wanted.after), NEAREST_METRES / 10);
  let tooLarge = Number.POSITIVE_INFINITY;
  let next = NEAREST_METRES + CIRCLE_MARGIN * tooSmall;
  for (let read = 0; read < CIRCLES_READ_MAX && !isOver(context, read); ) {
    const radiusMetres = Math.min(next, circle.radiusMetres);
    const inside = { ...search, circle: { ...circle, radiusMetres } };
    const match = index.matchAll(account, termConditions(inside));
    if (match === undefined) return undefined;
    const numbers = index.findNewest(match, { after: 0, before: END, limit: CIRCLE_READ_MAX });
    read += numbers.length + 1;
    if (numbers.length === CIRCLE_READ_MAX) {
      tooLarge = radiusMetres;
      next = Math.sqrt(tooSmall * tooLarge);
      continue;
    }
    const candidates = [...new Set([...numbers, ...unindexed])];
    const found = findSorted({ ...context, search: inside }, candidates);
    if (found.length === wanted.limit || radiusMetres === circle.radiusMetres) {
      return readMatching(context, listed(found), wanted.limit);
    }
    tooSmall = radiusMetres;
    const growth = CIRCLE_MARGIN * Math.sqrt(wanted.limit / Math.max(found.length, 1));
    next = radiusMetres * Math.min(growth, CIRCLE_GROWTH_MAX);
    if (next >= tooLarge) next = Math.sqrt(tooSmall * tooLarge);
  }
  return undefined;
}

/** The distance in meters from the circle's center, computed from the sort value of a position. */
function toMetres(position: Position | undefined): number {
  if (position === undefined) return 0;
  return 2 * EARTH_RADIUS_METRES * Math.asin(Math.min(1, Number(position.value) / DISTANCE_STEPS));
}
