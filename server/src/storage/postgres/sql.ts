import { sql } from 'kysely';
import type { EngineSql, KeyPrincipalRow } from '../database.ts';

/** The length of an account's tag: the random end of its id. */
export const TAG_LENGTH = 8;

export const postgresSql: EngineSql = {
  accountKey: (accountId) => accountId,

  facetsKey: (accountId, id) => ({ account_id: accountId, id }),

  listingTerms: () => ({}),

  // Each term follows the account's tag, so that a search only finds the account's own terms.
  facetTerms: (terms, accountId) => ({
    terms: sql`array_to_tsvector(array_remove(string_to_array(
      replace(${terms}, ' ', ' ' || right(${accountId}, ${sql.lit(TAG_LENGTH)})), ' '), ''))`,
  }),

  // `updated_at` has an index and always changes, so an update is never heap-only.
  updatesAllIndexes: true,

  // The function is created by migrations/0006-quotas.ts, and replaced on Citus by distribute.ts.
  keyPrincipals: (hash) => sql<KeyPrincipalRow>`find_key_holder(${hash})`,
};
