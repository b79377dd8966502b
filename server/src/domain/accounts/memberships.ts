import type { AuditTarget } from '../../model/audit.ts';
import { AppError } from '../../model/errors.ts';
import type { Membership, Role } from '../../model/users.ts';
import type { Database, Executor } from '../../storage/database.ts';
import { findMember, hasOtherMember, type Member, removeMembership, setRole } from '../../storage/memberships.ts';
import { setSessionAccount } from '../../storage/sessions.ts';
import { removeLonelyUser } from '../../storage/users.ts';
import { recordAudit } from '../access/audit.ts';
import { requireResumed } from '../access/principals.ts';
import { type Administrator, requireAdministrator } from '../access/roles.ts';
import { revokeInvitationsBy, revokeInvitationTo } from './invitations.ts';

/**
 * Switches a session to another of the user's accounts.
 * @throws {AppError} `not_found` if the user is not a member of the account, or `forbidden` if it is suspended
 */
export async function chooseAccount(
  database: Database,
  { sessionId, memberships }: { sessionId: string; memberships: readonly Membership[] },
  accountId: string,
): Promise<Membership> {
  const membership = memberships.find((candidate) => candidate.accountId === accountId);
  if (membership === undefined) throw new AppError('not_found', 'You are not a member of this account.');
  await requireResumed(database, accountId);
  await database.write((transaction) => setSessionAccount(transaction, sessionId, { accountId }));
  return membership;
}

/** @throws {AppError} `not_found`, `conflict` for the last administrator, or what `requireAdministrator` throws */
export function changeRole(
  database: Database,
  accountId: string,
  userId: string,
  role: Role,
  administrator: Administrator,
): Promise<Member> {
  return database.write(async (transaction) => {
    const actor = await requireAdministrator(transaction, accountId, administrator);
    const member = await getMember(transaction, accountId, userId);
    if (member.role === role) return member;
    await requireOtherAdministrator(transaction, accountId, member);
    await setRole(transaction, accountId, userId, { role });
    if (role === 'member') await revokeInvitationsBy(transaction, accountId, userId, actor);
    await recordAudit(transaction, accountId, actor, 'member.role_changed', targetOf(member, `: ${role}`));
    return { ...member, role };
  });
}

/**
 * Removes a member, and deletes the user if this was their only account.
 * @throws {AppError} `not_found`, `conflict` for the last administrator, or what `requireAdministrator` throws
 */
export async function removeMember(
  database: Database,
  accountId: string,
  userId: string,
  administrator: Administrator,
): Promise<void> {
  await database.write(async (transaction) => {
    const actor = await requireAdministrator(transaction, accountId, administrator);
    const member = await getMember(transaction, accountId, userId);
    await requireOtherAdministrator(transaction, accountId, member);
    await removeMembership(transaction, accountId, userId);
    await removeLonelyUser(transaction, userId);
    await revokeInvitationsBy(transaction, accountId, userId, actor);
    await revokeInvitationTo(transaction, accountId, member.email, actor);
    await recordAudit(transaction, accountId, actor, 'member.removed', targetOf(member));
  });
}

async function getMember(transaction: Executor, accountId: string, userId: string): Promise<Member> {
  const member = await findMember(transaction, accountId, userId);
  if (member !== undefined) return member;
  throw new AppError('not_found', `There is no member ${userId}; they may have been removed.`);
}

async function requireOtherAdministrator(
  transaction: Executor,
  accountId: string,
  { id, role }: Member,
): Promise<void> {
  if (role === 'member' || (await hasOtherMember(transaction, accountId, id, 'administrator'))) return;
  throw new AppError('conflict', 'An account needs an administrator; make someone else an administrator first.');
}

function targetOf({ id, name, email }: Member, what = ''): AuditTarget {
  return { type: 'administrator', id, name: `${name} <${email}>${what}` };
}
