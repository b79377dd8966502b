import { FACETS, type Facet, type Facets } from '../model/search.ts';
import { type BatchValues, batchRows, batchStatement, executeBatch } from './batches.ts';
import { type Parameter, type Session, statement } from './database.ts';
import type { Tables } from './schema.ts';

type Columns = Tables['listing_facets'];

/** The column that holds a facet: `listPrice` is `list_price`. */
export function facetColumn(name: Facet): keyof Columns {
  return name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`) as keyof Columns;
}

/** Each facet's column with its value, a parameter of the facet's name. */
function facetValues(parameter: Parameter<Facets>): Columns {
  const values = FACETS.map((name) => [facetColumn(name), parameter(name)]);
  return Object.fromEntries(values) as Columns;
}

type RowParameters = Facets & { accountId: string; id: string };
/** Of the account, when the listing's words were put in. */
type AtSequence = { sequence: number };

const insert = statement<RowParameters & AtSequence>((query, parameter, engine) =>
  query.insertInto('listing_facets').values({
    ...facetValues(parameter),
    account_id: parameter('accountId'),
    id: parameter('id'),
    search_row: engine.newWordsRow(parameter),
  }),
);

/** Makes a listing found by its facets, and by the words that have just been put in. */
export async function insertFacets(
  session: Session,
  accountId: string,
  { id, sequence }: { id: string; sequence: number },
  facets: Facets,
): Promise<void> {
  await session.execute(insert, { ...facets, accountId, id, sequence });
}

const update = statement<RowParameters>((query, parameter) =>
  query
    .updateTable('listing_facets')
    .set(facetValues(parameter))
    .where('account_id', '=', parameter('accountId'))
    .where('id', '=', parameter('id')),
);

export async function updateFacets(session: Session, accountId: string, id: string, facets: Facets): Promise<void> {
  await session.execute(update, { ...facets, accountId, id });
}

const COLUMNS = ['account_id', 'id', 'search_row', ...FACETS.map(facetColumn)] as const;

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
  facets: Facets;
}

/** Makes a batch of listings found by their facets, new ones and others. */
export async function putFacets(session: Session, accountId: string, rows: readonly FacetsRow[]): Promise<void> {
  await executeBatch(
    session,
    put,
    rows.map(({ id, searchRow, facets }) => [accountId, id, searchRow, ...FACETS.map((name) => facets[name])]),
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
export async function releaseExternalId(session: Session, accountId: string, id: string): Promise<void> {
  await session.execute(clearExternalId, { accountId, id });
}
