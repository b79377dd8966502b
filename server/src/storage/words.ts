import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Session, statement } from './database.ts';

/** An account's id ends in random characters: so many of them keep one account's words apart from another's. */
const TAG_LENGTH = 8;

/** A word as it stands in the index: with its account in front, so that a search only ever meets its own. */
function taggedWord(accountId: string, word: string): string {
  return accountId.slice(-TAG_LENGTH) + word;
}

const insert = statement<{ words: string }>((query, parameter) =>
  query.insertInto('listing_words').values({ words: parameter('words') }),
);

/** Puts words into the index, as its last row. */
export async function insertWords(session: Session, accountId: string, words: ReadonlySet<string>): Promise<void> {
  const tagged = Array.from(words, (word) => taggedWord(accountId, word));
  await session.execute(insert, { words: tagged.join(' ') });
}

/** The row of `listing_words` that this connection has just made. */
export const lastWordsRow = sql<number>`last_insert_rowid()`;

type Place = { accountId: string; id: string };

const selectRow = statement<Place, { row: number }>((query, parameter) =>
  query
    .selectFrom('listing_facets')
    .select('search_row as row')
    .where('account_id', '=', parameter('accountId'))
    .where('id', '=', parameter('id')),
);

/** Where a listing's words stand in the index. */
async function findRow(session: Session, accountId: string, id: string): Promise<number> {
  const [found] = await session.execute(selectRow, { accountId, id });
  return found?.row ?? 0;
}

const remove = statement<{ row: number }>((query, parameter) =>
  query.deleteFrom('listing_words').where('rowid', '=', parameter('row')),
);

/** Takes a listing's words out of the index. */
export async function removeWords(session: Session, accountId: string, id: string): Promise<void> {
  await session.execute(remove, { row: await findRow(session, accountId, id) });
}

const updateRow = statement<Place>((query, parameter) =>
  query
    .updateTable('listing_facets')
    .set({ search_row: lastWordsRow })
    .where('account_id', '=', parameter('accountId'))
    .where('id', '=', parameter('id')),
);

/**
 * Makes a listing found by other words. The old ones go last, so that the new ones get a row that the listing has never
 * had: `search_row` tells whether they have changed.
 */
export async function replaceWords(
  session: Session,
  accountId: string,
  id: string,
  words: ReadonlySet<string>,
): Promise<void> {
  const row = await findRow(session, accountId, id);
  await insertWords(session, accountId, words);
  await session.execute(updateRow, { accountId, id });
  await session.execute(remove, { row });
}

/** Whether each of these words begins one of the words of a row of `facets`. */
export function hasWords(accountId: string, words: readonly string[]): RawBuilder<SqlBool> {
  // A word has letters and digits only: nothing in it means anything to FTS5.
  const match = words.map((word) => `"${taggedWord(accountId, word)}" *`).join(' AND ');
  return sql`facets.search_row in (select rowid from listing_words where listing_words match ${match})`;
}
