import { sql } from 'kysely';
import type { SearchColumns } from '../model/search.ts';
import { BATCH_LENGTH, type BatchValues, batchRows, batchStatement, executeBatch } from './batches.ts';
import { type Executor, type Parameter, RUN_BYTES_MAX, type Statement, statement } from './database.ts';
import { allRows, command, firstRow, rowOf } from './functions.ts';
import type { Tables } from './schema.ts';
import { insertSearchColumns, updateSearchColumns } from './search-columns.ts';
import { insertWords, removeWords, replaceWords } from './words.ts';

/** A listing as stored: the JSON text of responses, and fields that the service needs without parsing it. */
export interface StoredListing {
  id: string;
  version: number;
  /** The account's sequence at the last change. */
  sequence: number;
  doc: string;
}

type ListingKey = { accountId: string; id: string };

/** The columns and words by which searches find a listing. */
interface Findable {
  searchColumns: SearchColumns;
  words: ReadonlySet<string>;
}

const insert = statement<StoredListing & { accountId: string }>((query, parameter) =>
  query.insertInto('listings').values(rowOf(parameter, ['accountId', 'id', 'version', 'sequence', 'doc'])),
);

/** Stores a new listing with its search columns and words. */
export async function insertListing(
  executor: Executor,
  accountId: string,
  row: StoredListing,
  { searchColumns, words }: Findable,
): Promise<void> {
  await executor.execute(insert, { accountId, ...row });
  await insertWords(executor, accountId, row.sequence, words);
  await insertSearchColumns(executor, accountId, row, searchColumns);
}

const update = statement<StoredListing & { accountId: string }>((query, parameter) =>
  query
    .updateTable('listings')
    .set(rowOf(parameter, ['version', 'sequence', 'doc']))
    .where('account_id', '=', parameter('accountId'))
    .where('id', '=', parameter('id')),
);

/** Stores a listing's new version. `words` is undefined if the words have not changed. */
export async function replaceListing(
  executor: Executor,
  accountId: string,
  row: StoredListing,
  { searchColumns, words }: { searchColumns: SearchColumns; words: ReadonlySet<string> | undefined },
): Promise<void> {
  await executor.execute(update, { accountId, ...row });
  await updateSearchColumns(executor, accountId, row.id, searchColumns);
  if (words !== undefined) await replaceWords(executor, accountId, row, words);
}

const COLUMNS = ['account_id', 'id', 'version', 'sequence', 'doc'] as const;

const put = batchStatement((length) =>
  statement<BatchValues>((query, parameter) =>
    query
      .insertInto('listings')
      .values(batchRows<Tables['listings']>(COLUMNS, parameter, length))
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'id']).doUpdateSet(({ ref }) => ({
          version: ref('excluded.version'),
          sequence: ref('excluded.sequence'),
          doc: ref('excluded.doc'),
        })),
      ),
  ),
);

/** Inserts or replaces the documents of a batch of listings. */
export async function putListings(
  executor: Executor,
  accountId: string,
  rows: readonly StoredListing[],
): Promise<void> {
  const values = rows.map(({ id, version, sequence, doc }) => [accountId, id, version, sequence, doc]);
  await executeBatch(executor, put, values);
}

const remove = command(['accountId', 'id'], (query, parameter: Parameter<ListingKey>) =>
  query.deleteFrom('listings').where('account_id', '=', parameter('accountId')).where('id', '=', parameter('id')),
);

export async function removeListing(executor: Executor, accountId: string, id: string): Promise<void> {
  await removeWords(executor, accountId, id);
  await remove(executor, accountId, id);
}

type Some = { accountId: string; limit: number };

const selectSome = allRows(['accountId', 'limit'], (query, parameter: Parameter<Some>) =>
  query.selectFrom('listings').select('id').where('account_id', '=', parameter('accountId')).limit(parameter('limit')),
);

/** Removes up to `limit` listings of an account that is being deleted, without adding events. @returns how many */
export async function removeListings(executor: Executor, accountId: string, limit: number): Promise<number> {
  const rows = await selectSome(executor, accountId, limit);
  for (const { id } of rows) await removeListing(executor, accountId, id);
  return rows.length;
}

export const findListing = firstRow(['accountId', 'id'], (query, parameter: Parameter<ListingKey>) =>
  query
    .selectFrom('listings')
    .select(['id', 'version', 'sequence', 'doc'])
    .where('account_id', '=', parameter('accountId'))
    .where('id', '=', parameter('id')),
);

type ExternalKey = { accountId: string; externalId: string };

export const findListingByExternalId = firstRow(
  ['accountId', 'externalId'],
  (query, parameter: Parameter<ExternalKey>) =>
    query
      .selectFrom('listing_facets as facets')
      .innerJoin('listings', (join) =>
        join.onRef('listings.account_id', '=', 'facets.account_id').onRef('listings.id', '=', 'facets.id'),
      )
      .select(['listings.id', 'version', 'sequence', 'doc'])
      .where('facets.account_id', '=', parameter('accountId'))
      .where('external_id', '=', parameter('externalId')),
);

/** A listing with the row of its words in the index. */
export interface IndexedListing extends StoredListing {
  externalId: string | null;
  searchRow: number;
}

type Lookup = Statement<Record<string, string>, IndexedListing>;

/** Cross joins force SQLite to read the tables in this order. Otherwise, it reads all of the account's listings. */
const selectIndexed = (column: 'facets.id' | 'facets.external_id'): Lookup =>
  statement((query, parameter) => {
    const keys = Array.from({ length: BATCH_LENGTH }, (_, index) => sql`(${parameter(String(index))})`);
    return query
      .selectFrom(sql<{ column1: string }>`(values ${sql.join(keys)})`.as('keys'))
      .crossJoin('listing_facets as facets')
      .crossJoin('listings')
      .whereRef(column, '=', 'keys.column1')
      .where('facets.account_id', '=', parameter('accountId'))
      .whereRef('listings.account_id', '=', 'facets.account_id')
      .whereRef('listings.id', '=', 'facets.id')
      .select(['listings.id', 'version', 'sequence', 'external_id as externalId', 'search_row as searchRow', 'doc']);
  });

const LOOKUPS = { id: selectIndexed('facets.id'), externalId: selectIndexed('facets.external_id') };

/**
 * The listings with these ids or external ids, at most `BATCH_LENGTH`. If their documents are large, the result is cut
 * after at least one listing.
 */
export async function findIndexedListings(
  executor: Executor,
  accountId: string,
  by: keyof typeof LOOKUPS,
  keys: readonly string[],
): Promise<{ rows: IndexedListing[]; isCut: boolean }> {
  return executor.executeRun(LOOKUPS[by], { ...Object.fromEntries(keys.entries()), accountId }, RUN_BYTES_MAX);
}
