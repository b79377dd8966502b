import type { Membership, Role } from '../model/users.ts';
import { type Executor, statement } from './database.ts';

export interface NewMembership {
  accountId: string;
  userId: string;
  role: Role;
  /** UTC milliseconds. */
  createdAt: number;
}

const insert = statement<NewMembership>((query, parameter) =>
  query.insertInto('memberships').values({
    account_id: parameter('accountId'),
    user_id: parameter('userId'),
    role: parameter('role'),
    created_at: parameter('createdAt'),
  }),
);

export async function insertMembership(executor: Executor, membership: NewMembership): Promise<void> {
  await executor.execute(insert, membership);
}

const selectByUser = statement<{ userId: string }, Membership>((query, parameter) =>
  query
    .selectFrom('memberships')
    .innerJoin('accounts', 'accounts.id', 'memberships.account_id')
    .select(['accounts.id as accountId', 'accounts.name as accountName', 'role'])
    .where('user_id', '=', parameter('userId'))
    .orderBy('accounts.id'),
);

/** The accounts that somebody belongs to, the oldest first. */
export function listMembershipsOf(executor: Executor, userId: string): Promise<Membership[]> {
  return executor.execute(selectByUser, { userId });
}

/** Somebody who belongs to an account. */
export interface Member {
  id: string;
  name: string;
  email: string;
  role: Role;
  createdAt: number;
}

const selectByAccount = statement<{ accountId: string }, Member>((query, parameter) =>
  query
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.id', 'users.name', 'users.email', 'role', 'memberships.created_at as createdAt'])
    .where('account_id', '=', parameter('accountId'))
    .orderBy('memberships.created_at')
    .orderBy('users.id'),
);

/** Who belongs to an account, the longest first. */
export function listMembers(executor: Executor, accountId: string): Promise<Member[]> {
  return executor.execute(selectByAccount, { accountId });
}

const selectAdministrator = statement<Record<never, never>, { userId: string }>((query) =>
  query.selectFrom('memberships').select('user_id as userId').where('role', '=', 'administrator').limit(1),
);

/** Whether anybody is an administrator of any account. */
export async function hasAdministrator(executor: Executor): Promise<boolean> {
  const rows = await executor.execute(selectAdministrator, {});
  return rows.length > 0;
}

interface MemberKey {
  accountId: string;
  userId: string;
}

const selectOne = statement<MemberKey, Member>((query, parameter) =>
  query
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.id', 'users.name', 'users.email', 'role', 'memberships.created_at as createdAt'])
    .where('account_id', '=', parameter('accountId'))
    .where('user_id', '=', parameter('userId')),
);

export async function findMember(executor: Executor, accountId: string, userId: string): Promise<Member | undefined> {
  const [member] = await executor.execute(selectOne, { accountId, userId });
  return member;
}

const selectOther = statement<MemberKey, { userId: string }>((query, parameter) =>
  query
    .selectFrom('memberships')
    .select('user_id as userId')
    .where('account_id', '=', parameter('accountId'))
    .where('user_id', '!=', parameter('userId'))
    .where('role', '=', 'administrator')
    .limit(1),
);

/** Whether an account has an administrator besides this person. */
export async function hasOtherAdministrator(executor: Executor, accountId: string, userId: string): Promise<boolean> {
  const rows = await executor.execute(selectOther, { accountId, userId });
  return rows.length > 0;
}

const update = statement<MemberKey & { role: Role }>((query, parameter) =>
  query
    .updateTable('memberships')
    .set({ role: parameter('role') })
    .where('account_id', '=', parameter('accountId'))
    .where('user_id', '=', parameter('userId')),
);

export async function setRole(executor: Executor, accountId: string, userId: string, role: Role): Promise<void> {
  await executor.execute(update, { accountId, userId, role });
}

const remove = statement<MemberKey>((query, parameter) =>
  query
    .deleteFrom('memberships')
    .where('account_id', '=', parameter('accountId'))
    .where('user_id', '=', parameter('userId')),
);

export async function removeMembership(executor: Executor, accountId: string, userId: string): Promise<void> {
  await executor.execute(remove, { accountId, userId });
}
