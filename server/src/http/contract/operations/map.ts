import { z } from 'zod';
import type { Operation } from '../operation.ts';
import { count } from '../schemas/fields.ts';
import { integerParameter } from '../schemas/parameters.ts';
import { searchParameters } from '../schemas/searches.ts';
import { okReply, served } from './common.ts';

const { near: _, radius: __, sort: ___, ...filters } = searchParameters;

/** Several times as many squares as a large screen shows. */
export const SQUARES_MAX = 4_000;
const ZOOM_MAX = 20;
/** A map tile of 256 pixels is four squares wide. */
const SQUARES_PER_TILE = 4;

export const mapQuery = z.strictObject({
  ...filters,
  zoom: integerParameter(
    0,
    ZOOM_MAX,
    `The zoom level of the map; default 0. At level 0, the world is ${SQUARES_PER_TILE} squares wide, and each higher ` +
      'level halves the sides of the squares.',
    9,
  ).optional(),
});

/** The side length of a square, in degrees. */
export function sideAt(zoom: number): number {
  return 360 / (SQUARES_PER_TILE * 2 ** zoom);
}

const cluster = z
  .object({
    count: count('Number of listings in the square, at least 1.'),
    latitude: z.number().meta({ description: 'The mean latitude of these listings, in degrees.' }),
    longitude: z.number().meta({ description: 'The mean longitude of these listings, in degrees.' }),
    id: z.string().nullable().meta({ description: 'The id of the listing, if it is alone in its square.' }),
  })
  .meta({ id: 'Cluster' });

const map = z
  .object({
    data: z.array(cluster),
    side: z.number().meta({
      description:
        'The side length of the squares, in degrees. The first square begins at longitude -180 and latitude -90.',
    }),
  })
  .meta({ id: 'Map' });

export const mapOperation: Operation<'member', typeof mapQuery> = {
  method: 'get',
  path: '/map',
  operationId: 'retrieveMap',
  summary: 'Show listings on a map',
  description:
    'Counts the listings that match the filters in each square of a grid. With `bbox`, only the listings in the ' +
    'squares that it touches are counted; by default, all matching listings are counted. ' +
    `Listings without coordinates are left out. If there are more than ${SQUARES_MAX.toLocaleString('en-US')} squares, ` +
    'the grid of a lower zoom level is used.',
  caller: 'member',
  query: mapQuery,
  replies: [
    okReply('The squares that have listings.', map, {
      data: [{ count: 1, latitude: served.latitude, longitude: served.longitude, id: served.id }],
      side: 90,
    }),
  ],
  errors: ['invalid_query'],
};
