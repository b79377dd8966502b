import type { AuditActor } from '../../model/audit.ts';
import { AppError } from '../../model/errors.ts';
import type { AccountUser, Role } from '../../model/users.ts';
import type { Executor } from '../../storage/database.ts';
import { findSessionMembership } from '../../storage/memberships.ts';
import { actorOf, OPERATOR } from './audit.ts';
import { sessionGone } from './principals.ts';

export type Administrator = 'operator' | AccountUser;

/** Checks the role again, in the change's transaction. @throws {AppError} `unauthorized` or `forbidden` */
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
  throw new AppError('forbidden', 'Only administrators of the account are allowed to do this; ask one of them.');
}
