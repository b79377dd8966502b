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
    const search = toSearch({ ...filters, bbox, near: undefined, radius: undefined, sort: undefined });
    const signal = abortWhenLeft(exchange);
    const side = sideWithin(bbox, zoom);
    const clusters = await clusterListings(database, exchange.principal, search, side, signal);
    const data = clusters.map(({ newestId, ...cluster }) => ({
      ...cluster,
      id: cluster.count === 1 ? newestId : null,
    }));
    return { ...replyJson(200, JSON.stringify({ data, side })), isCompressible: true };
  }),
];

/** The side of the squares at the highest zoom level, up to `zoom`, at which the box has few enough squares. */
function sideWithin({ south, north, longitudes }: Box, zoom: number): number {
  const width = longitudes.reduce((sum, [west, east]) => sum + east - west, 0);
  const side = sideAt(zoom);
  return (width / side) * ((north - south) / side) > SQUARES_MAX
    ? sideWithin({ south, north, longitudes }, zoom - 1)
    : side;
}
