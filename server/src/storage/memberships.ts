import type { Membership, Role } from '../model/users.ts';
import { type Session, statement } from './database.ts';

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

export async function insertMembership(session: Session, membership: NewMembership): Promise<void> {
  await session.execute(insert, membership);
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
export function listMembershipsOf(session: Session, userId: string): Promise<Membership[]> {
  return session.execute(selectByUser, { userId });
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
export function listMembers(session: Session, accountId: string): Promise<Member[]> {
  return session.execute(selectByAccount, { accountId });
}

const selectAdministrator = statement<Record<never, never>, { userId: string }>((query) =>
  query.selectFrom('memberships').select('user_id as userId').where('role', '=', 'administrator').limit(1),
);

/** Whether anybody is an administrator of any account. */
export async function hasAdministrator(session: Session): Promise<boolean> {
  const rows = await session.execute(selectAdministrator, {});
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

export async function findMember(session: Session, accountId: string, userId: string): Promise<Member | undefined> {
  const [member] = await session.execute(selectOne, { accountId, userId });
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
export async function hasOtherAdministrator(session: Session, accountId: string, userId: string): Promise<boolean> {
  const rows = await session.execute(selectOther, { accountId, userId });
  return rows.length > 0;
}

const update = statement<MemberKey & { role: Role }>((query, parameter) =>
  query
    .updateTable('memberships')
    .set({ role: parameter('role') })
    .where('account_id', '=', parameter('accountId'))
    .where('user_id', '=', parameter('userId')),
);

export async function setRole(session: Session, accountId: string, userId: string, role: Role): Promise<void> {
  await session.execute(update, { accountId, userId, role });
}

const remove = statement<MemberKey>((query, parameter) =>
  query
    .deleteFrom('memberships')
    .where('account_id', '=', parameter('accountId'))
    .where('user_id', '=', parameter('userId')),
);

export async function removeMembership(session: Session, accountId: string, userId: string): Promise<void> {
  await session.execute(remove, { accountId, userId });
}
