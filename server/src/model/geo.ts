/** A place on earth, in degrees. */
export interface Point {
  latitude: number;
  longitude: number;
}

/** A range of latitudes and one to three ranges of longitudes, edges included. */
export interface Box {
  south: number;
  north: number;
  longitudes: readonly (readonly [west: number, east: number])[];
}

/** The points within a great-circle distance of a point. */
export interface Circle extends Point {
  radiusMetres: number;
}

/** The earth's mean radius (IUGG). */
export const EARTH_RADIUS_METRES = 6_371_008.8;
/** Half of a great circle: the largest distance on earth. */
export const DISTANCE_METRES_MAX = Math.PI * EARTH_RADIUS_METRES;

export const METRES_OF_UNIT = { m: 1, km: 1000, mi: 1609.344 } as const;

/** In degrees. Enlarges the box around a circle, so rounding does not exclude points in the circle. */
const MARGIN = 1e-6;

/** With `west` > `east`, the box crosses the antimeridian, which is both -180 and 180. */
export function toBox(west: number, south: number, east: number, north: number): Box {
  const longitudes: [number, number][] = [[west, west > east ? 180 : east]];
  if (west > east) longitudes.push([-180, east]);
  else if (west === -180) longitudes.push([180, 180]);
  if (west <= east && east === 180) longitudes.push([-180, -180]);
  return { south, north, longitudes };
}

/** A box that contains a circle. Distances are computed only for points in the box. */
export function boxAround({ latitude, longitude, radiusMetres }: Circle): Box {
  const radius = radiusMetres / EARTH_RADIUS_METRES;
  const reach = toDegrees(radius) + MARGIN;
  const [south, north] = [latitude - reach, latitude + reach];
  // A circle that contains a pole covers all longitudes.
  if (south <= -90 || north >= 90) return { south, north, longitudes: [[-180, 180]] };
  const width = toDegrees(Math.asin(Math.sin(radius) / Math.cos(toRadians(latitude)))) + MARGIN;
  const [west, east] = [longitude - width, longitude + width];
  if (west < -180) return toBox(west + 360, south, east, north);
  if (east > 180) return toBox(west, south, east - 360, north);
  return toBox(west, south, east, north);
}

/** The great-circle distance in meters. The formula is accurate even near zero and half a great circle. */
export function distanceBetween(from: Point, to: Point): number {
  const [here, there] = [toRadians(from.latitude), toRadians(to.latitude)];
  const east = toRadians(to.longitude - from.longitude);
  const across = Math.hypot(
    Math.cos(there) * Math.sin(east),
    Math.cos(here) * Math.sin(there) - Math.sin(here) * Math.cos(there) * Math.cos(east),
  );
  const along = Math.sin(here) * Math.sin(there) + Math.cos(here) * Math.cos(there) * Math.cos(east);
  return EARTH_RADIUS_METRES * Math.atan2(across, along);
}

export function toRadians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

function toDegrees(radians: number): number {
  return (radians * 180) / Math.PI;
}
