import { boxAround } from './geo.ts';
import type { Listing } from './listings.ts';
import { cellsOf, coverBox } from './place-cells.ts';
import {
  type Condition,
  type RangeOperator,
  SEARCH_COLUMNS,
  type Search,
  type SearchColumns,
  searchColumnsOf,
} from './search.ts';
import { SEARCHED_FIELDS, searchWords } from './words.ts';

// The search index stores a listing as terms: its words, the values that searches compare for equality, the
// values in the columns of `RANGE_LETTERS`, and the grid cells that contain it. Except for words, each term
// begins with a mark that words cannot contain.

const MARK = '§';
/**
 * PostgreSQL indexes at most 2,046 bytes per term. Of a longer word, only the first characters are indexed, so a
 * searched word must not be longer.
 */
export const WORD_LENGTH_MAX = 500;

/** The letter after the mark, by search column. */
const LETTERS = {
  status: 's',
  propertyType: 't',
  feed: 'f',
  city: 'c',
  stateOrProvince: 'a',
  postalCode: 'p',
  country: 'n',
  beds: 'b',
  baths: 'h',
} as const;
const CELL_LETTER = 'g';
/** Columns for filtering, but not for sorting. Terms for their values find the few listings in a narrow range. */
const RANGE_LETTERS = { lotSizeArea: 'l', yearBuilt: 'y', closeDate: 'd' } as const;

type RangeColumn = keyof typeof RANGE_LETTERS;
const RANGE_COLUMNS = Object.keys(RANGE_LETTERS) as RangeColumn[];
type TermColumn = keyof typeof LETTERS;
const TERM_COLUMNS = Object.keys(LETTERS) as TermColumn[];

/** What searches need from a listing: its search columns, and its terms, each preceded by a space. */
export type SearchRow = SearchColumns & { terms: string };

/** The parts of a search row that can differ after these fields change. */
export function changedParts(changed: readonly string[]): (keyof SearchRow)[] {
  const columns = SEARCH_COLUMNS.filter((name) => changed.includes(name));
  const hasNewTerms = changed.some((name) => TERM_FIELDS.has(name));
  return hasNewTerms ? [...columns, 'updatedAt', 'terms'] : [...columns, 'updatedAt'];
}

export function toSearchRow(listing: Listing): SearchRow {
  const columns = searchColumnsOf(listing);
  return { ...columns, terms: searchTermsOf(listing, columns) };
}

export function searchTermsOf(listing: Listing, columns: SearchColumns): string {
  const { latitude, longitude } = columns;
  const terms = [''];
  const add = (term: string) => terms.push(term);
  for (const word of searchWords(listing)) add(word.slice(0, WORD_LENGTH_MAX));
  for (const name of TERM_COLUMNS) {
    const value = columns[name];
    if (value !== undefined) add(valueTerm(name, value));
  }
  for (const name of RANGE_COLUMNS) {
    const value = columns[name];
    if (value !== undefined) add(rangeTerm(name, value));
  }
  if (latitude !== undefined && longitude !== undefined) {
    for (const cell of cellsOf({ latitude, longitude })) add(cellTerm(cell));
  }
  // Joined, because a concatenated string would keep all of its parts in memory.
  return terms.join(' ');
}

/**
 * A condition that the index can look up: a match has one of these terms, a word that begins with `prefix`, or a
 * term in the range.
 */
export type TermCondition = { terms: string[]; isSelective: boolean } | { prefix: string } | TermRange;

/** The terms between two terms, inclusive. */
export interface TermRange {
  from: string;
  to: string;
}

/** Conditions that the terms of every match meet. Matches must also meet the search's other conditions. */
export function termConditions({ conditions, words, box, circle }: Search): TermCondition[] {
  const found: TermCondition[] = words.map((prefix) => ({ prefix }));
  for (const area of [box, circle && boxAround(circle)]) {
    const cells = area && coverBox(area);
    if (cells !== undefined) found.push({ terms: cells.map(cellTerm), isSelective: true });
  }
  for (const condition of conditions) {
    const { field, operator, value } = condition;
    if (isRangeColumn(field) && operator !== 'in') found.push(toRange(field, operator, value));
    if (hasTerms(condition))
      found.push({
        terms: [value].flat().map((each) => valueTerm(condition.field, each)),
        isSelective: !COMMON.has(field),
      });
  }
  return found;
}

/** Whether the listings that meet a condition have one of its terms. */
export function hasTerms(condition: Condition): condition is Condition & { field: TermColumn } {
  const { field, operator } = condition;
  return isTermColumn(field) && (operator === 'is' || operator === 'in');
}

/** Whether every listing that meets all of the search's `termConditions` matches, so its row need not be read. */
export function areTermsExact({ conditions, box, circle }: Search): boolean {
  if (box !== undefined || circle !== undefined) return false;
  return conditions.every((condition) => {
    if (!hasTerms(condition)) return false;
    // A value that does not match `SEPARATE` can have the same term as a different value.
    return [condition.value].flat().every((each) => SEPARATE.test(String(each)) && condition.field !== 'feed');
  });
}

const SEPARATE = /^[\p{L}\p{N}]+(?:[ _][\p{L}\p{N}]+)*$/u;

const TERM_FIELDS: ReadonlySet<string> = new Set([
  ...SEARCHED_FIELDS,
  ...TERM_COLUMNS,
  ...RANGE_COLUMNS,
  'latitude',
  'longitude',
]);

/** Columns with so few distinct values that many listings have the same one. */
const COMMON: ReadonlySet<string> = new Set<TermColumn>(['status', 'propertyType', 'country', 'beds', 'baths']);

function toRange(column: RangeColumn, operator: 'is' | RangeOperator, value: string | number): TermRange {
  const term = rangeTerm(column, value);
  const [first, last] = [`${MARK}${RANGE_LETTERS[column]}`, `${MARK}${RANGE_LETTERS[column]}~`];
  if (operator === 'is') return { from: term, to: term };
  return operator === 'gt' || operator === 'gte' ? { from: term, to: last } : { from: first, to: term };
}

/** A column's terms sort in the same order as its values, which are never negative. */
function rangeTerm(column: RangeColumn, value: string | number): string {
  const sorted = typeof value === 'number' ? toSortedHex(value) : value.replaceAll('-', '');
  return `${MARK}${RANGE_LETTERS[column]}${sorted}`;
}

const bits = Buffer.alloc(8);

function toSortedHex(value: number): string {
  bits.writeDoubleBE(value);
  return bits.toString('hex');
}

function isRangeColumn(name: string): name is RangeColumn {
  return name in RANGE_LETTERS;
}

function isTermColumn(name: string): name is TermColumn {
  return name in LETTERS;
}

const SIMPLE = /^[a-z0-9]*$/;
/** ASCII characters other than lowercase letters and digits would end a term. */
const SEPARATORS = /[^a-z0-9\u0080-\u{10ffff}]/gu;

function valueTerm(column: TermColumn, value: string | number): string {
  const text = String(value);
  return MARK + LETTERS[column] + (SIMPLE.test(text) ? text : text.replaceAll(SEPARATORS, MARK));
}

function cellTerm(cell: string): string {
  return `${MARK}${CELL_LETTER}${cell}`;
}
