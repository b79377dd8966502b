import { sql } from 'kysely';
import type { SearchColumns } from '../model/search.ts';
import { BATCH_LENGTH, type BatchValues, batchRows, batchStatement, executeBatch } from './batches.ts';
import { type Executor, RUN_BYTES_MAX, type Statement, statement } from './database.ts';
import type { Tables } from './schema.ts';
import { insertSearchColumns, updateSearchColumns } from './search-columns.ts';
import { insertWords, removeWords, replaceWords } from './words.ts';

/** A listing as it is stored: the JSON text that is served, and what the service looks at without parsing it. */
export interface StoredListing {
  id: string;
  version: number;
  /** The account's sequence at the last change. */
  sequence: number;
  doc: string;
}

/** What a listing is found by besides its ids. */
interface Findable {
  searchColumns: SearchColumns;
  words: ReadonlySet<string>;
}

const insert = statement<StoredListing & { accountId: string }>((query, parameter) =>
  query.insertInto('listings').values({
    account_id: parameter('accountId'),
    id: parameter('id'),
    version: parameter('version'),
    sequence: parameter('sequence'),
    doc: parameter('doc'),
  }),
);

/** Stores a new listing, to be found by its facets and words. */
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
    .set({
      version: parameter('version'),
      sequence: parameter('sequence'),
      doc: parameter('doc'),
    })
    .where('account_id', '=', parameter('accountId'))
    .where('id', '=', parameter('id')),
);

/** Stores a listing's new version; `words` are undefined if they are the same as before. */
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

/** Stores a batch of listings, new ones and others: only their documents. */
export async function putListings(
  executor: Executor,
  accountId: string,
  rows: readonly StoredListing[],
): Promise<void> {
  await executeBatch(
    executor,
    put,
    rows.map(({ id, version, sequence, doc }) => [accountId, id, version, sequence, doc]),
  );
}

const remove = statement<{ accountId: string; id: string }>((query, parameter) =>
  query.deleteFrom('listings').where('account_id', '=', parameter('accountId')).where('id', '=', parameter('id')),
);

export async function removeListing(executor: Executor, accountId: string, id: string): Promise<void> {
  await removeWords(executor, accountId, id);
  await executor.execute(remove, { accountId, id });
}

const selectSome = statement<{ accountId: string; limit: number }, { id: string }>((query, parameter) =>
  query.selectFrom('listings').select('id').where('account_id', '=', parameter('accountId')).limit(parameter('limit')),
);

/** Removes up to `limit` listings of an account that is to go, without events. @returns how many */
export async function removeListings(executor: Executor, accountId: string, limit: number): Promise<number> {
  const rows = await executor.execute(selectSome, { accountId, limit });
  for (const { id } of rows) await removeListing(executor, accountId, id);
  return rows.length;
}

const selectById = statement<{ accountId: string; id: string }, StoredListing>((query, parameter) =>
  query
    .selectFrom('listings')
    .select(['id', 'version', 'sequence', 'doc'])
    .where('account_id', '=', parameter('accountId'))
    .where('id', '=', parameter('id')),
);

/** The account's listing with this id. */
export async function findListing(
  executor: Executor,
  accountId: string,
  id: string,
): Promise<StoredListing | undefined> {
  const [listing] = await executor.execute(selectById, { accountId, id });
  return listing;
}

const selectByExternalId = statement<{ accountId: string; externalId: string }, StoredListing>((query, parameter) =>
  query
    .selectFrom('listing_facets as facets')
    .innerJoin('listings', (join) =>
      join.onRef('listings.account_id', '=', 'facets.account_id').onRef('listings.id', '=', 'facets.id'),
    )
    .select(['listings.id', 'version', 'sequence', 'doc'])
    .where('facets.account_id', '=', parameter('accountId'))
    .where('external_id', '=', parameter('externalId')),
);

/** The account's listing with this external id. */
export async function findListingByExternalId(
  executor: Executor,
  accountId: string,
  externalId: string,
): Promise<StoredListing | undefined> {
  const [listing] = await executor.execute(selectByExternalId, { accountId, externalId });
  return listing;
}

/** A listing as it is stored, with where its words stand. */
export interface IndexedListing extends StoredListing {
  externalId: string | null;
  searchRow: number;
}

type Lookup = Statement<Record<string, string>, IndexedListing>;

/** From a list of keys, crossed, as SQLite then keeps to this order: otherwise it reads all of the account's listings. */
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
 * The account's listings with these ids or external ids, `BATCH_LENGTH` of them at most: fewer of those that exist, but
 * one at least, if they are large.
 */
export async function findIndexedListings(
  executor: Executor,
  accountId: string,
  by: keyof typeof LOOKUPS,
  keys: readonly string[],
): Promise<{ rows: IndexedListing[]; isCut: boolean }> {
  return executor.executeRun(LOOKUPS[by], { ...Object.fromEntries(keys.entries()), accountId }, RUN_BYTES_MAX);
}
