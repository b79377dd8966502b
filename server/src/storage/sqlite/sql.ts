import { sql } from 'kysely';
import type { EngineSql, KeyPrincipalRow } from '../database.ts';

const accountKey: EngineSql['accountKey'] = (accountId) =>
  sql`(select number from account_numbers where account_id = ${accountId})`;

export const sqliteSql: EngineSql = {
  accountKey,

  // Joins the account's number: a subquery for it in each row would take a third of the insert's time.
  insertFacets: (query, rows, accountId) => {
    const names = Object.keys(rows[0] ?? {});
    const given = rows.map((row) => sql`(${sql.join(Object.values(row))})`);
    const columns = names.map((_, index) => sql.ref(`given.column${index + 1}`));
    const id = columns[names.indexOf('id')];
    const insert = sql<never>`insert into listing_facets (number, account_id, ${sql.join(names.map(sql.ref))})
      select listings.number, account_numbers.number, ${sql.join(columns)}
      from account_numbers cross join (values ${sql.join(given)}) as given cross join listings
      where account_numbers.account_id = ${accountId} and listings.account_id = ${accountId} and listings.id = ${id}`;
    return { compile: () => insert.compile(query) };
  },

  updateFacets: (query, rows, accountId) => {
    const names = Object.keys(rows[0] ?? {});
    const given = rows.map((row) => sql`(${sql.join(Object.values(row))})`);
    const columns = names.map((name, index) => [name, sql.ref(`given.column${index + 1}`)] as const);
    const { id, ...replaced } = Object.fromEntries(columns);
    return query
      .updateTable('listing_facets')
      .from(sql<object>`(values ${sql.join(given)})`.as('given'))
      .set(replaced)
      .where('account_id', '=', accountKey(accountId))
      .where('id', '=', id as never);
  },

  // The account's number is added to terms only when they are indexed (listing-index.ts).
  listingTerms: (terms) => ({ terms }),
  facetTerms: () => ({}),
  updatesAllIndexes: false,

  // SQLite reads the tables of cross joins in the given order.
  lookUp: (table) => sql.table(table),

  keyPrincipals: (hash) => sql<KeyPrincipalRow>`(
    select id, api_keys.account_id, access, expires_at, sequence, epoch, rate_points, rate_seconds, suspended_for
    from api_keys inner join account_heads on account_heads.account_id = api_keys.account_id
    inner join (select epoch from database_info) on true
    where hash = ${hash})`,
};
