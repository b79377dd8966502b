import type { Person, Role } from '../model/administrators.ts';
import type { AuditActor } from '../model/audit.ts';
import { AppError } from '../model/errors.ts';
import type { Session } from '../storage/database.ts';
import { findStanding } from '../storage/standings.ts';
import { actorOf, OPERATOR } from './audit.ts';
import { sessionGone } from './holders.ts';

/** Who manages an account and its keys: the operator, or one of its administrators. */
export type Manager = 'operator' | Person;

/**
 * Who manages an account, for the audit log. It is looked at again in the transaction in which something is changed.
 * @throws {AppError} `unauthorized` when the session is over, `forbidden` when the role is another meanwhile
 */
export async function requireManager(session: Session, accountId: string, manager: Manager): Promise<AuditActor> {
  if (manager === 'operator') return OPERATOR;
  const standing = await findStanding(session, accountId, manager.sessionId);
  if (standing === undefined) throw sessionGone();
  requireRole(standing);
  return actorOf(manager);
}

/** @throws {AppError} `forbidden` for members */
export function requireRole({ role }: { role: Role }): void {
  if (role === 'administrator') return;
  throw new AppError('forbidden', 'Only administrators of the account may do this; ask one of them.');
}
