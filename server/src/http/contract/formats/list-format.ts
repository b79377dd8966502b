import { distanceBetween, type Point } from '../../../model/geo.ts';
import type { Listing } from '../../../model/listings.ts';

/** The members of a list other than its listings. */
export interface ListFrame {
  nextCursor: string | null;
  /** The account's sequence, read before the first listing. */
  sequence: number;
  epoch: string;
  /** The number of listings on all pages, with `count=true`. */
  total?: number | undefined;
}

/** The members of each listing to send, in the order that every response uses; undefined for all. */
export type Fields = readonly string[] | undefined;

/** A member that is not stored, but calculated for the list. */
export const DISTANCE = 'distance';

/** Writes a list in one media type, from the stored JSON of its listings. */
export interface ListFormat {
  mediaType: string;
  contentType: string;
  /** The frame's members as headers, for a format whose body cannot contain them. */
  headers?: (frame: ListFrame) => Record<string, string>;
  /** Whether `fields` can include the distance. */
  hasDistance?: true;
  begin: (fields: Fields) => string;
  /** Distances are measured from `near`. */
  rows: (docs: readonly string[], fields: Fields, near?: Point) => readonly string[];
  separator: string;
  end: (frame: ListFrame, count: number) => string;
}

/** Rows that are JSON objects. Without `fields`, they are sent as they are stored. */
export function toRows(docs: readonly string[], fields: Fields, near?: Point): readonly string[] {
  return fields === undefined ? docs : docs.map((doc) => pickFields(doc, fields, near));
}

export function pickFields(doc: string, fields: readonly string[], near?: Point): string {
  const listing = JSON.parse(doc);
  if (near !== undefined && fields.includes(DISTANCE)) listing.distance = findDistance(listing, near);
  return JSON.stringify(Object.fromEntries(fields.map((field) => [field, listing[field]])));
}

/** The distance in meters, with one decimal place; undefined for a listing without coordinates. */
function findDistance({ latitude, longitude }: Listing, near: Point): number | undefined {
  if (latitude === undefined || longitude === undefined) return undefined;
  return Math.round(distanceBetween(near, { latitude, longitude }) * 10) / 10;
}

/** The members of a frame as the end of a JSON object. */
export function toLastMembers({ nextCursor, sequence, epoch, total }: ListFrame): string {
  return JSON.stringify({ nextCursor, sequence, epoch, total }).slice(1);
}
