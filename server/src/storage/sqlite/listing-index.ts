import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import sql, { raw, type Sql } from 'sql-template-tag';
import type { Search } from '../../model/search.ts';
import { areTermsExact, type TermCondition, type TermRange } from '../../model/search-terms.ts';
import type { PreparedQueries } from './prepared-queries.ts';

// SQLite's full-text index of listings' terms (migrations/0007-search.ts). Each term is indexed with the
// account's number before it. Most of the time for writing to the index is spent per transaction, not per
// listing, so changed listings wait in `unindexed_listings` until there are several. A search also checks the
// waiting listings.

/**
 * Listings are indexed immediately once this many wait, and after a delay if fewer do. With 64, each would take
 * one and a half times as long.
 */
export const WAITING_MAX = 256;
/** How long a transaction adds listings to the index. Other writes wait during this time. */
const INDEX_MS = 6;
/** How long the transaction then merges segments of the index. If adding took longer, it merges for as long. */
const MERGE_MS = 6;
/** Listings indexed per transaction. The number is adjusted to the time that the previous transaction took. */
const BATCH_LENGTH = { min: 32, max: 512 };
/** Pages that are merged between two checks of the time; more if a single term has more. */
const MERGED_PAGES = 16;

/** If more words than this begin with a searched word, it is looked up as a prefix, which is slow for a common one. */
const EXPANSIONS_MAX = 32;
/** Words whose expansions are kept until the database changes. */
const EXPANDED_MAX = 200;
/** How many conditions with many matches are remembered, and for how many milliseconds. */
const FREQUENT = { max: 1_000, ttl: 60_000 };
const AFTER_EVERY_WORD = '\u{10ffff}';

/** Finds numbers of an account's listings by their terms. May find changed listings by their former terms. */
export class ListingIndex {
  readonly #queries: PreparedQueries;
  readonly #expansions = new LRUCache<string, { words: string[] | undefined }>({ max: EXPANDED_MAX });
  /** The version of the database that `#expansions` were read from. */
  #version: unknown;
  /** A lower bound for the number of matches of each frequent condition. */
  readonly #frequent = new LRUCache<string, number>(FREQUENT);

  constructor(queries: PreparedQueries) {
    this.#queries = queries;
  }

  /**
   * The listings that meet a condition, in no particular order; undefined if there are more than `countMax`.
   * A condition that becomes selective may be recognized as selective up to a minute late.
   */
  findFew(account: number, condition: TermCondition, countMax: number): number[] | undefined {
    const match = this.matchAll(account, [condition]);
    if (match !== undefined) return this.findFewMatches(match, countMax);
    const [from, to] = 'terms' in condition ? [] : boundsOf(account, condition);
    // A listing has one term in a range of values, but may have several words with the same beginning.
    const select = 'prefix' in condition ? raw('select distinct') : raw('select');
    const query = sql`${select} doc from listing_index_terms where term >= ${from} and term <= ${to}`;
    return this.#findFew(`${from} ${to}`, query, countMax);
  }

  /** Like `findFew`, for the matches of an expression. */
  findFewMatches(match: string, countMax: number): number[] | undefined {
    return this.#findFew(match, sql`select rowid from listing_index where listing_index match ${match}`, countMax);
  }

