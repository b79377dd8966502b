import { type RawBuilder, sql } from 'kysely';
import type { EngineSql, FoundPair, KeyPrincipalRow } from '../database.ts';
import type { Tables } from '../schema.ts';

const toVector = (words: RawBuilder<string>): RawBuilder<string> =>
  sql`array_to_tsvector(array_remove(string_to_array(${words}, ' '), ''))`;

export const postgresSql: EngineSql = {
  insertWords: (query, parameter) =>
    query.insertInto('listing_words').values({
      account_id: parameter('accountId'),
      search_row: parameter('sequence'),
      words: toVector(parameter('words')),
    }),

  newWordsRow: (parameter) => parameter('sequence'),

  // Without the cast, PostgreSQL would take the parameter for a text.
  lastWordsRow: (parameter) => sql`cast(${parameter('sequence')} as bigint)`,

  insertWordsAt: (query, parameter) =>
    query.insertInto('listing_words').values({
      account_id: parameter('accountId'),
      search_row: parameter('searchRow'),
      words: toVector(parameter('words')),
    }),

  removeWords: (query, parameter) =>
    query
      .deleteFrom('listing_words')
      .where('account_id', '=', parameter('accountId'))
      .where('search_row', '=', parameter('searchRow')),

  // The function is created by migrations/0006-quotas.ts, and replaced on Citus by distribute.ts.
  keyPrincipals: (hash) => sql<KeyPrincipalRow>`find_key_holder(${hash})`,

  hasWords(accountId, words) {
    // Words consist of letters and digits, none of which is special within quotes.
    const match = words.map((word) => `'${word}':*`).join(' & ');
    return sql`facets.search_row in (select listing_words.search_row from listing_words
      where listing_words.account_id = ${accountId} and listing_words.words @@ cast(${match} as tsquery))`;
  },

  pairs: (json) => sql<FoundPair>`(
    select ordinality - 1 as "index", pair ->> 0 as "id", cast(pair ->> 1 as bigint) as "searchRow"
    from json_array_elements(cast(${json} as json)) with ordinality as pairs (pair, ordinality))`,

  searchColumnsNewestFirst: () => sql<Tables['listing_facets']>`listing_facets`,
};
