import { parseName } from '../model/accounts.ts';
import type { Membership } from '../model/administrators.ts';
import type { AuditAction, AuditActor } from '../model/audit.ts';
import { AppError } from '../model/errors.ts';
import type { Database, Session } from '../storage/database.ts';
import { removeOtherSessions, removeSession, setSessionAccount } from '../storage/sessions.ts';
import { removeChallenges, renameUser } from '../storage/users.ts';
import { recordAudit } from './audit.ts';

/** Somebody who changes what is their own, and the accounts in whose logs that stands. */
export interface Self {
  sessionId: string;
  userId: string;
  memberships: readonly Membership[];
  actor: AuditActor;
}

/** Writes down what somebody did with their own person, in each account that they belong to. */
export async function recordOfSelf(database: Database, self: Self, action: AuditAction): Promise<void> {
  await database.write((session) => recordEverywhere(session, self, action));
}

/** @throws {AppError} `validation_failed` */
export async function changeName(database: Database, userId: string, given: string): Promise<string> {
  const name = parseName(given);
  await database.write((session) => renameUser(session, userId, name));
  return name;
}

/**
 * What follows when somebody has changed their password: the new session works in the account of the one that it replaces,
 * and whoever has typed the old password and owes the second factor begins anew.
 */
export async function finishPasswordChange(database: Database, self: Self, accountId: string | undefined) {
  await database.write(async (session) => {
    if (accountId !== undefined) await setSessionAccount(session, self.sessionId, accountId);
    await removeChallenges(session, self.userId);
    await recordEverywhere(session, self, 'administrator.password_changed');
  });
}

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
