import { suggest } from '../../../model/suggest.ts';
import { LISTING_FIELDS } from './listings.ts';

/** The field, or the part of a field, that the values of a column or member set. */
export interface Target {
  /** A field of the listing, `id`, or a part of a field such as `LotSizeAcres`. */
  key: string;
  /** The member of `metadata`, for the key `metadata`. */
  member?: string;
  /** Whether choices, such as those of a status, are written as in RESO. */
  isReso: boolean;
}

/** The API's fields, by their names in the RESO Data Dictionary 2.0 (dd.reso.org). */
const RESO_FIELDS = {
  ListingKey: 'externalId',
  UnparsedAddress: 'address',
  UnitNumber: 'unitNumber',
  City: 'city',
  StateOrProvince: 'stateOrProvince',
  PostalCode: 'postalCode',
  Country: 'country',
  BedroomsTotal: 'beds',
  BathroomsTotalInteger: 'baths',
  StandardStatus: 'status',
  PropertyType: 'propertyType',
  ListPrice: 'listPrice',
  ClosePrice: 'closePrice',
  LivingArea: 'livingArea',
  LivingAreaUnits: 'livingAreaUnits',
  LotSizeArea: 'lotSizeArea',
  LotSizeUnits: 'lotSizeUnits',
  YearBuilt: 'yearBuilt',
  OnMarketDate: 'onMarketDate',
  CloseDate: 'closeDate',
  Latitude: 'latitude',
  Longitude: 'longitude',
  PublicRemarks: 'description',
};

/**
 * RESO's lot sizes with their units. If a row has several, they must agree, and the first one is stored unless the
 * row has `lotSizeArea` with its unit.
 */
export const LOT_SIZES = { LotSizeAcres: 'acres', LotSizeSquareFeet: 'sqft', LotSizeSquareMeters: 'sqm' } as const;

/** RESO's bathroom counts, which add up to BathroomsTotalInteger. */
export const BATHROOMS = ['BathroomsFull', 'BathroomsThreeQuarter', 'BathroomsHalf', 'BathroomsOneQuarter'] as const;

/**
 * The fields of RESO names that stand for only a part of a field, such as `LotSizeAcres`, and of `ListingId`, which is
 * the external id only in rows without another one.
 */
const PARTS: ReadonlyMap<string, string> = new Map([
  ['ListingId', 'externalId'],
  ...Object.keys(LOT_SIZES).map((name) => [name, 'lotSizeArea'] as const),
  ...BATHROOMS.map((name) => [name, 'baths'] as const),
]);

/** The keys of an external id; the first takes precedence. */
export const ID_KEYS = ['externalId', 'ListingId'];

const METADATA = 'metadata.';

const TARGETS: ReadonlyMap<string, Target> = new Map<string, Target>([
  ...LISTING_FIELDS.map((field) => [field, { key: field, isReso: false }] as const),
  ...Object.entries(RESO_FIELDS).map(([name, field]) => [name, { key: field, isReso: true }] as const),
  ...PARTS.keys().map((name) => [name, { key: name, isReso: true }] as const),
]);

export const KNOWN_NAMES = [...TARGETS.keys()];

export function fieldOf(key: string): string {
  return PARTS.get(key) ?? key;
}

export function isPart(key: string): boolean {
  return PARTS.has(key);
}

/** The target of a name in `map` or in a file; undefined if it is unknown. */
export function findTarget(name: string): Target | undefined {
  if (!name.startsWith(METADATA)) return TARGETS.get(name);
  return { key: 'metadata', member: name.slice(METADATA.length), isReso: false };
}

const NAME_LENGTH_MAX = 100;

/** The message for a name that is not a target; it ends with `instead` if no known name is similar. */
export function unknownTarget(name: string, instead: string): string {
  const nearest = suggest(name, KNOWN_NAMES);
  const hint = nearest === undefined ? instead : `; did you mean ${nearest}?`;
  return `There is no field "${name.slice(0, NAME_LENGTH_MAX).toWellFormed()}"${hint}`;
}

/** Targets by name; null for a column that is skipped. */
export type Targets = ReadonlyMap<string, Target | null>;

/** The targets of all known names. `map` takes precedence over a name's own meaning. */
export function targetsOf(map: ReadonlyMap<string, string>): Targets {
  return new Map<string, Target | null>([
    ...TARGETS,
    ...map.entries().map(([name, meant]) => [name, meant === '' ? null : (findTarget(meant) ?? null)] as const),
  ]);
}

/** RESO's choices that differ from the API's in more than spelling. */
const RESO_UNITS: Record<string, string> = { square_feet: 'sqft', square_meters: 'sqm' };
const CHOICES = new Set(['status', 'propertyType', 'livingAreaUnits', 'lotSizeUnits']);

/** Translates RESO's "Active Under Contract" or "ActiveUnderContract" to `active_under_contract`. */
export function toOurChoice({ key, isReso }: Target, given: string): string {
  if (!isReso || !CHOICES.has(key)) return given;
  const word = given
    .trim()
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')
    .replaceAll(/ +/g, '_')
    .toLowerCase();
  return RESO_UNITS[word] ?? word;
}
