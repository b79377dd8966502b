import { sql } from 'kysely';
import type { EngineSql, KeyPrincipalRow } from '../database.ts';

const accountKey: EngineSql['accountKey'] = (accountId) =>
  sql`(select number from account_numbers where account_id = ${accountId})`;

export const sqliteSql: EngineSql = {
  accountKey,

  facetsKey: (accountId, id) => ({
    number: sql`(select number from listings where account_id = ${accountId} and id = ${id})`,
    account_id: accountKey(accountId),
    id,
  }),

  // Terms get the account's number once they are indexed (listing-index.ts).
  listingTerms: (terms) => ({ terms }),
  facetTerms: () => ({}),
  updatesAllIndexes: false,

  // It reads the tables of cross joins in their order.
  lookUp: (table) => sql.table(table),

  keyPrincipals: (hash) => sql<KeyPrincipalRow>`(
    select id, api_keys.account_id, access, expires_at, sequence, epoch, rate_points, rate_seconds, suspended_for
    from api_keys inner join account_heads on account_heads.account_id = api_keys.account_id
    inner join (select epoch from database_info) on true
    where hash = ${hash})`,
};
