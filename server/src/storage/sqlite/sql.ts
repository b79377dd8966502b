import { sql } from 'kysely';
import type { EngineSql, FoundPair, KeyPrincipalRow } from '../database.ts';
import type { Tables } from '../schema.ts';

export const sqliteSql: EngineSql = {
  insertWords: (query, parameter) => query.insertInto('listing_words').values({ words: parameter('words') }),

  newWordsRow: () => sql`last_insert_rowid()`,

  lastWordsRow: () => sql`coalesce((select rowid from listing_words order by rowid desc limit 1), 0)`,

  insertWordsAt: (query, parameter) =>
    query.insertInto('listing_words').values({ rowid: parameter('searchRow'), words: parameter('words') }),

  removeWords: (query, parameter) => query.deleteFrom('listing_words').where('rowid', '=', parameter('searchRow')),

  keyPrincipals: (hash) => sql<KeyPrincipalRow>`(
    select id, api_keys.account_id, access, expires_at, sequence, epoch, rate_points, rate_seconds, suspended_for
    from api_keys inner join account_heads on account_heads.account_id = api_keys.account_id
    inner join (select epoch from database_info) on true
    where hash = ${hash})`,

  hasWords(_accountId, words) {
    // Words consist of letters and digits, none of which is special to FTS5.
    const match = words.map((word) => `"${word}" *`).join(' AND ');
    return sql`facets.search_row in (select rowid from listing_words where listing_words match ${match})`;
  },

  pairs: (json) =>
    sql<FoundPair>`(select key as "index", value ->> 0 as "id", value ->> 1 as "searchRow" from json_each(${json}))`,

  // Times increase with ids: in ascending order, each row would replace one of the sorter's rows, which takes three
  // times as long. SQLite only respects the order of a subquery with a limit.
  searchColumnsNewestFirst: (accountId) =>
    sql<
      Tables['listing_facets']
    >`(select * from listing_facets where account_id = ${accountId} order by id desc limit -1)`,
};
