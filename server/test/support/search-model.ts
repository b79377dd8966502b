import type { Listing } from '../../src/model/listings.ts';

/** The expected result of a search, computed as simply as possible from the contract. */

/** The query parameters of a list. */
export type Parameters = Record<string, string>;

/** The listings that match these parameters, in the order of the list. */
export function search(all: readonly Listing[], { sort, ...filters }: Parameters): Listing[] {
  const found = all.filter((listing) => Object.entries(filters).every((filter) => passes(listing, filter, filters)));
  return found.sort(comparer(sort, filters)).reverse();
}

export function toQuery(parameters: Parameters): string {
  return `?${new URLSearchParams(parameters)}`;
}

function passes(listing: Listing, [name, text]: [string, string], { radius = '' }: Parameters): boolean {
  const [, field = '', operator = 'is'] = /^(\w+)(?:\[(\w+)\])?$/.exec(name) ?? [];
  switch (field) {
    case 'status':
    case 'propertyType':
      return text.split(',').includes(String(listing[field]));
    case 'city':
    case 'postalCode':
    case 'externalId':
      return listing[field] === text.trim().normalize('NFC');
    case 'bbox':
      return isInBox(listing, text);
    case 'near':
      return distanceTo(listing, text) <= metres(radius);
    case 'radius':
      return true;
    case 'q':
      return cut(text).every((word) => wordsOf(listing).some((other) => other.startsWith(word)));
    default:
      return compares(numberIn(listing, field), operator, /At$/.test(field) ? Date.parse(text) : Number(text));
  }
}

function compares(value: number | undefined, operator: string, other: number): boolean {
  if (value === undefined) return false;
  const outcomes: Record<string, boolean> = {
    is: value === other,
    gt: value > other,
    gte: value >= other,
    lt: value < other,
    lte: value <= other,
  };
  return outcomes[operator] ?? false;
}

function numberIn(listing: object, field: string): number | undefined {
  const value = new Map(Object.entries(listing)).get(field);
  return typeof value === 'string' ? Date.parse(value) : value;
}

/** Compares for the reversed list: the last listing is the smallest. */
function comparer(sort: string | undefined, { near }: Parameters) {
  return (left: Listing, right: Listing): number => {
    const [one, other] = [left, right].map((listing) => sortKey(listing, sort, near));
    if (one === other || one === undefined || other === undefined) return left.id < right.id ? -1 : 1;
    return one - other;
  };
}

function sortKey(listing: Listing, sort: string | undefined, near: string | undefined): number {
  if (sort !== undefined) {
    const value = numberIn(listing, sort.replace('-', ''));
    if (value === undefined) return Number.NEGATIVE_INFINITY;
    return sort.startsWith('-') ? value : -value;
  }
  // Rounded to a millimeter, because different formulas differ in the last digits.
  return near === undefined ? 0 : -Math.round(distanceTo(listing, near) * 1000);
}

function isInBox({ latitude, longitude }: Listing, text: string): boolean {
  const [west = 0, south = 0, east = 0, north = 0] = text.split(',').map(Number);
  if (latitude === undefined || longitude === undefined || latitude < south || latitude > north) return false;
  return isBetween(longitude, west, east) || (Math.abs(longitude) === 180 && isBetween(-longitude, west, east));
}

function isBetween(longitude: number, west: number, east: number): boolean {
  return west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east;
}

type Vector = [x: number, y: number, z: number];

/** The great-circle distance from the angle between two vectors; infinite without coordinates. */
function distanceTo({ latitude, longitude }: Listing, near: string): number {
  if (latitude === undefined || longitude === undefined) return Number.POSITIVE_INFINITY;
  const [a, b] = [toVector(near.split(',').map(Number)), toVector([latitude, longitude])];
  const across = Math.hypot(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
  return 6_371_008.8 * Math.atan2(across, a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
}

function toVector([latitude = 0, longitude = 0]: number[]): Vector {
  const [north, east] = [(latitude * Math.PI) / 180, (longitude * Math.PI) / 180];
  return [Math.cos(north) * Math.cos(east), Math.cos(north) * Math.sin(east), Math.sin(north)];
}

function metres(radius: string): number {
  const [, amount, unit = ''] = /^([\d.]+)(\w+)$/.exec(radius) ?? [];
  return Number(amount) * ({ m: 1, km: 1000, mi: 1609.344 }[unit] ?? Number.NaN);
}

function wordsOf({ address, city = '', description = '' }: Listing): string[] {
  return cut(`${address} ${city} ${description}`);
}

/** Splits text into words: NFKD, lowercase, no marks, only letters and digits; ς becomes σ. */
function cut(text: string): string[] {
  const plain = text.normalize('NFKD').toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '').replace(/ς/g, 'σ');
  return plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}
