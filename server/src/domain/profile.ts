import { parseName } from '../model/accounts.ts';
import type { AuditAction, AuditActor, AuditTarget } from '../model/audit.ts';
import { AppError } from '../model/errors.ts';
import type { Membership } from '../model/users.ts';
import type { Database, Executor } from '../storage/database.ts';
import { hasSession, removeOtherSessions, removeSession, removeSessions } from '../storage/sessions.ts';
import { removeTwoFactor, verifyTwoFactor } from '../storage/two-factors.ts';
import { removeChallenges, renameUser } from '../storage/users.ts';
import { recordAudit } from './audit.ts';
import { sessionGone } from './principals.ts';

/** Somebody who changes what is their own, and the accounts in whose logs that stands. */
export interface SessionActor {
  sessionId: string;
  userId: string;
  memberships: readonly Membership[];
  actor: AuditActor;
}

/** @throws {AppError} `validation_failed` */
export async function changeName(database: Database, sessionActor: SessionActor, given: string): Promise<string> {
  const name = parseName(given);
  if (name === sessionActor.actor.name) return name;
  await database.write(async (transaction) => {
    await renameUser(transaction, sessionActor.userId, name);
    const target = { type: 'administrator', id: sessionActor.userId, name } as const;
    await recordEverywhere(transaction, sessionActor, 'administrator.name_changed', target);
  });
  return name;
}

/**
 * What goes with another password, in one transaction: all sessions end, and whoever has typed the old password and owes
 * the second factor begins anew.
 */
export async function afterPasswordChange(transaction: Executor, sessionActor: SessionActor): Promise<void> {
  await requireSession(transaction, sessionActor);
  await removeSessions(transaction, sessionActor.userId);
  await removeChallenges(transaction, sessionActor.userId);
  await recordEverywhere(transaction, sessionActor, 'administrator.password_changed');
}

/** What goes with new recovery codes, in one transaction. */
export async function afterCodesRenewed(transaction: Executor, sessionActor: SessionActor): Promise<void> {
  await requireSession(transaction, sessionActor);
  await recordEverywhere(transaction, sessionActor, 'administrator.recovery_codes_renewed');
}

/** What goes with a recovery code that is used in place of a code of the app, in one transaction. */
export async function afterRecoveryCode(transaction: Executor, sessionActor: SessionActor): Promise<void> {
  await requireSession(transaction, sessionActor);
  await recordEverywhere(transaction, sessionActor, 'administrator.recovery_code_used');
}

/** What goes with switching the second factor on, in one transaction. */
export async function afterTwoFactorEnabled(transaction: Executor, sessionActor: SessionActor): Promise<void> {
  await requireSession(transaction, sessionActor);
  await verifyTwoFactor(transaction, sessionActor.userId);
  await recordEverywhere(transaction, sessionActor, 'administrator.two_factor_enabled');
}

/** What goes with switching the second factor off, in one transaction. */
export async function afterTwoFactorDisabled(transaction: Executor, sessionActor: SessionActor): Promise<void> {
  await requireSession(transaction, sessionActor);
  await removeTwoFactor(transaction, sessionActor.userId);
  await recordEverywhere(transaction, sessionActor, 'administrator.two_factor_disabled');
}

/**
 * What somebody does who was signed in must not be done once their session has ended, as by another password.
 * @throws {AppError} `unauthorized`
 */
export async function requireSession(transaction: Executor, { userId, sessionId }: SessionActor): Promise<void> {
  if (!(await hasSession(transaction, userId, sessionId))) throw sessionGone();
}

/** Ends one of the person's sessions. @throws {AppError} `not_found` for one that is not theirs */
export async function endSession(database: Database, sessionActor: SessionActor, sessionId: string): Promise<void> {
  await database.write(async (transaction) => {
    const existed = await removeSession(transaction, sessionActor.userId, sessionId);
    if (!existed) throw new AppError('not_found', 'There is no such session; it may have ended before.');
    await recordEverywhere(transaction, sessionActor, 'administrator.sessions_ended');
  });
}

/** Ends all of the person's sessions but the one in use. */
export async function endOtherSessions(database: Database, sessionActor: SessionActor): Promise<void> {
  await database.write(async (transaction) => {
    const ended = await removeOtherSessions(transaction, sessionActor.userId, sessionActor.sessionId);
    if (ended > 0) await recordEverywhere(transaction, sessionActor, 'administrator.sessions_ended');
  });
}

/** Writes down what somebody did with their own person, in each account that they belong to. */
export async function recordEverywhere(
  transaction: Executor,
  { memberships, actor }: Pick<SessionActor, 'memberships' | 'actor'>,
  action: AuditAction,
  target?: AuditTarget,
): Promise<void> {
  for (const { accountId } of memberships) await recordAudit(transaction, accountId, actor, action, target);
}
