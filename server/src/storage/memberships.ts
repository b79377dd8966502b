import type { Head } from '../model/accounts.ts';
import type { Role } from '../model/users.ts';
import { type Executor, type Parameter, type QueryBuilder, statement } from './database.ts';
import { allRows, firstRow } from './functions.ts';
import { hasRows, insertRow, removeRows, updateRows } from './rows.ts';

type MemberKey = { accountId: string; userId: string };

export const insertMembership = insertRow('memberships', ['accountId', 'userId', 'role', 'createdAt']);

export const listMembershipsOf = allRows(['userId'], (query, parameter: Parameter<{ userId: string }>) =>
  query
    .selectFrom('memberships')
    .innerJoin('accounts', 'accounts.id', 'memberships.account_id')
    .select(['accounts.id as accountId', 'accounts.name as accountName', 'role'])
    .where('user_id', '=', parameter('userId'))
    .orderBy('accounts.id'),
);

export interface Member {
  id: string;
  name: string;
  email: string;
  role: Role;
  createdAt: number;
}

function selectMembers(query: QueryBuilder, parameter: Parameter<{ accountId: string }>) {
  return query
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.id', 'users.name', 'users.email', 'role', 'memberships.created_at as createdAt'])
    .where('account_id', '=', parameter('accountId'));
}

export const listMembers = allRows(['accountId'], (query, parameter: Parameter<{ accountId: string }>) =>
  selectMembers(query, parameter).orderBy('memberships.created_at').orderBy('users.id'),
);

export const findMember = firstRow(['accountId', 'userId'], (query, parameter: Parameter<MemberKey>) =>
  selectMembers(query, parameter).where('user_id', '=', parameter('userId')),
);

const hasRole = hasRows('memberships', ['role']);

export function hasAdministrator(executor: Executor): Promise<boolean> {
  return hasRole(executor, 'administrator');
}

/** Whether a member other than `userId` has the role. */
export const hasOtherMember = hasRows('memberships', ['accountId', 'userId !=', 'role']);

export const setRole = updateRows('memberships', ['accountId', 'userId'], ['role']);

export const removeMembership = removeRows('memberships', ['accountId', 'userId']);

type SessionMembership = Head & { role: Role };

const selectBySession = statement<{ sessionId: string; accountId: string; now: string }, SessionMembership>(
  (query, parameter) =>
    query
      .selectFrom('sessions')
      .innerJoin('memberships', 'memberships.user_id', 'sessions.user_id')
      .innerJoin('account_heads', 'account_heads.account_id', 'memberships.account_id')
      .innerJoin('database_info', (join) => join.onTrue())
      .select(['role', 'sequence', 'epoch'])
      .where('sessions.id', '=', parameter('sessionId'))
      .where('sessions.expires_at', '>', parameter('now'))
      .where('memberships.account_id', '=', parameter('accountId'))
      .where('suspended_for', 'is', null),
);

/** A session's membership; undefined for an expired session, a user who is not a member, or a suspended account. */
export async function findSessionMembership(
  executor: Executor,
  accountId: string,
  sessionId: string,
): Promise<SessionMembership | undefined> {
  const now = new Date().toISOString();
  const [membership] = await executor.execute(selectBySession, { sessionId, accountId, now });
  return membership;
}
