import { SEARCH_COLUMNS, type SearchColumns } from '../model/search.ts';
import { type BatchValues, batchRows, batchStatement, executeBatch } from './batches.ts';
import { type Executor, type Parameter, statement } from './database.ts';
import { columnOf, command, rowOf } from './functions.ts';
import type { Tables } from './schema.ts';

type Columns = Tables['listing_facets'];

type ListingKey = { accountId: string; id: string };
type RowParameters = SearchColumns & ListingKey;

const searchColumnValues = (parameter: Parameter<SearchColumns>) =>
  rowOf(parameter, SEARCH_COLUMNS) as unknown as Columns;

/** `sequence` is the account's sequence when the listing's words were indexed. */
const insert = statement<RowParameters & { sequence: number }>((query, parameter, engine) =>
  query.insertInto('listing_facets').values({
    ...searchColumnValues(parameter),
    account_id: parameter('accountId'),
    id: parameter('id'),
    search_row: engine.newWordsRow(parameter),
  }),
);

/** Stores the search columns of a listing, with the row of the words that have just been indexed. */
export async function insertSearchColumns(
  executor: Executor,
  accountId: string,
  { id, sequence }: { id: string; sequence: number },
  searchColumns: SearchColumns,
): Promise<void> {
  await executor.execute(insert, { ...searchColumns, accountId, id, sequence });
}

const update = statement<RowParameters>((query, parameter) =>
  query
    .updateTable('listing_facets')
    .set(searchColumnValues(parameter))
    .where('account_id', '=', parameter('accountId'))
    .where('id', '=', parameter('id')),
);

export async function updateSearchColumns(
  executor: Executor,
  accountId: string,
  id: string,
  searchColumns: SearchColumns,
): Promise<void> {
  await executor.execute(update, { ...searchColumns, accountId, id });
}

const COLUMNS = ['account_id', 'id', 'search_row', ...SEARCH_COLUMNS.map(columnOf)] as const;

const put = batchStatement((length) =>
  statement<BatchValues>((query, parameter) =>
    query
      .insertInto('listing_facets')
      .values(batchRows<Columns>(COLUMNS, parameter, length))
      .onConflict((conflict) =>
        conflict
          .columns(['account_id', 'id'])
          .doUpdateSet(({ ref }) =>
            Object.fromEntries(COLUMNS.slice(2).map((column) => [column, ref(`excluded.${column}`)])),
          ),
      ),
  ),
);

export interface SearchColumnsRow {
  id: string;
  /** The index row of the listing's words. */
  searchRow: number;
  searchColumns: SearchColumns;
}

/** Inserts or replaces the search columns of a batch of listings. */
export async function putSearchColumns(
  executor: Executor,
  accountId: string,
  rows: readonly SearchColumnsRow[],
): Promise<void> {
  const valuesOf = (columns: SearchColumns) => SEARCH_COLUMNS.map((name) => columns[name]);
  const values = rows.map(({ id, searchRow, searchColumns }) => [accountId, id, searchRow, ...valuesOf(searchColumns)]);
  await executeBatch(executor, put, values);
}

/** Lets listings exchange their external ids. */
export const releaseExternalId = command(['accountId', 'id'], (query, parameter: Parameter<ListingKey>) =>
  query
    .updateTable('listing_facets')
    .set({ external_id: null })
    .where('account_id', '=', parameter('accountId'))
    .where('id', '=', parameter('id')),
);
