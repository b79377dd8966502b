import type { RawBuilder } from 'kysely';
import { LRUCache } from 'lru-cache';
import { SEARCH_COLUMNS } from '../model/search.ts';
import type { SearchRow } from '../model/search-terms.ts';
import { type BatchValues, batchStatement, executeBatch } from './batches.ts';
import { type Executor, type Parameter, statement } from './database.ts';
import { columnOf, command } from './functions.ts';

type ListingKey = { accountId: string; id: string };
type Part = keyof SearchRow;
const PARTS = [...SEARCH_COLUMNS, 'terms'] as const;

const NAMES = [...PARTS, 'id'] as const;

/** Refers to a batch's parameters, which are named by index: the rows' values, and then the account's id. */
function batchParameters(parameter: Parameter<BatchValues>, length: number) {
  const at = (index: number) => parameter(String(index)) as RawBuilder<string>;
  const valueIn = (row: number) => (name: (typeof NAMES)[number]) => at(row * NAMES.length + NAMES.indexOf(name));
  return { rows: Array.from({ length }, (_, row) => valueIn(row)), accountId: at(length * NAMES.length) };
}

const insertBatch = batchStatement((length) =>
  statement<BatchValues>((query, parameter, engine) => {
    const { rows, accountId } = batchParameters(parameter, length);
    const values = rows.map((value) => {
      const columns = SEARCH_COLUMNS.map((name) => [columnOf(name), value(name)]);
      const terms = engine.facetTerms(value('terms'), accountId);
      return { id: value('id'), ...Object.fromEntries(columns), ...terms };
    });
    return engine.insertFacets(query, values, accountId);
  }),
);

/** Stores the data that searches need for a batch of new listings, except what is in the listings' own rows. */
export async function insertSearchRows(
  executor: Executor,
  accountId: string,
  rows: readonly (SearchRow & { id: string })[],
): Promise<void> {
  await executeBatch(executor, insertBatch, rows.map(valuesOf), accountId);
}

function valuesOf(row: SearchRow & { id: string }): (string | number | undefined)[] {
  return NAMES.map((name) => row[name]);
}

/** For a single row, the values are in the `set` and `where` clauses, which is faster than joining a list of rows. */
function declareUpdate(parts: readonly Part[]) {
  return batchStatement((length) =>
    statement<BatchValues>((query, parameter, engine) => {
      const { rows, accountId } = batchParameters(parameter, length);
      const changed = engine.updatesAllIndexes ? allPartsLike(parts) : parts;
      const columnsFrom = (value: (name: Part) => RawBuilder<string>): Record<string, RawBuilder<string>> => {
        const columns = changed.filter((name) => name !== 'terms').map((name) => [columnOf(name), value(name)]);
        const terms = changed.includes('terms') && engine.facetTerms(value('terms'), accountId);
        return { ...Object.fromEntries(columns), ...terms };
      };
      const [first, ...others] = rows;
      if (first === undefined || others.length > 0) {
        const changes = rows.map((value) => ({ id: value('id'), ...columnsFrom(value) }));
        return engine.updateFacets(query, changes, accountId);
      }
      return query
        .updateTable('listing_facets')
        .set(columnsFrom(first))
        .where('account_id', '=', engine.accountKey(accountId))
        .where('id', '=', first('id'));
    }),
  );
}

/**
 * All search columns, and the terms if they are among the given parts. This keeps the number of distinct
 * statements low: the server keeps each of them prepared.
 */
function allPartsLike(parts: readonly Part[]): readonly Part[] {
  return parts.includes('terms') ? PARTS : SEARCH_COLUMNS;
}

/** Most changes concern the same few parts. */
const updates = new LRUCache<string, ReturnType<typeof declareUpdate>>({ max: 100 });

/**
 * Replaces some parts of a batch of search rows. On SQLite, leaves out the unchanged parts: for each index on
 * them, the update would take as long again.
 */
export async function updateSearchRows(
  executor: Executor,
  accountId: string,
  rows: readonly (SearchRow & { id: string })[],
  parts: readonly Part[],
): Promise<void> {
  const update = updates.get(parts.join()) ?? declareUpdate(parts);
  updates.set(parts.join(), update);
  await executeBatch(executor, update, rows.map(valuesOf), accountId);
}

/** Clears a listing's external id, so that listings can exchange their external ids. */
export const releaseExternalId = command(['accountId', 'id'], (query, parameter: Parameter<ListingKey>, engine) =>
  query
    .updateTable('listing_facets')
    .set({ external_id: null })
    .where('account_id', '=', engine.accountKey(parameter('accountId')))
    .where('id', '=', parameter('id')),
);
