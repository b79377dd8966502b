import { type Session, statement } from './database.ts';
import { insertWords, lastWordsRow, removeWords } from './words.ts';

/** A listing as it is stored: the JSON text that is served, and what the service looks at without parsing it. */
export interface ListingRow {
  id: string;
  version: number;
  /** The account's sequence at the last change. */
  sequence: number;
  doc: string;
}

/** A listing that is there, and where its words stand in the index. */
export interface StoredListing extends ListingRow {
  searchRow: number;
}

const insert = statement<ListingRow & { accountId: string }>((query, parameter) =>
  query.insertInto('listings').values({
    account_id: parameter('accountId'),
    id: parameter('id'),
    version: parameter('version'),
    sequence: parameter('sequence'),
    doc: parameter('doc'),
    search_row: lastWordsRow,
  }),
);

/** Stores a new listing; a search finds it by `words`. */
export async function insertListing(
  session: Session,
  accountId: string,
  row: ListingRow,
  words: ReadonlySet<string>,
): Promise<void> {
  await insertWords(session, accountId, words);
  await session.execute(insert, { accountId, ...row });
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

const updateSearchRow = statement<{ accountId: string; id: string }>((query, parameter) =>
  query
    .updateTable('listings')
    .set({ search_row: lastWordsRow })
    .where('account_id', '=', parameter('accountId'))
    .where('id', '=', parameter('id')),
);

/** Replaces a listing; `words` are what a search finds it by, if they have changed. */
export async function updateListing(
  session: Session,
  accountId: string,
  row: StoredListing,
  words: ReadonlySet<string> | undefined,
): Promise<void> {
  await session.execute(update, { accountId, ...row });
  if (words === undefined) return;
  await removeWords(session, row.searchRow);
  await insertWords(session, accountId, words);
  await session.execute(updateSearchRow, { accountId, id: row.id });
}

const remove = statement<{ accountId: string; id: string }>((query, parameter) =>
  query.deleteFrom('listings').where('account_id', '=', parameter('accountId')).where('id', '=', parameter('id')),
);

export async function removeListing(
  session: Session,
  accountId: string,
  { id, searchRow }: Pick<StoredListing, 'id' | 'searchRow'>,
): Promise<void> {
  await removeWords(session, searchRow);
  await session.execute(remove, { accountId, id });
}

const selectSome = statement<{ accountId: string; limit: number }, { id: string; searchRow: number }>(
  (query, parameter) =>
    query
      .selectFrom('listings')
      .select(['id', 'search_row as searchRow'])
      .where('account_id', '=', parameter('accountId'))
      .limit(parameter('limit')),
);

/** Removes up to `limit` listings of an account that is to go, without events. @returns how many */
export async function removeListings(session: Session, accountId: string, limit: number): Promise<number> {
  const rows = await session.execute(selectSome, { accountId, limit });
  for (const row of rows) await removeListing(session, accountId, row);
  return rows.length;
}

const selectById = statement<{ accountId: string; id: string }, StoredListing>((query, parameter) =>
  query
    .selectFrom('listings')
    .select(['id', 'version', 'sequence', 'doc', 'search_row as searchRow'])
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
    .selectFrom('listings')
    .select(['id', 'version', 'sequence', 'doc', 'search_row as searchRow'])
    .where('account_id', '=', parameter('accountId'))
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
