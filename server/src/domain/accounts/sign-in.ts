import { AppError } from '../../model/errors.ts';
import type { Membership } from '../../model/users.ts';
import type { Database, Executor } from '../../storage/database.ts';
import { removeSession, setSessionAccount } from '../../storage/sessions.ts';
import { findPasswordHash, findUser } from '../../storage/users.ts';
import { actorOf } from '../access/audit.ts';
import { requireResumed } from '../access/principals.ts';
import { recordEverywhere, type SessionActor } from './profile.ts';

interface SignIn {
  memberships: readonly Membership[];
  /** The browser's previous session. */
  replaced: SessionActor | undefined;
  isByRecoveryCode: boolean;
}

/**
 * Records a sign-in before the session's cookie is sent. The session starts in the user's first account that
 * is not suspended, and replaces the browser's previous session.
 * @throws {AppError} `forbidden` if all of the user's accounts are suspended
 */
export async function recordSignIn(
  database: Database,
  sessionActor: SessionActor,
  { memberships, replaced, isByRecoveryCode }: SignIn,
): Promise<Membership | undefined> {
  const membership = await findOpenMembership(database, sessionActor, memberships);
  await database.write(async (transaction) => {
    if (membership !== undefined)
      await setSessionAccount(transaction, sessionActor.sessionId, { accountId: membership.accountId });
    if (replaced !== undefined) await endOwnSession(transaction, replaced);
    if (isByRecoveryCode) await recordEverywhere(transaction, sessionActor, 'administrator.recovery_code_used');
    await recordEverywhere(transaction, sessionActor, 'administrator.signed_in');
  });
  return membership;
}

/** If all accounts are suspended, ends the new session, whose cookie has not been sent yet. */
async function findOpenMembership(
  database: Database,
  { userId, sessionId }: SessionActor,
  memberships: readonly Membership[],
): Promise<Membership | undefined> {
  let suspended: unknown;
  for (const membership of memberships) {
    try {
      await requireResumed(database, membership.accountId);
      return membership;
    } catch (error) {
      suspended ??= error;
    }
  }
  if (suspended === undefined) return undefined;
  await database.write((transaction) => removeSession(transaction, userId, sessionId));
  throw suspended;
}

export async function signOut(database: Database, sessionActor: SessionActor): Promise<void> {
  await database.write((transaction) => endOwnSession(transaction, sessionActor));
}

async function endOwnSession(transaction: Executor, sessionActor: SessionActor): Promise<void> {
  const ended = await removeSession(transaction, sessionActor.userId, sessionActor.sessionId);
  if (ended > 0) await recordEverywhere(transaction, sessionActor, 'administrator.signed_out');
}

/** Records a wrong second factor after a correct password. */
export async function recordWrongFactor(database: Database, userId: string, address: string): Promise<void> {
  await database.write(async (transaction) => {
    const user = await findUser(transaction, userId);
    if (user === undefined) return;
    const actor = actorOf({ userId, userName: user.name, email: user.email, address });
    await recordEverywhere(transaction, { userId, actor }, 'administrator.second_factor_refused');
  });
}

/** @throws {AppError} `unauthorized` if the password has changed */
export type PasswordCheck = (transaction: Executor) => Promise<void>;

/** The returned check rejects the sign-in if the password has changed since this call. */
export async function notePassword(transaction: Executor, userId: string): Promise<PasswordCheck> {
  const hash = await findPasswordHash(transaction, userId);
  return async (later) => {
    if (hash === undefined || (await findPasswordHash(later, userId)) !== hash) await rejectPassword(later);
  };
}

export const rejectPassword: PasswordCheck = async () => {
  throw new AppError('unauthorized', 'The password has just been changed; sign in again.');
};
