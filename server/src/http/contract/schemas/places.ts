import { z } from 'zod';
import { type Box, DISTANCE_METRES_MAX, METRES_OF_UNIT, type Point, toBox } from '../../../model/geo.ts';
import { addIssue } from './fields.ts';
import { parseDecimal } from './parameters.ts';

export const boxParameter = z
  .string()
  .transform((given, context): Box => {
    const [west, south, east, north, ...more] = parseDecimals(given);
    if (west === undefined || south === undefined || east === undefined || north === undefined || more.length > 0) {
      const message = 'Must be west,south,east,north in degrees, such as -97.9,30.1,-97.6,30.5.';
      return addIssue(context, 'invalid_format', message);
    }
    if (!isPoint({ latitude: south, longitude: west }) || !isPoint({ latitude: north, longitude: east })) {
      return addIssue(
        context,
        'out_of_range',
        'West and east must be from -180 to 180, south and north from -90 to 90.',
      );
    }
    if (south > north)
      return addIssue(context, 'inconsistent', 'South, the second number, must not exceed north, the fourth.');
    return toBox(west, south, east, north);
  })
  .meta({
    description:
      'Listings in this box: `west,south,east,north` in degrees, including the edges. If `west` is greater than ' +
      '`east`, the box crosses the antimeridian.',
    example: '-97.9,30.1,-97.6,30.5',
  })
  .optional();

export const nearParameter = z
  .string()
  .transform((given, context): Point => {
    const [latitude, longitude, ...more] = parseDecimals(given);
    if (latitude === undefined || longitude === undefined || more.length > 0) {
      const message = 'Must be latitude,longitude in degrees, such as 30.2672,-97.7431.';
      return addIssue(context, 'invalid_format', message);
    }
    if (isPoint({ latitude, longitude })) return { latitude, longitude };
    return addIssue(context, 'out_of_range', 'The latitude must be from -90 to 90, the longitude from -180 to 180.');
  })
  .meta({
    description:
      'Listings within `radius` of this point: `latitude,longitude` in degrees, nearest first unless `sort` is given.',
    example: '30.2672,-97.7431',
  })
  .optional();

const RADIUS = /^(\d+(?:\.\d+)?)(m|km|mi)$/;

/** A distance such as `5km`; the result is in meters. */
export const radiusParameter = z
  .string()
  .transform((given, context): number => {
    const [, amount, unit] = RADIUS.exec(given) ?? [];
    if (unit !== 'm' && unit !== 'km' && unit !== 'mi') {
      return addIssue(context, 'invalid_format', 'Must be a number followed by m, km, or mi, such as 5km.');
    }
    const metres = Number(amount) * METRES_OF_UNIT[unit];
    if (metres > 0 && metres <= DISTANCE_METRES_MAX) return metres;
    return addIssue(
      context,
      'out_of_range',
      'Must be above 0 and at most 20015km, half the circumference of the earth.',
    );
  })
  .meta({
    description: 'The maximum distance from `near` along a great circle, in `m`, `km`, or `mi`.',
    pattern: RADIUS.source,
    example: '5km',
  })
  .optional();

/** Parses comma-separated numbers; a part that is not a number becomes undefined. */
function parseDecimals(given: string): (number | undefined)[] {
  return given.split(',').map((part) => parseDecimal(part.trim()));
}

function isPoint({ latitude, longitude }: Point): boolean {
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
}
