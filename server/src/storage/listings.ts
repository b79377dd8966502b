import { type Insertable, type RawBuilder, sql } from 'kysely';
import type { SearchRow } from '../model/search-terms.ts';
import { BATCH_LENGTH, type BatchValues, batchRows, batchStatement, executeBatch } from './batches.ts';
import { type Executor, type Parameter, type Statement, statement } from './database.ts';
import { firstRow, rowOf } from './functions.ts';
import { discardRows, findRow, findSomeRows } from './rows.ts';
import { RUN_BYTES_MAX } from './runs.ts';
import type { Tables } from './schema.ts';
import { insertSearchRows, updateSearchRows } from './search-rows.ts';

/** A listing as stored: the JSON text of responses, and fields that the service needs without parsing it. */
export interface StoredListing {
  id: string;
  version: number;
  sequence: number;
  doc: string;
}

type Row = Insertable<Tables['listings']>;
/** A version to store, with its author and changed fields as JSON text, which the history shows. */
export interface NewVersion extends StoredListing {
  actor: string | null;
  changes: string | null;
}

type RowParameters = NewVersion & { accountId: string; terms: string };

const insert = statement<RowParameters>((query, parameter, engine) =>
  query.insertInto('listings').values({
    ...rowOf(parameter, ['accountId', 'id', 'version', 'sequence', 'doc', 'actor', 'changes']),
    ...engine.listingTerms(parameter('terms')),
  } as unknown as Row),
);

export async function insertListing(
  executor: Executor,
  accountId: string,
  row: NewVersion,
  searchRow: SearchRow,
): Promise<void> {
  await executor.execute(insert, { accountId, ...row, terms: searchRow.terms });
  await insertSearchRows(executor, accountId, [{ ...searchRow, id: row.id }]);
}

const update = statement<RowParameters>((query, parameter, engine) =>
  query
    .updateTable('listings')
    .set({
      ...rowOf(parameter, ['version', 'sequence', 'doc', 'actor', 'changes']),
      ...engine.listingTerms(parameter('terms')),
    })
    .where('account_id', '=', parameter('accountId'))
    .where('id', '=', parameter('id')),
);

export async function replaceListing(
  executor: Executor,
  accountId: string,
  row: NewVersion,
  changed: { row: SearchRow; parts: readonly (keyof SearchRow)[] },
): Promise<void> {
  await executor.execute(update, { accountId, ...row, terms: changed.row.terms });
  await updateSearchRows(executor, accountId, [{ ...changed.row, id: row.id }], changed.parts);
}

const COLUMNS = ['account_id', 'id', 'version', 'sequence', 'doc', 'terms', 'actor', 'changes', 'feed_mark'] as const;

const put = batchStatement((length) =>
  statement<BatchValues>((query, parameter, engine) => {
    const rows = batchRows<Record<(typeof COLUMNS)[number], RawBuilder<string>>>(COLUMNS, parameter, length);
    return query
      .insertInto('listings')
      .values(rows.map(({ terms, ...row }) => ({ ...row, ...engine.listingTerms(terms) }) as unknown as Row))
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'id']).doUpdateSet(({ fn, ref }) => ({
          version: ref('excluded.version'),
          sequence: ref('excluded.sequence'),
          ...engine.listingTerms(sql.ref('excluded.terms')),
          doc: ref('excluded.doc'),
          actor: ref('excluded.actor'),
          changes: ref('excluded.changes'),
          feed_mark: fn.coalesce('excluded.feed_mark', 'listings.feed_mark'),
        })),
      );
  }),
);

/** A version, and the mark of the listing's feed. If `feedMark` is undefined, the stored mark is kept. */
type PutListing = NewVersion & Pick<SearchRow, 'terms'> & { feedMark?: string | undefined };

/** Inserts or replaces rows in `listings`, but not in `listing_facets`. */
export async function putListings(executor: Executor, accountId: string, rows: readonly PutListing[]): Promise<void> {
  // In the order of COLUMNS. A loop over names would take longer.
  const values = rows.map(({ id, version, sequence, doc, terms, actor, changes, feedMark }) => {
    return [accountId, id, version, sequence, doc, terms, actor, changes, feedMark];
  });
  await executeBatch(executor, put, values);
}

/** Removes a listing, and the data that searches need. */
export const removeListing = discardRows('listings', ['accountId', 'id']);

const selectSome = findSomeRows('listings', ['accountId'], ['id']);

/** Removes up to `limit` listings of an account that is being deleted, without adding events. @returns how many */
export async function removeListings(executor: Executor, accountId: string, limit: number): Promise<number> {
  const rows = await selectSome(executor, accountId, limit);
  for (const { id } of rows) await removeListing(executor, accountId, id);
  return rows.length;
}

export const findListing = findRow('listings', ['accountId', 'id'], ['id', 'version', 'sequence', 'doc']);

type ExternalKey = { accountId: string; externalId: string };

export const findListingByExternalId = firstRow(
  ['accountId', 'externalId'],
  (query, parameter: Parameter<ExternalKey>, engine) => {
    const [accountId, externalId] = [parameter('accountId'), parameter('externalId')];
    const accountKey = engine.accountKey(accountId);
    return query
      .selectFrom(engine.lookUp('listing_facets', accountKey, 'external_id', externalId).as('facets'))
      .crossJoin(engine.lookUp('listings', accountId, 'id', sql.ref('facets.id')).as('listings'))
      .select(['listings.id', 'version', 'sequence', 'doc'])
      .where('facets.account_id', '=', accountKey)
      .where('external_id', '=', externalId)
      .where('listings.account_id', '=', accountId)
      .whereRef('listings.id', '=', 'facets.id');
  },
);

export interface KeyedListing extends StoredListing {
  externalId: string | null;
  feed: string | null;
  feedMark: string | null;
}

type Lookup = Statement<Record<string, string>, KeyedListing>;

const selectKeyed = (column: 'id' | 'external_id'): Lookup =>
  statement((query, parameter, engine) => {
    const keys = Array.from({ length: BATCH_LENGTH }, (_, index) => sql`(${parameter(String(index))})`);
    const accountId = parameter('accountId');
    const accountKey = engine.accountKey(accountId);
    const facets = engine.lookUp('listing_facets', accountKey, column, sql.ref('keys.column1'));
    const listings = engine.lookUp('listings', accountId, 'id', sql.ref('facets.id'));
    return query
      .selectFrom(sql<{ column1: string }>`(values ${sql.join(keys)})`.as('keys'))
      .crossJoin(facets.as('facets'))
      .crossJoin(listings.as('listings'))
      .whereRef(`facets.${column}`, '=', 'keys.column1')
      .where('facets.account_id', '=', accountKey)
      .where('listings.account_id', '=', accountId)
      .whereRef('listings.id', '=', 'facets.id')
      .select([
        'listings.id',
        'version',
        'sequence',
        'external_id as externalId',
        'feed',
        'feed_mark as feedMark',
        'doc',
      ]);
  });

const LOOKUPS = { id: selectKeyed('id'), externalId: selectKeyed('external_id') };

/**
 * The listings with these ids or external ids, at most `BATCH_LENGTH`. If their documents are large, the
 * result is cut after at least one listing.
 */
export async function findKeyedListings(
  executor: Executor,
  accountId: string,
  by: keyof typeof LOOKUPS,
  keys: readonly string[],
): Promise<{ rows: KeyedListing[]; isCut: boolean }> {
  return executor.executeRun(LOOKUPS[by], { ...Object.fromEntries(keys.entries()), accountId }, RUN_BYTES_MAX);
}
