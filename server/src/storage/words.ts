import type { RawBuilder, SqlBool } from 'kysely';
import {
  type EngineSql,
  type Executor,
  type NewWords,
  type Parameter,
  statement,
  type WordsPlace,
} from './database.ts';
import { firstRow } from './functions.ts';

/** The length of an account's tag: the random end of its id, which separates its words from those of other accounts. */
const TAG_LENGTH = 8;
/** Longer words are cut: PostgreSQL's index accepts at most 2,046 bytes per word. */
const WORD_LENGTH_MAX = 500;

/** A word as indexed, after the account's tag, so that a search only finds the account's own words. */
function taggedWord(accountId: string, word: string): string {
  return accountId.slice(-TAG_LENGTH) + word.slice(0, WORD_LENGTH_MAX);
}

/** Words as indexed. */
export function indexText(accountId: string, words: ReadonlySet<string>): string {
  return Array.from(words, (word) => taggedWord(accountId, word)).join(' ');
}

const insert = statement<NewWords>((query, parameter, engine) => engine.insertWords(query, parameter));

/** Indexes the words that a listing has at this sequence. */
export async function insertWords(
  executor: Executor,
  accountId: string,
  sequence: number,
  words: ReadonlySet<string>,
): Promise<void> {
  await executor.execute(insert, { accountId, sequence, words: indexText(accountId, words) });
}

type ListingKey = { accountId: string; id: string };

const selectRow = firstRow(['accountId', 'id'], (query, parameter: Parameter<ListingKey>) =>
  query
    .selectFrom('listing_facets')
    .select('search_row as row')
    .where('account_id', '=', parameter('accountId'))
    .where('id', '=', parameter('id')),
);

/** The index row of a listing's words. */
async function findRow(executor: Executor, accountId: string, id: string): Promise<number> {
  return (await selectRow(executor, accountId, id))?.row ?? 0;
}

const remove = statement<WordsPlace>((query, parameter, engine) => engine.removeWords(query, parameter));

export async function removeWords(executor: Executor, accountId: string, id: string): Promise<void> {
  await executor.execute(remove, { accountId, searchRow: await findRow(executor, accountId, id) });
}

const updateRow = statement<ListingKey & Pick<NewWords, 'sequence'>>((query, parameter, engine) =>
  query
    .updateTable('listing_facets')
    .set({ search_row: engine.newWordsRow(parameter) })
    .where('account_id', '=', parameter('accountId'))
    .where('id', '=', parameter('id')),
);

/**
 * Replaces a listing's words. The old ones are removed last, so that the new ones get a row that the listing never had,
 * and `search_row` changes whenever the words do.
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

/** The last used row of the index; `sequence` is the account's current sequence. */
export async function findLastWordsRow(executor: Executor, sequence: number): Promise<number> {
  const [last] = await executor.execute(selectLastRow, { sequence });
  return last?.row ?? 0;
}

const insertAt = statement<WordsPlace & { words: string }>((query, parameter, engine) =>
  engine.insertWordsAt(query, parameter),
);

/** Indexes words (from `indexText`) in a row after the one that `findLastWordsRow` returns. */
export async function insertWordsAt(executor: Executor, place: WordsPlace, words: string): Promise<void> {
  await executor.execute(insertAt, { ...place, words });
}

export async function removeWordsAt(executor: Executor, place: WordsPlace): Promise<void> {
  await executor.execute(remove, place);
}

/** Whether each of these words is a prefix of a word in the row of `facets`. */
export function hasWords(engine: EngineSql, accountId: string, words: readonly string[]): RawBuilder<SqlBool> {
  const tagged = words.map((word) => taggedWord(accountId, word));
  return engine.hasWords(accountId, tagged);
}
