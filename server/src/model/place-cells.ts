import type { Box, Point } from './geo.ts';

// Places are indexed by the cells of several grids. The grid of level L divides longitudes and latitudes into 2^L parts
// each. At level 18, a cell is about 120 m wide and 80 m high at 40° north.

const LEVELS = [18, 16, 14, 12, 10, 8, 6, 4, 2];
/** A search looks up at most this many cells. Together, they are a few times as large as the box. */
const CELLS_MAX = 9;

/** The cells that contain a point, one per grid. */
export function cellsOf({ latitude, longitude }: Point): string[] {
  const [finest = 0] = LEVELS;
  const [column, row] = [toColumn(longitude, finest), toRow(latitude, finest)];
  return LEVELS.map((level) => nameOf(level, column >> (finest - level), row >> (finest - level)));
}

/** Covers a box with cells of the finest grid that needs only a few; undefined if the box is too large. */
export function coverBox({ south, north, longitudes }: Box): string[] | undefined {
  for (const level of LEVELS) {
    const [bottom, top] = [toRow(south, level), toRow(north, level)];
    const spans = longitudes.map(([west, east]) => [toColumn(west, level), toColumn(east, level)] as const);
    const width = spans.reduce((sum, [left, right]) => sum + right - left + 1, 0);
    if (width * (top - bottom + 1) > CELLS_MAX) continue;
    const rows = Array.from({ length: top - bottom + 1 }, (_, index) => bottom + index);
    const columns = spans.flatMap(([left, right]) =>
      Array.from({ length: right - left + 1 }, (_, index) => left + index),
    );
    return [...new Set(rows.flatMap((row) => columns.map((column) => nameOf(level, column, row))))];
  }
  return undefined;
}

function nameOf(level: number, column: number, row: number): string {
  return `${level}x${column.toString(36)}y${row.toString(36)}`;
}

function toColumn(longitude: number, level: number): number {
  return toPart((longitude + 180) / 360, level);
}

function toRow(latitude: number, level: number): number {
  return toPart((latitude + 90) / 180, level);
}

function toPart(share: number, level: number): number {
  const count = 2 ** level;
  return Math.min(count - 1, Math.max(0, Math.floor(share * count)));
}
