import { parseName } from '../model/accounts.ts';
import type { Membership } from '../model/administrators.ts';
import type { AuditAction, AuditActor } from '../model/audit.ts';
import { AppError } from '../model/errors.ts';
import type { Database, Session } from '../storage/database.ts';
import {
  hasSession,
  removeOtherSessions,
  removeSession,
  removeSessions,
  setSessionAccount,
} from '../storage/sessions.ts';
import { removeTwoFactor, verifyTwoFactor } from '../storage/two-factors.ts';
import { findPasswordHash, removeChallenges, renameUser } from '../storage/users.ts';
import { recordAudit } from './audit.ts';
import { sessionGone } from './holders.ts';

/** Somebody who changes what is their own, and the accounts in whose logs that stands. */
export interface Self {
  sessionId: string;
  userId: string;
  memberships: readonly Membership[];
  actor: AuditActor;
}

/**
 * Writes down that somebody has come in, before they are let in; their session begins in the first of their accounts, and
 * the one that it replaces in the browser ends.
 */
export async function recordSignIn(
  database: Database,
  self: Self,
  replaced: Self | undefined,
): Promise<Membership | undefined> {
  const [membership] = self.memberships;
  await database.write(async (session) => {
    if (membership !== undefined) await setSessionAccount(session, self.sessionId, membership.accountId);
    if (replaced !== undefined) await endOwnSession(session, replaced);
    await recordEverywhere(session, self, 'administrator.signed_in');
  });
  return membership;
}

/** Ends the session in use. */
export async function signOut(database: Database, self: Self): Promise<void> {
  await database.write((session) => endOwnSession(session, self));
}

async function endOwnSession(session: Session, self: Self): Promise<void> {
  const existed = await removeSession(session, self.userId, self.sessionId);
  if (existed) await recordEverywhere(session, self, 'administrator.signed_out');
}

/** @throws {AppError} `validation_failed` */
export async function changeName(database: Database, userId: string, given: string): Promise<string> {
  const name = parseName(given);
  await database.write((session) => renameUser(session, userId, name));
  return name;
}

/**
 * What goes with another password, in one transaction: all sessions end, and whoever has typed the old password and owes
 * the second factor begins anew.
 */
export async function afterPasswordChange(session: Session, self: Self): Promise<void> {
  await requireSession(session, self);
  await removeSessions(session, self.userId);
  await removeChallenges(session, self.userId);
  await recordEverywhere(session, self, 'administrator.password_changed');
}

/** What goes with switching the second factor on, in one transaction. */
export async function afterTwoFactorEnabled(session: Session, self: Self): Promise<void> {
  await requireSession(session, self);
  await verifyTwoFactor(session, self.userId);
  await recordEverywhere(session, self, 'administrator.two_factor_enabled');
}

/** What goes with switching the second factor off, in one transaction. */
export async function afterTwoFactorDisabled(session: Session, self: Self): Promise<void> {
  await requireSession(session, self);
  await removeTwoFactor(session, self.userId);
  await recordEverywhere(session, self, 'administrator.two_factor_disabled');
}

/**
 * What somebody does who was signed in must not be done once their session has ended, as by another password.
 * @throws {AppError} `unauthorized`
 */
export async function requireSession(session: Session, { userId, sessionId }: Self): Promise<void> {
  if (!(await hasSession(session, userId, sessionId))) throw sessionGone();
}

/** @throws {AppError} `unauthorized` if the password is another one than before */
export type PasswordCheck = (session: Session) => Promise<void>;

/** Remembers which password somebody has now: the old one lets nobody in any more, also not who gave it just before. */
export async function notePassword(session: Session, userId: string): Promise<PasswordCheck> {
  const hash = await findPasswordHash(session, userId);
  return async (later) => {
    if (hash === undefined || (await findPasswordHash(later, userId)) !== hash) await refusePassword(later);
  };
}

/** As if it had changed. */
export const refusePassword: PasswordCheck = async () => {
  throw new AppError('unauthorized', 'The password was changed just now: sign in again.');
};

/** Ends one of the person's sessions. @throws {AppError} `not_found` for one that is not theirs */
export async function endSession(database: Database, self: Self, sessionId: string): Promise<void> {
  await database.write(async (session) => {
    const existed = await removeSession(session, self.userId, sessionId);
    if (!existed) throw new AppError('not_found', 'There is no such session; it may have ended before.');
    await recordEverywhere(session, self, 'administrator.sessions_ended');
  });
}

/** Ends all of the person's sessions but the one in use. */
export async function endOtherSessions(database: Database, self: Self): Promise<void> {
  await database.write(async (session) => {
    const ended = await removeOtherSessions(session, self.userId, self.sessionId);
    if (ended > 0) await recordEverywhere(session, self, 'administrator.sessions_ended');
  });
}

async function recordEverywhere(session: Session, { memberships, actor }: Self, action: AuditAction): Promise<void> {
  for (const { accountId } of memberships) await recordAudit(session, accountId, actor, action);
}
