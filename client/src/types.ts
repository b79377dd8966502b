import type { components, operations } from './openapi.ts';

type Schemas = components['schemas'];

export type Listing = Schemas['Listing'];
/** Read-only fields: remove them from a complete `Listing` before sending it. */
type ReadOnly = { [Name in Exclude<keyof Listing, keyof Schemas['ListingInput']>]?: never };
export type NewListing = Schemas['ListingInput'] & ReadOnly;
/** A merge patch: `null` removes a field or restores its default, and `metadata` is merged with the stored one. */
export type ListingPatch = Schemas['ListingPatch'] & ReadOnly;
export type ListingStatus = Listing['status'];
export type PropertyType = NonNullable<Listing['propertyType']>;
/** A field that a list can return; `distance` requires `near`. */
export type ListingField = keyof Listing | 'distance';
type Letter = 'A' | 'B' | 'C' | 'D' | 'E' | 'F' | 'G' | 'H' | 'I' | 'J' | 'K' | 'L' | 'M' | 'N' | 'O' | 'P' | 'Q' | 'R';
type Capital = Letter | 'S' | 'T' | 'U' | 'V' | 'W' | 'X' | 'Y' | 'Z';
/**
 * A row of an import: the fields to change, with `null` to remove a field. A name that begins with a capital
 * letter is a RESO name, or a column that `map` names.
 */
export type ImportRow = Pick<Schemas['ImportRow'], keyof Schemas['ListingPatch'] | keyof Listing> & {
  [name: `${Capital}${string}` | `@${string}`]: unknown;
};
export type ImportReport = Schemas['ImportReport'];
/** A row that was not imported. */
export type ImportFailure = ImportReport['errors'][number];
/** An event; `type` determines which members it has. */
export type ListingEvent =
  | (Schemas['ListingCreatedEvent'] & { changed?: never; externalId?: never })
  | (Schemas['ListingUpdatedEvent'] & { externalId?: never })
  | (Schemas['ListingDeletedEvent'] & { listing?: never; changed?: never });
export type EventList = Omit<Schemas['EventList'], 'data'> & { data: ListingEvent[] };
export type Me = Schemas['Me'];
export type ErrorCode = Schemas['Error']['error']['code'];

/** A listing with the requested fields; by default, all. */
export type ChosenListing<F extends ListingField> = [ListingField] extends [F]
  ? Listing
  : Pick<Listing & { distance?: number }, F>;

/** A page of a list; `nextCursor` is null on the last one. */
export type ListingPage<T = Listing> = Omit<Schemas['ListingList'], 'data'> & { data: T[] };

type Parameters = NonNullable<operations['listListings']['parameters']['query']>;
type CountField = 'beds' | 'baths';
type NumberField = 'listPrice' | 'closePrice' | 'livingArea' | 'lotSizeArea' | 'yearBuilt';
type DateField = 'onMarketDate' | 'closeDate';
type TimeField = 'createdAt' | 'updatedAt';
type TextList = Extract<keyof Parameters, `${string}[]`>;
type ListField = CountField | TextList | 'status' | 'propertyType' | 'bbox' | 'near' | 'fields';
type Time = Date | string;

export type Range<T> = { [Operator in 'gt' | 'gte' | 'lt' | 'lte']?: T | undefined };

/**
 * Filters, order, and fields of a list. Ranges are objects, or written out as `'beds[gte]': 3`. To match any
 * of several strings, add brackets to the name: `'city[]': ['Austin', 'Waco']`. The service rejects empty arrays.
 */
export type ListQuery<F extends ListingField = ListingField> = {
  [Name in Exclude<keyof Parameters, NumberField | ListField>]?: Parameters[Name] | undefined;
} & { [Name in NumberField]?: number | Range<number> | undefined } & {
  [Name in CountField]?: number | readonly number[] | Range<number> | undefined;
} & { [Name in TextList]?: readonly string[] | undefined } & {
  [Name in DateField]?: Range<string> | undefined;
} & {
  [Name in TimeField]?: Range<Time> | undefined;
} & {
  status?: ListingStatus | readonly ListingStatus[] | undefined;
  propertyType?: PropertyType | readonly PropertyType[] | undefined;
  /** West, south, east, and north, in degrees. */
  bbox?: readonly [number, number, number, number] | string | undefined;
  /** Latitude and longitude, in degrees. */
  near?: readonly [number, number] | string | undefined;
  fields?: readonly F[] | undefined;
};

type EventParameters = NonNullable<operations['listEvents']['parameters']['query']>;
/** Which events to return. `feed` is the feed of the listing after the change or, for a deletion, before it. */
export type EventFilter = {
  type?: ListingEvent['type'] | readonly ListingEvent['type'][] | undefined;
  listingId?: string | undefined;
  feed?: string | undefined;
};
export type EventQuery = EventFilter & {
  [Name in Exclude<keyof EventParameters, keyof EventFilter>]?: EventParameters[Name] | undefined;
};

/** A change in a listing's history. */
export type HistoryEntry = Schemas['HistoryEntry'];
