import type { components, operations } from './openapi.ts';

type Schemas = components['schemas'];

export type Listing = Schemas['Listing'];
/** What only the service writes. A whole `Listing` has it: take it out before it is sent. */
type NotWritten = { [Name in Exclude<keyof Listing, keyof Schemas['ListingInput']>]?: never };
/** What makes a listing. */
export type NewListing = Schemas['ListingInput'] & NotWritten;
/** What is to change: `null` removes an optional field, `metadata` is merged member by member. */
export type ListingPatch = Schemas['ListingPatch'] & NotWritten;
export type ListingStatus = Listing['status'];
export type PropertyType = NonNullable<Listing['propertyType']>;
export type ListingField = keyof Listing;
export type ImportRow = Schemas['ImportRow'];
export type ImportReport = Schemas['ImportReport'];
type EventOf<Type, Members> = Omit<Schemas['Event'], 'type' | 'listing' | 'changed'> & { type: Type } & Members;
/** What happened; `type` tells what the event has. */
export type ListingEvent =
  | EventOf<'listing.created', { listing: Listing; changed?: never }>
  | EventOf<'listing.updated', { listing: Listing; changed: string[] }>
  | EventOf<'listing.deleted', { listing?: never; changed?: never }>;
export type EventList = Omit<Schemas['EventList'], 'data'> & { data: ListingEvent[] };
export type Me = Schemas['Me'];
export type ErrorCode = Schemas['Error']['error']['code'];

/** A listing with the fields that were asked for: all, unless some were. */
export type ChosenListing<F extends ListingField> = [ListingField] extends [F] ? Listing : Pick<Listing, F>;

/** A page, or the first one; `nextCursor` is null on the last. */
export type ListingPage<T = Listing> = Omit<Schemas['ListingList'], 'data'> & { data: T[] };

type Asked = NonNullable<operations['listListings']['parameters']['query']>;
type NumberField = 'beds' | 'baths' | 'listPrice' | 'livingArea' | 'yearBuilt';
type TimeField = 'createdAt' | 'updatedAt';
type ListField = 'status' | 'propertyType' | 'bbox' | 'near' | 'fields';
type Time = Date | string;

export type Range<T> = { [Operator in 'gt' | 'gte' | 'lt' | 'lte']?: T | undefined };

/** What is to be found, in which order, and what of it; ranges are objects or written out (`'beds[gte]': 3`). */
export type ListQuery<F extends ListingField = ListingField> = {
  [Name in Exclude<keyof Asked, NumberField | ListField>]?: Asked[Name] | undefined;
} & { [Name in NumberField]?: number | Range<number> | undefined } & {
  [Name in TimeField]?: Range<Time> | undefined;
} & {
  status?: ListingStatus | readonly ListingStatus[] | undefined;
  propertyType?: PropertyType | readonly PropertyType[] | undefined;
  /** West, south, east and north. */
  bbox?: readonly [number, number, number, number] | string | undefined;
  /** Latitude and longitude. */
  near?: readonly [number, number] | string | undefined;
  fields?: readonly F[] | undefined;
};

export type EventQuery = {
  [Name in keyof NonNullable<operations['listEvents']['parameters']['query']>]?:
    | NonNullable<operations['listEvents']['parameters']['query']>[Name]
    | undefined;
};
