import { sql } from 'kysely';
import type { EngineSql, KeyPrincipalRow } from '../database.ts';

/** The length of an account's tag: the last characters of its id, which are random. */
export const TAG_LENGTH = 8;

export const postgresSql: EngineSql = {
  accountKey: (accountId) => accountId,

  insertFacets: (query, rows, accountId) =>
    query.insertInto('listing_facets').values(rows.map((row) => ({ ...row, account_id: accountId }) as never)),

  // Written as an insert, since `UPDATE … FROM (VALUES …)` reads all rows of an account that is not in the
  // planner's statistics yet.
  updateFacets: (query, rows, accountId) => {
    const names = Object.keys(rows[0] ?? {}).filter((name) => name !== 'id');
    const replaced = names.map((name) => [name, sql`excluded.${sql.ref(name)}`]);
    // `terms` cannot be null, so each given row needs terms, even if the stored ones are kept.
    const all = rows.map((row) => ({ terms: sql`''`, ...row, account_id: accountId }) as never);
    return query
      .insertInto('listing_facets')
      .values(all)
      .onConflict((conflict) => conflict.columns(['account_id', 'id']).doUpdateSet(Object.fromEntries(replaced)));
  },

  listingTerms: () => ({}),

  // Each term follows the account's tag, so that a search only finds the account's own terms.
  facetTerms: (terms, accountId) => ({
    terms: sql`array_to_tsvector(array_remove(string_to_array(
      replace(${terms}, ' ', ' ' || right(${accountId}, ${sql.lit(TAG_LENGTH)})), ' '), ''))`,
  }),

  // `updated_at` has an index and always changes, so an update is never heap-only.
  updatesAllIndexes: true,

  // Without this subquery, each batch would read all rows of an account that is not in the planner's statistics
  // yet. The planner does not flatten a subquery with a limit, and only the key's index returns this order
  // without a sort.
  lookUp: (table, accountKey, column, key) => {
    const name = sql.ref(column);
    return sql`lateral (select * from ${sql.table(table)} where account_id = ${accountKey}
      and ${name} between ${key} and ${key} order by ${name} limit 1)`;
  },

  // The function is created by migrations/0006-quotas.ts, and replaced on Citus by distribute.ts.
  keyPrincipals: (hash) => sql<KeyPrincipalRow>`find_key_holder(${hash})`,
};
