import { clusterListings } from '../../domain/listings/find-listings.ts';
import { type Box, toBox } from '../../model/geo.ts';
import { mapOperation, SQUARES_MAX, sideAt } from '../contract/operations/map.ts';
import { toSearch } from '../contract/schemas/searches.ts';
import { endpoint } from '../endpoint.ts';
import { abortWhenLeft } from '../protocol/exchange.ts';
import { replyJson } from '../protocol/reply.ts';

const WORLD = toBox(-180, -90, 180, 90);

export const mapEndpoints = [
  endpoint(mapOperation, async (exchange, { query, services: { database } }) => {
    const { bbox = WORLD, zoom = 0, ...filters } = query;
    const { box, side } = squaresAround(bbox, zoom);
    const search = toSearch({ ...filters, bbox: box, near: undefined, radius: undefined, sort: undefined });
    const signal = abortWhenLeft(exchange);
    const clusters = await clusterListings(database, exchange.principal, search, side, signal);
    const data = clusters.map(({ newestId, ...cluster }) => ({
      ...cluster,
      id: cluster.count === 1 ? newestId : null,
    }));
    return { ...replyJson(200, JSON.stringify({ data, side })), isCompressible: true };
  }),
];

/** The whole squares that a box touches, at the highest zoom level up to `zoom` at which they are few enough. */
function squaresAround(given: Box, zoom: number): { box: Box; side: number } {
  const side = sideAt(zoom);
  const [south, north] = widen(given.south, given.north, -90, side);
  const longitudes = given.longitudes.map(([west, east]) => widen(west, east, -180, side));
  const width = longitudes.reduce((sum, [west, east]) => sum + east - west, 0);
  // The added row and column are for the pole and the antimeridian, which have squares of their own.
  if ((width / side + 1) * ((north - south) / side + 1) > SQUARES_MAX) return squaresAround(given, zoom - 1);
  return { box: { south, north, longitudes }, side };
}

/** Moves the ends of a range outward to the borders of squares. The first square begins at `first`. */
function widen(from: number, to: number, first: number, side: number): [number, number] {
  const toBorder = (degrees: number, further: number) =>
    Math.min(-first, first + (Math.floor((degrees - first) / side) + further) * side);
  return [toBorder(from, 0), toBorder(to, 1)];
}
