import { LRUCache } from 'lru-cache';
import { SEARCH_COLUMNS } from '../model/search.ts';
import type { SearchRow } from '../model/search-terms.ts';
import { type BatchValues, batchStatement, executeBatch } from './batches.ts';
import { type EngineSql, type Executor, type Parameter, type Statement, statement } from './database.ts';
import { columnOf, command, rowOf } from './functions.ts';
import type { Tables } from './schema.ts';

type Columns = Tables['listing_facets'];

type ListingKey = { accountId: string; id: string };
type RowParameters = SearchRow & ListingKey;
type Part = keyof SearchRow;
const PARTS = [...SEARCH_COLUMNS, 'terms'] as const;

function rowValues(parameter: Parameter<RowParameters>, engine: EngineSql, parts: readonly Part[]): Columns {
  const columns = SEARCH_COLUMNS.filter((name) => parts.includes(name));
  const terms = parts.includes('terms') && engine.facetTerms(parameter('terms'), parameter('accountId'));
  return { ...rowOf(parameter, columns), ...terms } as unknown as Columns;
}

const insert = statement<RowParameters>((query, parameter, engine) =>
  query.insertInto('listing_facets').values({
    ...rowValues(parameter, engine, PARTS),
    ...engine.facetsKey(parameter('accountId'), parameter('id')),
  }),
);

/** Stores what searches need of a new listing, besides what is in its own row. */
export async function insertSearchRow(
  executor: Executor,
  accountId: string,
  id: string,
  row: SearchRow,
): Promise<void> {
  await executor.execute(insert, { ...row, accountId, id });
}

function declareUpdate(parts: readonly Part[]): Statement<RowParameters, never> {
  return statement((query, parameter, engine) =>
    query
      .updateTable('listing_facets')
      .set(rowValues(parameter, engine, engine.updatesAllIndexes ? allPartsLike(parts) : parts))
      .where('account_id', '=', engine.accountKey(parameter('accountId')))
      .where('id', '=', parameter('id')),
  );
}

/** All parts, but the terms only if they are among the given ones. The server keeps each text that it gets prepared. */
function allPartsLike(parts: readonly Part[]): readonly Part[] {
  return parts.includes('terms') ? PARTS : SEARCH_COLUMNS;
}

/** Most changes concern the same few parts. */
const updates = new LRUCache<string, Statement<RowParameters, never>>({ max: 100 });

/** Replaces some parts of a search row: writing the others again would take as long, for each of their indexes. */
export async function updateSearchRow(
  executor: Executor,
  accountId: string,
  id: string,
  { row, parts }: { row: SearchRow; parts: readonly Part[] },
): Promise<void> {
  const update = updates.get(parts.join()) ?? declareUpdate(parts);
  updates.set(parts.join(), update);
  await executor.execute(update, { ...row, accountId, id });
}

const NAMES = [...SEARCH_COLUMNS, 'terms', 'id'] as const;

/** The rows' values are parameters by index; after them comes the account's id. */
const insertBatch = batchStatement((length) =>
  statement<BatchValues>((query, parameter, engine) => {
    const at = (index: number) => parameter(String(index)) as ReturnType<Parameter<ListingKey>>;
    const accountId = at(length * NAMES.length);
    const rows = Array.from({ length }, (_, row) => {
      const value = (name: (typeof NAMES)[number]) => at(row * NAMES.length + NAMES.indexOf(name));
      const columns = SEARCH_COLUMNS.map((name) => [columnOf(name), value(name)]);
      const terms = engine.facetTerms(value('terms'), accountId);
      return { ...Object.fromEntries(columns), ...terms, ...engine.facetsKey(accountId, value('id')) } as Columns;
    });
    return query.insertInto('listing_facets').values(rows);
  }),
);

/** Stores what searches need of a batch of new listings, besides what is in their own rows. */
export async function insertSearchRows(
  executor: Executor,
  accountId: string,
  rows: readonly (SearchRow & { id: string })[],
): Promise<void> {
  const values = rows.map((row) => NAMES.map((name) => row[name]));
  await executeBatch(executor, insertBatch, values, accountId);
}

/** Lets listings exchange their external ids. */
export const releaseExternalId = command(['accountId', 'id'], (query, parameter: Parameter<ListingKey>, engine) =>
  query
    .updateTable('listing_facets')
    .set({ external_id: null })
    .where('account_id', '=', engine.accountKey(parameter('accountId')))
    .where('id', '=', parameter('id')),
);
