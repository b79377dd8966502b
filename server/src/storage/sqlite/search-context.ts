import sql, { raw } from 'sql-template-tag';
import type { Search } from '../../model/search.ts';
import { type TermCondition, termConditions } from '../../model/search-terms.ts';
import { isMet } from '../search-conditions.ts';
import type { ListingIndex } from './listing-index.ts';
import type { AccountSearch } from './match-rows.ts';
import type { PreparedQueries } from './prepared-queries.ts';

/** Listings that a quick search reads in the order of the list, in one to two milliseconds. */
const QUICK_READ_MAX = 500;
/**
 * A quick search has at most this many words. Each word is looked up with up to 34 statements, and compared with
 * the words of each listing that is read.
 */
const QUICK_WORDS_MAX = 4;
/** A comparison of beds or baths uses the index only if at most this many of the account's values meet it. */
const NUMBERS_MAX = 50;

export interface SearchContext extends AccountSearch {
  index: ListingIndex;
  terms: TermCondition[];
  unindexed: number[];
  /** Whether the search gives up once it has read as much as it can in a few milliseconds. */
  isQuick: boolean;
}

export function beginSearch(
  queries: PreparedQueries,
  index: ListingIndex,
  { accountId, search, wanted, isQuick }: Pick<SearchContext, 'accountId' | 'search' | 'wanted' | 'isQuick'>,
): SearchContext {
  const [row] = queries.all(sql`select number from account_numbers where account_id = ${accountId}`);
  const account = Number(row?.[0] ?? 0);
  const terms = termConditions(isQuick ? search : withNumbers(queries, account, search));
  // Only searches that read the index need the listings that are not indexed yet.
  const usesIndex = terms.length > 0 || ['distance', 'beds', 'baths'].includes(search.order.by);
  const unindexed = usesIndex ? index.findUnindexed(account) : [];
  return { queries, index, account, accountId, search, wanted, terms, unindexed, isQuick };
}

export function hasManyWords({ words }: Search): boolean {
  return words.length > QUICK_WORDS_MAX;
}

/** Whether a quick search has read so much that it gives up. */
export function isOver({ isQuick }: SearchContext, read: number): boolean {
  return isQuick && read > QUICK_READ_MAX;
}

/** Whether a quick search would read too many listings that are not indexed yet, as after a large import. */
export function hasManyUnindexed({ unindexed, isQuick }: SearchContext): boolean {
  return isQuick && unindexed.length > QUICK_READ_MAX;
}

/**
 * Replaces comparisons of beds and baths with lists of the account's numbers that meet them, since the index
 * has terms for numbers but not for comparisons.
 */
function withNumbers(queries: PreparedQueries, account: number, search: Search): Search {
  const conditions = search.conditions.map((condition) => {
    const { field, operator } = condition;
    if ((field !== 'beds' && field !== 'baths') || operator === 'is' || operator === 'in') return condition;
    const numbers = queries.all(sql`select distinct ${raw(field)} from listing_counts as facets
      where account_id = ${account} and ${isMet(condition)} limit ${NUMBERS_MAX + 1}`);
    if (numbers.length === 0 || numbers.length > NUMBERS_MAX) return condition;
    return { field, operator: 'in' as const, value: numbers.map(([number]) => Number(number)) };
  });
  return { ...search, conditions };
}
