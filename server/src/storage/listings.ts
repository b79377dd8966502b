import { sql } from 'kysely';
import type { Facets } from '../model/search.ts';
import { BATCH_LENGTH, type BatchValues, batchRows, batchStatement, executeBatch } from './batches.ts';
import { RUN_BYTES_MAX, type Session, type Statement, statement } from './database.ts';
import { insertFacets, updateFacets } from './listing-facets.ts';
import type { Tables } from './schema.ts';
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
  facets: Facets;
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
  session: Session,
  accountId: string,
  row: StoredListing,
  { facets, words }: Findable,
): Promise<void> {
  await session.execute(insert, { accountId, ...row });
  await insertWords(session, accountId, row.sequence, words);
  await insertFacets(session, accountId, row, facets);
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

/** Replaces a listing; `words` are undefined if they are the same as before. */
export async function updateListing(
  session: Session,
  accountId: string,
  row: StoredListing,
  { facets, words }: { facets: Facets; words: ReadonlySet<string> | undefined },
): Promise<void> {
  await session.execute(update, { accountId, ...row });
  await updateFacets(session, accountId, row.id, facets);
  if (words !== undefined) await replaceWords(session, accountId, row, words);
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
export async function putListings(session: Session, accountId: string, rows: readonly StoredListing[]): Promise<void> {
  await executeBatch(
    session,
    put,
    rows.map(({ id, version, sequence, doc }) => [accountId, id, version, sequence, doc]),
  );
}

const remove = statement<{ accountId: string; id: string }>((query, parameter) =>
  query.deleteFrom('listings').where('account_id', '=', parameter('accountId')).where('id', '=', parameter('id')),
);

export async function removeListing(session: Session, accountId: string, id: string): Promise<void> {
  await removeWords(session, accountId, id);
  await session.execute(remove, { accountId, id });
}

const selectSome = statement<{ accountId: string; limit: number }, { id: string }>((query, parameter) =>
  query.selectFrom('listings').select('id').where('account_id', '=', parameter('accountId')).limit(parameter('limit')),
);

/** Removes up to `limit` listings of an account that is to go, without events. @returns how many */
export async function removeListings(session: Session, accountId: string, limit: number): Promise<number> {
  const rows = await session.execute(selectSome, { accountId, limit });
  for (const { id } of rows) await removeListing(session, accountId, id);
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
export async function findListing(session: Session, accountId: string, id: string): Promise<StoredListing | undefined> {
  const [listing] = await session.execute(selectById, { accountId, id });
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
  session: Session,
  accountId: string,
  externalId: string,
): Promise<StoredListing | undefined> {
  const [listing] = await session.execute(selectByExternalId, { accountId, externalId });
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
  session: Session,
  accountId: string,
  by: keyof typeof LOOKUPS,
  keys: readonly string[],
): Promise<{ rows: IndexedListing[]; isCut: boolean }> {
  return session.executeRun(LOOKUPS[by], { ...Object.fromEntries(keys.entries()), accountId }, RUN_BYTES_MAX);
}
