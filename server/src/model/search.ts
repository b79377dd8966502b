import type { Box, Circle } from './geo.ts';
import { PROPERTY_TYPES, STATUSES } from './listings.ts';
import type { SearchColumn } from './search-columns.ts';

/** How a value is compared besides being the same: as it is written in brackets behind the name. */
export const RANGE_OPERATORS = ['gt', 'gte', 'lt', 'lte'] as const;
export type RangeOperator = (typeof RANGE_OPERATORS)[number];

export type Filter =
  | { field: 'status' | 'propertyType'; type: 'choice'; choices: readonly string[] }
  | { field: 'city' | 'postalCode' | 'externalId'; type: 'text' }
  | { field: SearchColumn; type: 'integer' | 'decimal' | 'time' };

/**
 * What lists can be filtered by: the parameters, what the document says of them, and the SQL come from this table. A
 * `choice` takes several values, numbers take ranges too, times only ranges.
 */
export const FILTERS: readonly Filter[] = [
  { field: 'status', type: 'choice', choices: STATUSES },
  { field: 'propertyType', type: 'choice', choices: PROPERTY_TYPES },
  { field: 'city', type: 'text' },
  { field: 'postalCode', type: 'text' },
  { field: 'externalId', type: 'text' },
  { field: 'beds', type: 'integer' },
  { field: 'baths', type: 'integer' },
  { field: 'listPrice', type: 'decimal' },
  { field: 'livingArea', type: 'decimal' },
  { field: 'yearBuilt', type: 'integer' },
  { field: 'createdAt', type: 'time' },
  { field: 'updatedAt', type: 'time' },
];

export const SORT_FIELDS = ['createdAt', 'updatedAt', 'listPrice', 'beds', 'baths', 'livingArea'] as const;

/** What a facet must be; of a list, one of its values. */
export type Condition =
  | { field: SearchColumn; operator: 'is' | RangeOperator; value: string | number }
  | { field: SearchColumn; operator: 'in'; value: readonly string[] };

/** By `id` the newest come first; by `distance`, those nearest to the circle's centre. */
export interface Order {
  by: 'id' | 'distance' | (typeof SORT_FIELDS)[number];
  isDescending: boolean;
}

export const NEWEST_FIRST: Order = { by: 'id', isDescending: true };

/** Which of the account's listings, and in which order; ties stand newest first. */
export interface Search {
  conditions: readonly Condition[];
  box: Box | undefined;
  circle: Circle | undefined;
  /** Each must begin a word of the listing. */
  words: readonly string[];
  order: Order;
}

/** Whether it leaves no listing out. */
export function isUnfiltered({ conditions, box, circle, words }: Search): boolean {
  return conditions.length === 0 && box === undefined && circle === undefined && words.length === 0;
}

/** A search as text, the same for the same question; nothing for all listings, newest first. */
export function describeSearch(search: Search): string {
  return isUnfiltered(search) && search.order.by === 'id' ? '' : JSON.stringify(search);
}
