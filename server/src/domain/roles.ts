import type { AuditActor } from '../model/audit.ts';
import { AppError } from '../model/errors.ts';
import type { AccountUser, Role } from '../model/users.ts';
import type { Executor } from '../storage/database.ts';
import { findSessionMembership } from '../storage/session-memberships.ts';
import { actorOf, OPERATOR } from './audit.ts';
import { sessionGone } from './principals.ts';

/** Who manages an account and its keys: the operator, or one of its administrators. */
export type Administrator = 'operator' | AccountUser;

/**
 * Who manages an account, for the audit log. It is looked at again in the transaction in which something is changed.
 * @throws {AppError} `unauthorized` when the session is over, `forbidden` when the role is another meanwhile
 */
export async function requireAdministrator(
  transaction: Executor,
  accountId: string,
  administrator: Administrator,
): Promise<AuditActor> {
  if (administrator === 'operator') return OPERATOR;
  const membership = await findSessionMembership(transaction, accountId, administrator.sessionId);
  if (membership === undefined) throw sessionGone();
  requireRole(membership);
  return actorOf(administrator);
}

/** @throws {AppError} `forbidden` for members */
export function requireRole({ role }: { role: Role }): void {
  if (role === 'administrator') return;
  throw new AppError('forbidden', 'Only administrators of the account may do this; ask one of them.');
}
