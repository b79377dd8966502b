import { statement } from '../database.ts';

/** Locks an account: until the commit nobody else changes its listings, or what belongs to it. */
export const lockAccount = statement<{ accountId: string }, { sequence: number }>((query, parameter) =>
  query.selectFrom('account_heads').select('sequence').where('account_id', '=', parameter('accountId')).forUpdate(),
);

/** Locks what belongs to no account, or to several: accounts themselves, people, invitations, the setup link. */
export const lockDatabase = statement<object, { id: number }>((query) =>
  query.selectFrom('database_info').select('id').forUpdate(),
);
