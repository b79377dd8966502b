/** Degrees. */
export interface Point {
  latitude: number;
  longitude: number;
}

/** What lies between two latitudes and in one of some ranges of longitudes; edges belong to it. */
export interface Box {
  south: number;
  north: number;
  longitudes: readonly (readonly [west: number, east: number])[];
}

/** What is at most so far away from a point, along a great circle. */
export interface Circle extends Point {
  radiusMetres: number;
}

/** The mean radius of the earth (IUGG). */
export const EARTH_RADIUS_METRES = 6_371_008.8;
/** Half of a great circle: nothing is farther away. */
export const DISTANCE_METRES_MAX = Math.PI * EARTH_RADIUS_METRES;

export const METRES_OF_UNIT = { m: 1, km: 1000, mi: 1609.344 } as const;

/** Degrees by which a box around a circle is larger, so that no rounding puts a point of the circle outside. */
const MARGIN = 1e-6;

/** The box between two meridians; with `west` > `east` it crosses the antimeridian, which is both -180 and 180. */
export function toBox(west: number, south: number, east: number, north: number): Box {
  if (west > east)
    return {
      south,
      north,
      longitudes: [
        [west, 180],
        [-180, east],
      ],
    };
  const longitudes: [number, number][] = [[west, east]];
  if (west === -180) longitudes.push([180, 180]);
  if (east === 180) longitudes.push([-180, -180]);
  return { south, north, longitudes };
}

/** A box that holds a circle: few points need their distance computed. */
export function boxAround({ latitude, longitude, radiusMetres }: Circle): Box {
  const radius = radiusMetres / EARTH_RADIUS_METRES;
  const reach = toDegrees(radius) + MARGIN;
  const [south, north] = [latitude - reach, latitude + reach];
  // A circle around a pole has every longitude.
  if (south <= -90 || north >= 90) return { south, north, longitudes: [[-180, 180]] };
  const width = toDegrees(Math.asin(Math.sin(radius) / Math.cos(toRadians(latitude)))) + MARGIN;
  const [west, east] = [longitude - width, longitude + width];
  if (west < -180) return toBox(west + 360, south, east, north);
  if (east > 180) return toBox(west, south, east - 360, north);
  return toBox(west, south, east, north);
}

export function toRadians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

function toDegrees(radians: number): number {
  return (radians * 180) / Math.PI;
}
