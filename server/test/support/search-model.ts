import { EARTH_RADIUS_METRES } from '../../src/model/geo.ts';
import type { Listing } from '../../src/model/listings.ts';

/** The expected result of a search, computed as simply as possible. */

/** The query parameters of a list; those with several values are repeated. */
export type Parameters = Record<string, string | string[]>;

/** The listings that match these parameters, in the order of the list. */
export function search(all: readonly Listing[], { sort, ...filters }: Parameters): Listing[] {
  const found = all.filter((listing) => Object.entries(filters).every((filter) => passes(listing, filter, filters)));
  return found.sort(comparer(sort, filters)).reverse();
}

/** The listings that `search` returns after `last`, as it was when it was returned. */
export function searchAfter(all: readonly Listing[], parameters: Parameters, last: Listing | undefined): Listing[] {
  const { sort, ...filters } = parameters;
  const compare = comparer(sort, filters);
  return search(all, parameters).filter((listing) => last === undefined || compare(listing, last) < 0);
}

export function toQuery(parameters: Parameters): string {
  const pairs = Object.entries(parameters).flatMap(([name, values]) => [values].flat().map((value) => [name, value]));
  return `?${new URLSearchParams(pairs)}`;
}

function passes(listing: Listing, [name, given]: [string, string | string[]], { radius }: Parameters): boolean {
  const [, field = '', operator = 'is'] = /^(\w+)(?:\[(\w*)\])?$/.exec(name) ?? [];
  const [text = '', ...others] = [given].flat();
  switch (field) {
    case 'status':
    case 'propertyType':
      return text.split(',').includes(String(listing[field]));
    case 'city':
    case 'stateOrProvince':
    case 'postalCode':
    case 'country': {
      const value = listing[field];
      return value !== undefined && [text, ...others].some((other) => fold(other) === fold(value));
    }
    case 'externalId':
    case 'feed':
      return [text, ...others].some((other) => listing[field] === other.trim().normalize('NFC'));
    case 'bbox':
      return isInBox(listing, text);
    case 'near':
      return distanceTo(listing, text) <= metres(String(radius));
    case 'radius':
      return true;
    case 'q':
      return cut(text).every((word) => wordsOf(listing).some((other) => other.startsWith(word)));
    default:
      return text
        .split(',')
        .some((other) =>
          compares(numberIn(listing, field), operator, /At$|Date$/.test(field) ? Date.parse(other) : Number(other)),
        );
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

function numberIn(listing: Listing, field: string): number | undefined {
  const value: unknown = Reflect.get(listing, field);
  if (typeof value === 'string') return Date.parse(value);
  return typeof value === 'number' ? value : undefined;
}

/** Compares for the reversed list: the last listing is the smallest. */
function comparer(sort: Parameters[string] = 'distance', { near }: Parameters) {
  return (left: Listing, right: Listing): number => {
    const [one, other] = [left, right].map((listing) => sortKey(listing, String(sort), near));
    if (one === other || one === undefined || other === undefined) return left.id < right.id ? -1 : 1;
    return one - other;
  };
}

function sortKey(listing: Listing, sort: string, near: Parameters[string] | undefined): number {
  const field = sort.replace('-', '');
  const distance = near === undefined ? 0 : stepsOf(distanceTo(listing, near));
  const value = field === 'distance' ? distance : numberIn(listing, field);
  if (value === undefined) return Number.NEGATIVE_INFINITY;
  return sort.startsWith('-') ? value : -value;
}

/** Distances as the service compares them, in steps of the sine of half the angle: 0.013 mm for near listings. */
function stepsOf(metres: number): number {
  return metres === Number.POSITIVE_INFINITY ? metres : Math.floor(Math.sin(metres / EARTH_RADIUS_METRES / 2) * 1e12);
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
export function distanceTo({ latitude, longitude }: Listing, near: Parameters[string]): number {
  if (latitude === undefined || longitude === undefined) return Number.POSITIVE_INFINITY;
  const [a, b] = [toVector(String(near).split(',').map(Number)), toVector([latitude, longitude])];
  const across = Math.hypot(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
  return EARTH_RADIUS_METRES * Math.atan2(across, a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
}

function toVector([latitude = 0, longitude = 0]: number[]): Vector {
  const [north, east] = [(latitude * Math.PI) / 180, (longitude * Math.PI) / 180];
  return [Math.cos(north) * Math.cos(east), Math.cos(north) * Math.sin(east), Math.sin(north)];
}

function metres(radius: string): number {
  const [, amount, unit = ''] = /^([\d.]+)(\w+)$/.exec(radius) ?? [];
  return Number(amount) * ({ m: 1, km: 1000, mi: 1609.344 }[unit] ?? Number.NaN);
}

function wordsOf(listing: Listing): string[] {
  const { address, unitNumber = '', city = '', postalCode = '', externalId = '', description = '' } = listing;
  return cut([address, unitNumber, city, postalCode, externalId, description].join(' '));
}

/**
 * Folded strings are equal if their words are; a string without words is compared by its other characters.
 */
function fold(text: string): string {
  return cut(text).join(' ') || plain(text);
}

/** Splits text into words: NFKD, lowercase, no marks, only letters and digits; ς becomes σ. */
function cut(text: string): string[] {
  return plain(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

function plain(text: string): string {
  return text.normalize('NFKD').toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '').replace(/ς/g, 'σ');
}