  #findFew(name: string, query: Sql, countMax: number): number[] | undefined {
    if ((this.#frequent.get(name) ?? 0) > countMax) return undefined;
    const numbers = this.#find(sql`${query} limit ${countMax + 1}`);
    if (numbers.length <= countMax) return numbers;
    this.#frequent.set(name, numbers.length);
    return undefined;
  }

  /**
   * An FTS5 expression for the listings that meet all conditions. Leaves out ranges and, unless `isAll`, words
   * with which too many other words begin.
   * @returns undefined if no condition is left
   */
  matchAll(account: number, conditions: TermCondition[], isAll = false): string | undefined {
    const known = conditions.flatMap((condition) => {
      if ('terms' in condition) return [anyOf(account, condition.terms)];
      if (!('prefix' in condition)) return [];
      const word = tagged(account, condition.prefix);
      const words = this.#expand(word);
      if (words !== undefined) return [words.map(quoted).join(' OR ')];
      return isAll ? [`${quoted(word)} *`] : [];
    });
    return known.length === 0 ? undefined : known.map((part) => `(${part})`).join(' AND ');
  }

  /** Whether `matchAll` includes all words. */
  hasAllWords(account: number, terms: TermCondition[]): boolean {
    return terms.every((term) => !('prefix' in term) || this.matchAll(account, [term]) !== undefined);
  }

  /** Whether `matchAll` finds only matches, except listings that have changed since they were indexed. */
  isExact(account: number, search: Search, terms: TermCondition[]): boolean {
    return areTermsExact(search) && terms.every((term) => this.matchAll(account, [term]) !== undefined);
  }

  selectRange(account: number, range: TermRange): Sql {
    const [from, to] = boundsOf(account, range);
    return sql`select doc as number from listing_index_terms where term >= ${from} and term <= ${to}`;
  }

  /** The newest matches with numbers between `after` and `before`, both exclusive. */
  findNewest(match: string, { after, before, limit }: { after: number; before: number; limit: number }): number[] {
    // Numbers are bound as reals, but FTS5 seeks only to integers: without the casts, it would read all matches.
    return this.#find(sql`select rowid from listing_index where listing_index match ${match}
      and rowid > cast(${after} as integer) and rowid < cast(${before} as integer)
      order by rowid desc limit ${limit}`);
  }

  /** The account's listings that have changed since they were indexed, newest first. */
  findUnindexed(account: number, limit = -1): number[] {
    return this.#find(sql`select number from unindexed_listings
      where account_id = ${account} order by number desc limit ${limit}`);
  }

  /**
   * The words that begin with the given word, or the word itself if there are none; undefined if there are
   * too many. They are looked up one by one: FTS5 would collect all their listings before returning the
   * first.
   */
  #expand(word: string): string[] | undefined {
    const [[version] = []] = this.#queries.all(sql`pragma data_version`);
    if (version !== this.#version) this.#expansions.clear();
    this.#version = version;
    const known = this.#expansions.get(word) ?? { words: this.#findExpansions(word) };
    this.#expansions.set(word, known);
    return known.words;
  }

  #findExpansions(word: string): string[] | undefined {
    const words: string[] = [];
    for (let from = word; words.length <= EXPANSIONS_MAX; from = `${words.at(-1)} `) {
      const [row] = this.#queries.all(sql`select term from listing_index_terms
        where term >= ${from} and term < ${word + AFTER_EVERY_WORD} limit 1`);
      if (row === undefined) return words.length === 0 ? [word] : words;
      words.push(String(row[0]));
    }
    return undefined;
  }

  #find(query: Sql): number[] {
    return this.#queries.all(query).map(([number]) => Number(number));
  }
}

function boundsOf(account: number, condition: { prefix: string } | TermRange): [from: string, to: string] {
  if ('prefix' in condition)
    return [tagged(account, condition.prefix), tagged(account, condition.prefix + AFTER_EVERY_WORD)];
  return [tagged(account, condition.from), tagged(account, condition.to)];
}

function anyOf(account: number, terms: string[]): string {
  return terms.map((term) => quoted(tagged(account, term))).join(' OR ');
}

function tagged(account: number, term: string): string {
  return `${account}§${term}`;
}

/** The only ASCII characters in a term are letters and digits, so none needs to be escaped. */
function quoted(term: string): string {
  return `"${term}"`;
}

const COUNT_WAITING = `select count(*) as count from (select 1 from unindexed_listings limit ${WAITING_MAX})`;

const INDEX = `insert into listing_index (rowid, terms)
  select number, replace(terms, ' ', ' ' || facets.account_id || '§')
  from listings inner join listing_facets as facets using (number)`;
/** Indexes all listings, for an index that is still empty. */
export const INDEX_ALL = `${INDEX};`;

const BATCH = 'select number from unindexed_listings order by number limit ?';
const INDEX_BATCH = [
  `delete from listing_index where rowid in (${BATCH})`,
  `${INDEX} where number in (${BATCH})`,
  `delete from unindexed_listings where number in (${BATCH}) returning number`,
];

const MERGE = `insert into listing_index (listing_index, rank) values ('merge', ${MERGED_PAGES})`;
const COUNT_CHANGES = 'select total_changes() as count';

/** Indexes changed listings, and merges the segments of the index, in the writer's transactions. */
export class Indexing {
  readonly #counting: StatementSync;
  readonly #indexing: StatementSync[];
  readonly #merging: StatementSync;
  readonly #countingChanges: StatementSync;
  #length = BATCH_LENGTH.min;
  /** Whether there may be segments left to merge. */
  isMerging = true;

  constructor(database: DatabaseSync) {
    this.#counting = database.prepare(COUNT_WAITING);
    this.#indexing = INDEX_BATCH.map((step) => database.prepare(step));
    this.#merging = database.prepare(MERGE);
    this.#countingChanges = database.prepare(COUNT_CHANGES);
  }

  /** The number of waiting listings, up to `WAITING_MAX`. */
  countWaiting(): number {
    return Number(this.#counting.all()[0]?.count);
  }

  /** Indexes some of the waiting listings, and then merges segments for a while. Call this in a transaction. */
  indexSome(): void {
    const indexMs = this.#indexBatch();
    const endMs = performance.now() + Math.max(MERGE_MS, indexMs);
    do this.isMerging = this.#merge();
    while (this.isMerging && performance.now() < endMs);
  }

  /** Indexes all waiting listings. Call this in a transaction. */
  indexAll(): void {
    while (this.countWaiting() > 0) this.#indexBatch();
  }

  /** @returns how many milliseconds it took */
  #indexBatch(): number {
    const startMs = performance.now();
    const results = this.#indexing.map((step) => step.all(this.#length));
    const takenMs = performance.now() - startMs;
    const count = results.at(-1)?.length ?? 0;
    if (count > 0) this.#length = clampLength((count * INDEX_MS) / takenMs);
    return takenMs;
  }

  /** Merges some pages. @returns whether there may be more to merge */
  #merge(): boolean {
    const before = this.#countChanges();
    this.#merging.all();
    // A merge without effect counts as one change (sqlite.org/fts5.html#the_merge_command).
    return this.#countChanges() - before > 1;
  }

  #countChanges(): number {
    return Number(this.#countingChanges.all()[0]?.count);
  }
}

function clampLength(length: number): number {
  return Math.round(Math.min(Math.max(length, BATCH_LENGTH.min), BATCH_LENGTH.max));
}
