import type { Cluster, Map as ListingMap } from '../../api/admin';

/** Marks that are closer than this, in pixels, would overlap. */
const NEAR = { x: 50, y: 32 };
const WORLD_PIXELS = 256;

type Box = [west: number, south: number, east: number, north: number];

/** The listings that one mark on the map stands for. */
export interface Group extends Cluster {
  /** The box around the grid squares of these listings. */
  box: Box;
}

/** Merges clusters into larger ones in neighboring squares if their marks would overlap. */
export function groupClusters({ data, side }: ListingMap, zoom: number): Group[] {
  const scale = (WORLD_PIXELS * 2 ** zoom) / 360;
  const groups = new Map<string, Group>();
  for (const cluster of data.toSorted((one, other) => other.count - one.count)) {
    const box = squareOf(cluster, side);
    const [column, row] = [box[0] / side, box[1] / side].map(Math.round);
    const near = neighborsOf(column, row).find((key) => isNear(groups.get(key), cluster, scale));
    const group = near === undefined ? undefined : groups.get(near);
    if (group === undefined) groups.set(`${column},${row}`, { ...cluster, box });
    else Object.assign(group, { count: group.count + cluster.count, box: union(group.box, box) });
  }
  return [...groups.values()];
}

function neighborsOf(column = 0, row = 0): string[] {
  return [-1, 0, 1].flatMap((right) => [-1, 0, 1].map((up) => `${column + right},${row + up}`));
}

function isNear(group: Group | undefined, { latitude, longitude }: Cluster, scale: number): boolean {
  if (group === undefined) return false;
  const x = Math.abs(group.longitude - longitude) * scale;
  // The Mercator projection stretches distances by 1 / cos(latitude).
  const y = (Math.abs(group.latitude - latitude) * scale) / Math.cos((latitude * Math.PI) / 180);
  return x < NEAR.x && y < NEAR.y;
}

function union(one: Box, other: Box): Box {
  const [west, south, east, north] = one;
  return [Math.min(west, other[0]), Math.min(south, other[1]), Math.max(east, other[2]), Math.max(north, other[3])];
}

function squareOf({ latitude, longitude }: Cluster, side: number): Box {
  const [west, south] = [startOf(longitude, -180, side), startOf(latitude, -90, side)];
  return [west, south, Math.min(180, west + side), Math.min(90, south + side)];
}

function startOf(degrees: number, first: number, side: number): number {
  return first + Math.floor((degrees - first) / side) * side;
}
