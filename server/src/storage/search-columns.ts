import { SEARCH_COLUMNS, type SearchColumn, type SearchColumns } from '../model/search.ts';
import { type BatchValues, batchRows, batchStatement, executeBatch } from './batches.ts';
import { type Executor, type Parameter, statement } from './database.ts';
import type { Tables } from './schema.ts';

type Columns = Tables['listing_facets'];

/** The column that holds a facet: `listPrice` is `list_price`. */
export function searchColumnName(name: SearchColumn): keyof Columns {
  return name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`) as keyof Columns;
}

/** Each facet's column with its value, a parameter of the facet's name. */
function searchColumnValues(parameter: Parameter<SearchColumns>): Columns {
  const values = SEARCH_COLUMNS.map((name) => [searchColumnName(name), parameter(name)]);
  return Object.fromEntries(values) as Columns;
}

type RowParameters = SearchColumns & { accountId: string; id: string };
/** Of the account, when the listing's words were put in. */
type AtSequence = { sequence: number };

const insert = statement<RowParameters & AtSequence>((query, parameter, engine) =>
  query.insertInto('listing_facets').values({
    ...searchColumnValues(parameter),
    account_id: parameter('accountId'),
    id: parameter('id'),
    search_row: engine.newWordsRow(parameter),
  }),
);

/** Makes a listing found by its facets, and by the words that have just been put in. */
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

const COLUMNS = ['account_id', 'id', 'search_row', ...SEARCH_COLUMNS.map(searchColumnName)] as const;

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

/** What a listing is found by, and where its words stand. */
export interface FacetsRow {
  id: string;
  searchRow: number;
  searchColumns: SearchColumns;
}

/** Makes a batch of listings found by their facets, new ones and others. */
export async function putSearchColumns(
  executor: Executor,
  accountId: string,
  rows: readonly FacetsRow[],
): Promise<void> {
  await executeBatch(
    executor,
    put,
    rows.map(({ id, searchRow, searchColumns }) => [
      accountId,
      id,
      searchRow,
      ...SEARCH_COLUMNS.map((name) => searchColumns[name]),
    ]),
  );
}

const clearExternalId = statement<{ accountId: string; id: string }>((query, parameter) =>
  query
    .updateTable('listing_facets')
    .set({ external_id: null })
    .where('account_id', '=', parameter('accountId'))
    .where('id', '=', parameter('id')),
);

/** Makes room for listings that exchange their external ids. */
export async function releaseExternalId(executor: Executor, accountId: string, id: string): Promise<void> {
  await executor.execute(clearExternalId, { accountId, id });
}
