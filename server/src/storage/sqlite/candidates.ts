import sql, { raw, type Sql } from 'sql-template-tag';
import type { SearchColumn } from '../../model/search.ts';
import { columnOf } from '../functions.ts';
import { all, isMet } from '../search-conditions.ts';
import type { SearchContext } from './search-context.ts';
import { END } from './walk.ts';

/**
 * A condition is selective if it has at most this many candidates: `quick` for a quick search, which reads them
 * in about a millisecond, and `thorough` for other searches. A quick search also reads up to `quickOfAll`
 * candidates that meet all conditions on terms, but looks them up only in accounts of up to `accountMax` listings.
 */
const FEW = { quick: 400, quickOfAll: 1_000, thorough: 5_000, accountMax: 200_000 };
/** The words of more candidates than this are looked up in the index, which is usually faster than reading them. */
const WORDS_READ_MAX = 32;
/** Reading more than this share of the listings by number takes longer than reading all of them in order. */
const MANY_SHARE = 0.5;

/** Columns with an index of their own, besides `externalId`. */
export const INDEXED_COLUMNS = [
  'listPrice',
  'closePrice',
  'livingArea',
  'onMarketDate',
  'createdAt',
  'updatedAt',
] as const satisfies SearchColumn[];

/** Listings that may match. */
interface Selected<T> {
  numbers: T;
  /** As in `AccountSearch`. */
  hasWords: boolean;
}

/** The candidates of a selective condition, or those that meet all conditions on terms; undefined if too many. */
export function findFew(context: SearchContext): Selected<number[]> | undefined {
  const { index, account, search, terms, isQuick } = context;
  const countMax = isQuick ? FEW.quick : FEW.thorough;
  for (const name of ['externalId', ...INDEXED_COLUMNS.filter((each) => each !== search.order.by)] as const) {
    const numbers = selectByColumn(context, name);
    if (numbers === undefined) continue;
    const found = findNumbers(context, sql`${numbers} limit ${countMax + 1}`);
    if (found.length <= countMax) return { numbers: found, hasWords: false };
  }
  // For a list by id, newest first, the index itself returns the matches of a single condition in order.
  const isOrdered = search.order.by === 'id' && terms.length === 1 && !('from' in (terms[0] ?? {}));
  for (const condition of isOrdered ? [] : terms) {
    if ('terms' in condition && !condition.isSelective) continue;
    const found = index.findFew(account, condition, countMax);
    if (found === undefined) continue;
    const hasWords = 'prefix' in condition && search.words.length === 1;
    const mayLackWords = search.words.length > 0 && !hasWords && found.length > WORDS_READ_MAX;
    // An expression that includes this condition takes at most as long as reading the words of each candidate.
    const isIncluded = mayLackWords && index.matchAll(account, [condition]) !== undefined;
    const together = isIncluded ? findTogether(context, found.length) : undefined;
    return together?.hasWords ? together : { numbers: withChanged(context, found), hasWords };
  }
  if (search.order.by === 'id' || terms.length === 1) return undefined;
  if (isQuick && countAccount(context) > FEW.accountMax) return undefined;
  return findTogether(context, isQuick ? FEW.quickOfAll : countMax);
}

/** The candidates that `matchAll` finds; undefined if it finds too many, or if it leaves out all conditions. */
function findTogether(context: SearchContext, countMax: number): Selected<number[]> | undefined {
  const { index, account, terms } = context;
  const match = index.matchAll(account, terms);
  const found = match === undefined ? undefined : index.findFewMatches(match, countMax);
  return found && { numbers: withChanged(context, found), hasWords: index.hasAllWords(account, terms) };
}

/**
 * The candidates of the condition that has the fewest, or all listings of the account if every condition has
 * too many, as a table in descending order of their numbers.
 */
export function selectAll(context: SearchContext, before = END): Selected<Sql> {
  const { account } = context;
  const fewest = selectFewest(context);
  // Ordered, so that each page of the table is read once. The limit keeps SQLite from dropping the order.
  const numbers =
    fewest === undefined
      ? sql`(select number from listing_facets indexed by listing_facets_id
          where account_id = ${account} and number < ${before} order by id desc limit -1)`
      : // FTS5 seeks only to integers, as in `findNewest`.
        sql`(select distinct number from (${fewest.numbers})
          where number < cast(${before} as integer) order by number desc limit -1)`;
  return { numbers, hasWords: fewest?.hasWords ?? false };
}

/**
 * The candidates of the condition that has the fewest; undefined if, for every condition, they are at least
 * `MANY_SHARE` of the account's listings.
 */
function selectFewest(context: SearchContext): Selected<Sql> | undefined {
  let fewest: Selected<Sql> | undefined;
  let countMax = MANY_SHARE * countAccount(context);
  for (const found of selectEach(context)) {
    const count = countRowsOf(context, sql`${found.numbers} limit ${Math.ceil(countMax)}`);
    if (count >= countMax) continue;
    fewest = found;
    countMax = count;
  }
  return fewest;
}

function selectEach(context: SearchContext): Selected<Sql>[] {
  const { index, account, terms } = context;
  const match = index.matchAll(account, terms, true);
  const byMatch = sql`select rowid as number from listing_index where listing_index match ${match}`;
  const byRange = terms.filter((term) => 'from' in term).map((term) => index.selectRange(account, term));
  const withChanged = (numbers: Sql) =>
    sql`${numbers} union all select number from unindexed_listings where account_id = ${account}`;
  return [
    ...(match === undefined ? [] : [{ numbers: withChanged(byMatch), hasWords: true }]),
    ...byRange.map((numbers) => ({ numbers: withChanged(numbers), hasWords: false })),
    ...INDEXED_COLUMNS.flatMap((name) => {
      const numbers = selectByColumn(context, name);
      return numbers === undefined ? [] : [{ numbers, hasWords: false }];
    }),
  ];
}

/** The listings that meet the conditions on a column, from its index; undefined without such conditions. */
export function selectByColumn(
  { account, search }: SearchContext,
  name: (typeof INDEXED_COLUMNS)[number] | 'externalId',
): Sql | undefined {
  const tests = search.conditions.filter(({ field }) => field === name).map(isMet);
  if (tests.length === 0) return undefined;
  const index = raw(`listing_facets_${columnOf(name)}`);
  return sql`select number from listing_facets as facets indexed by ${index}
    where facets.account_id = ${account} and ${all(tests)}`;
}

export function countAccount({ queries, accountId }: SearchContext): number {
  const [row] = queries.all(sql`select listing_count from account_heads where account_id = ${accountId}`);
  return Number(row?.[0] ?? 0);
}

export function countRowsOf({ queries }: SearchContext, rows: Sql): number {
  return Number(queries.all(sql`select count(*) from (${rows})`)[0]?.[0]);
}

function findNumbers({ queries }: SearchContext, query: Sql): number[] {
  return queries.all(query).map(([number]) => Number(number));
}

/** Adds the account's listings that have changed since they were indexed, because the index may not find them. */
function withChanged({ unindexed }: SearchContext, found: number[]): number[] {
  return [...new Set([...found, ...unindexed])];
}
