import { z } from 'zod';
import { operation } from '../operation.ts';
import { count, namedObject } from '../schemas/fields.ts';
import { integerParameter } from '../schemas/parameters.ts';
import { searchParameters } from '../schemas/searches.ts';
import { okReply, served } from './common.ts';

const { near: _, radius: __, sort: ___, ...filters } = searchParameters;

/** Several times as many squares as a large screen shows. */
export const SQUARES_MAX = 4_000;
const ZOOM_MAX = 20;
/** A map tile of 256 pixels is four squares wide. */
const SQUARES_PER_TILE = 4;

const mapQuery = z.strictObject({
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

const cluster = namedObject('Cluster', {
  count: count('Number of listings in the square, at least 1.'),
  latitude: z.number().describe('The mean latitude of these listings, in degrees.'),
  longitude: z.number().describe('The mean longitude of these listings, in degrees.'),
  id: z.string().nullable().describe('The id of the listing, if it is alone in its square.'),
});

const map = namedObject('Map', {
  data: z.array(cluster),
  side: z
    .number()
    .describe(
      'The side length of the squares, in degrees. The first square begins at longitude -180 and latitude -90.',
    ),
});

export const mapOperation = operation('member', 'get', '/map', {
  operationId: 'retrieveMap',
  summary: 'Show listings on a map',
  description:
    'Counts the listings that match the filters in each square of a grid. With `bbox`, only the listings in the ' +
    'squares that it touches are counted; by default, all matching listings are counted. ' +
    `Listings without coordinates are left out. If there are more than ${SQUARES_MAX.toLocaleString('en-US')} squares, ` +
    'the grid of a lower zoom level is used.',
  query: mapQuery,
  replies: [
    okReply('The squares that have listings.', map, {
      data: [{ count: 1, latitude: served.latitude, longitude: served.longitude, id: served.id }],
      side: 90,
    }),
  ],
  errors: ['invalid_query'],
});
