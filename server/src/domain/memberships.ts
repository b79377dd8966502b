import type { AuditTarget } from '../model/audit.ts';
import { AppError } from '../model/errors.ts';
import type { Membership, Role } from '../model/users.ts';
import type { Database, Executor } from '../storage/database.ts';
import { findMember, hasOtherAdministrator, type Member, removeMembership, setRole } from '../storage/memberships.ts';
import { setSessionAccount } from '../storage/sessions.ts';
import { removeLonelyUsers } from '../storage/users.ts';
import { recordAudit } from './audit.ts';
import { revokeInvitationsBy, revokeInvitationTo } from './invitations.ts';
import { requireResumed } from './principals.ts';
import { type Administrator, requireAdministrator } from './roles.ts';

/**
 * Lets a session work in another of the person's accounts.
 * @throws {AppError} `not_found` for one that they do not belong to; `forbidden` for one that is suspended
 */
export async function chooseAccount(
  database: Database,
  { sessionId, memberships }: { sessionId: string; memberships: readonly Membership[] },
  accountId: string,
): Promise<Membership> {
  const membership = memberships.find((candidate) => candidate.accountId === accountId);
  if (membership === undefined) throw new AppError('not_found', 'You belong to no such account.');
  await requireResumed(database, accountId);
  await database.write((transaction) => setSessionAccount(transaction, sessionId, accountId));
  return membership;
}

/**
 * Makes a member an administrator, or the other way round.
 * @throws {AppError} `not_found`; `conflict` for the last administrator; what `requireAdministrator` throws
 */
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
    await setRole(transaction, accountId, userId, role);
    if (role === 'member') await revokeInvitationsBy(transaction, accountId, userId, actor);
    await recordAudit(transaction, accountId, actor, 'member.role_changed', targetOf(member, `: ${role}`));
    return { ...member, role };
  });
}

/**
 * Removes somebody from an account; who belongs to no other one can no longer sign in.
 * @throws {AppError} `not_found`; `conflict` for the last administrator; what `requireAdministrator` throws
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
    await removeLonelyUsers(transaction);
    await revokeInvitationsBy(transaction, accountId, userId, actor);
    await revokeInvitationTo(transaction, accountId, member.email, actor);
    await recordAudit(transaction, accountId, actor, 'member.removed', targetOf(member));
  });
}

async function getMember(transaction: Executor, accountId: string, userId: string): Promise<Member> {
  const member = await findMember(transaction, accountId, userId);
  if (member !== undefined) return member;
  throw new AppError('not_found', `Nobody ${userId} belongs to the account; they may have been removed before.`);
}

async function requireOtherAdministrator(
  transaction: Executor,
  accountId: string,
  { id, role }: Member,
): Promise<void> {
  if (role === 'member' || (await hasOtherAdministrator(transaction, accountId, id))) return;
  throw new AppError('conflict', 'An account needs an administrator: make somebody else one first.');
}

function targetOf({ id, name, email }: Member, what = ''): AuditTarget {
  return { type: 'administrator', id, name: `${name} <${email}>${what}` };
}
