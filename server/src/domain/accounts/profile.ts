import { parseName } from '../../model/accounts.ts';
import type { AuditAction, AuditActor, AuditTarget } from '../../model/audit.ts';
import { AppError } from '../../model/errors.ts';
import type { Database, Executor } from '../../storage/database.ts';
import { listMembershipsOf } from '../../storage/memberships.ts';
import { findSession, removeOtherSessions, removeSession, removeSessions } from '../../storage/sessions.ts';
import { hasTwoFactor, removeTwoFactor, verifyTwoFactor } from '../../storage/two-factors.ts';
import { removeChallenges, renameUser } from '../../storage/users.ts';
import { recordAudit } from '../access/audit.ts';
import { sessionGone } from '../access/principals.ts';

/** A user who changes their own data. Changes are recorded in the audit logs of all their accounts. */
export interface SessionActor {
  sessionId: string;
  userId: string;
  actor: AuditActor;
}

/** @throws {AppError} `validation_failed` or `unauthorized` */
export async function changeName(database: Database, sessionActor: SessionActor, given: string): Promise<string> {
  const name = parseName(given);
  if (name === sessionActor.actor.name) return name;
  await database.write(async (transaction) => {
    const target = { type: 'administrator', id: sessionActor.userId, name } as const;
    await recordSecurityChange(transaction, sessionActor, 'administrator.name_changed', target);
    await renameUser(transaction, sessionActor.userId, name);
  });
  return name;
}

/** Runs in better-auth's transaction. Also ends sign-ins with the old password that wait for a second factor. */
export async function afterPasswordChange(transaction: Executor, sessionActor: SessionActor): Promise<void> {
  await recordSecurityChange(transaction, sessionActor, 'administrator.password_changed');
  await removeSessions(transaction, sessionActor.userId);
  await removeChallenges(transaction, sessionActor.userId);
}

/** Runs in better-auth's transaction. */
export async function afterTwoFactorEnabled(transaction: Executor, sessionActor: SessionActor): Promise<void> {
  await recordSecurityChange(transaction, sessionActor, 'administrator.two_factor_enabled');
  await verifyTwoFactor(transaction, sessionActor.userId);
}

/** Runs in better-auth's transaction. If the second factor is off, only ends its setup, which is not recorded. */
export async function afterTwoFactorDisabled(transaction: Executor, sessionActor: SessionActor): Promise<void> {
  await requireSession(transaction, sessionActor);
  if (await hasTwoFactor(transaction, sessionActor.userId))
    await recordEverywhere(transaction, sessionActor, 'administrator.two_factor_disabled');
  await removeTwoFactor(transaction, sessionActor.userId);
}

/** Runs in the transaction of the change. @throws {AppError} `unauthorized` */
export async function recordSecurityChange(
  transaction: Executor,
  sessionActor: SessionActor,
  action: AuditAction,
  target?: AuditTarget,
): Promise<void> {
  await requireSession(transaction, sessionActor);
  await recordEverywhere(transaction, sessionActor, action, target);
}

/** @throws {AppError} `unauthorized` if the session has ended since the request began */
export async function requireSession(transaction: Executor, { userId, sessionId }: SessionActor): Promise<void> {
  if ((await findSession(transaction, userId, sessionId)) === undefined) throw sessionGone();
}

/** @throws {AppError} `not_found` if the user has no such session, or `unauthorized` */
export async function endSession(database: Database, sessionActor: SessionActor, sessionId: string): Promise<void> {
  await database.write(async (transaction) => {
    await requireSession(transaction, sessionActor);
    const ended = await removeSession(transaction, sessionActor.userId, sessionId);
    if (ended === 0) throw new AppError('not_found', 'There is no such session; it may have already ended.');
    await recordEverywhere(transaction, sessionActor, 'administrator.sessions_ended');
  });
}

/** @throws {AppError} `unauthorized` */
export async function endOtherSessions(database: Database, sessionActor: SessionActor): Promise<void> {
  await database.write(async (transaction) => {
    await requireSession(transaction, sessionActor);
    const ended = await removeOtherSessions(transaction, sessionActor.userId, sessionActor.sessionId);
    if (ended > 0) await recordEverywhere(transaction, sessionActor, 'administrator.sessions_ended');
  });
}

/** Records a user's change in the audit logs of all their accounts. */
export async function recordEverywhere(
  transaction: Executor,
  { userId, actor }: Pick<SessionActor, 'userId' | 'actor'>,
  action: AuditAction,
  target?: AuditTarget,
): Promise<void> {
  const memberships = await listMembershipsOf(transaction, userId);
  for (const { accountId } of memberships) await recordAudit(transaction, accountId, actor, action, target);
}
