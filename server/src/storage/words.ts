import type { RawBuilder, SqlBool } from 'kysely';
import { type EngineSql, type Executor, type NewWords, statement, type WordsPlace } from './database.ts';

/** An account's id ends in random characters: so many of them keep one account's words apart from another's. */
const TAG_LENGTH = 8;
/** What is longer is told apart by its beginning: an index takes no word of more than 2,046 bytes. */
const WORD_LENGTH_MAX = 500;

/** A word as it stands in the index: with its account in front, so that a search only ever meets its own. */
function taggedWord(accountId: string, word: string): string {
  return accountId.slice(-TAG_LENGTH) + word.slice(0, WORD_LENGTH_MAX);
}

/** Words as the index takes them. */
export function indexText(accountId: string, words: ReadonlySet<string>): string {
  return Array.from(words, (word) => taggedWord(accountId, word)).join(' ');
}

const insert = statement<NewWords>((query, parameter, engine) => engine.insertWords(query, parameter));

/** Puts the words of a listing into the index, as it is at this sequence of the account. */
export async function insertWords(
  executor: Executor,
  accountId: string,
  sequence: number,
  words: ReadonlySet<string>,
): Promise<void> {
  await executor.execute(insert, { accountId, sequence, words: indexText(accountId, words) });
}

type Place = { accountId: string; id: string };

const selectRow = statement<Place, { row: number }>((query, parameter) =>
  query
    .selectFrom('listing_facets')
    .select('search_row as row')
    .where('account_id', '=', parameter('accountId'))
    .where('id', '=', parameter('id')),
);

/** Where a listing's words stand in the index. */
async function findRow(executor: Executor, accountId: string, id: string): Promise<number> {
  const [found] = await executor.execute(selectRow, { accountId, id });
  return found?.row ?? 0;
}

const remove = statement<WordsPlace>((query, parameter, engine) => engine.removeWords(query, parameter));

/** Takes a listing's words out of the index. */
export async function removeWords(executor: Executor, accountId: string, id: string): Promise<void> {
  await executor.execute(remove, { accountId, searchRow: await findRow(executor, accountId, id) });
}

const updateRow = statement<Place & Pick<NewWords, 'sequence'>>((query, parameter, engine) =>
  query
    .updateTable('listing_facets')
    .set({ search_row: engine.newWordsRow(parameter) })
    .where('account_id', '=', parameter('accountId'))
    .where('id', '=', parameter('id')),
);

/**
 * Makes a listing found by other words. The old ones go last, so that the new ones get a row that the listing has never
 * had: `search_row` tells whether they have changed.
 */
export async function replaceWords(
  executor: Executor,
  accountId: string,
  { id, sequence }: { id: string; sequence: number },
  words: ReadonlySet<string>,
): Promise<void> {
  const searchRow = await findRow(executor, accountId, id);
  await insertWords(executor, accountId, sequence, words);
  await executor.execute(updateRow, { accountId, id, sequence });
  await executor.execute(remove, { accountId, searchRow });
}

const selectLastRow = statement<Pick<NewWords, 'sequence'>, { row: number }>((query, parameter, engine) =>
  query.selectNoFrom(engine.lastWordsRow(parameter).as('row')),
);

/** The last place in the index that is taken, where the account's sequence is the last one, too. */
export async function findLastWordsRow(executor: Executor, sequence: number): Promise<number> {
  const [last] = await executor.execute(selectLastRow, { sequence });
  return last?.row ?? 0;
}

const insertAt = statement<WordsPlace & { words: string }>((query, parameter, engine) =>
  engine.insertWordsAt(query, parameter),
);

/** Puts words (`indexText`) into the index at a place after `findLastWordsRow`. */
export async function insertWordsAt(executor: Executor, place: WordsPlace, words: string): Promise<void> {
  await executor.execute(insertAt, { ...place, words });
}

/** Takes the words at a place out of the index. */
export async function removeWordsAt(executor: Executor, place: WordsPlace): Promise<void> {
  await executor.execute(remove, place);
}

/** Whether each of these words begins one of the words of a row of `facets`. */
export function hasWords(engine: EngineSql, accountId: string, words: readonly string[]): RawBuilder<SqlBool> {
  const tagged = words.map((word) => taggedWord(accountId, word));
  return engine.hasWords(accountId, tagged);
}
