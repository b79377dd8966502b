import { AppError } from '../../model/errors.ts';
import type { Membership } from '../../model/users.ts';
import type { Database, Executor } from '../../storage/database.ts';
import { listMembershipsOf } from '../../storage/memberships.ts';
import { removeSession, setSessionAccount } from '../../storage/sessions.ts';
import { findPasswordHash, findUser } from '../../storage/users.ts';
import { actorOf } from '../access/audit.ts';
import { requireResumed } from '../access/principals.ts';
import { recordEverywhere, type SessionActor } from './profile.ts';

/**
 * Records a sign-in before the session's cookie is sent. The session starts in the user's first account that
 * is not suspended, and replaces the browser's previous session.
 * @throws {AppError} `forbidden` if all of the user's accounts are suspended
 */
export async function recordSignIn(
  database: Database,
  sessionActor: SessionActor,
  { replaced, isByRecoveryCode }: { replaced: SessionActor | undefined; isByRecoveryCode: boolean },
): Promise<Membership | undefined> {
  const membership = await findOpenMembership(database, sessionActor);
  await database.write(async (transaction) => {
    if (membership !== undefined)
      await setSessionAccount(transaction, sessionActor.sessionId, { accountId: membership.accountId });
    if (replaced !== undefined) await endOwnSession(transaction, replaced);
    if (isByRecoveryCode) await recordEverywhere(transaction, sessionActor, 'administrator.recovery_code_used');
    await recordEverywhere(transaction, sessionActor, 'administrator.signed_in');
  });
  return membership;
}

/**
 * Returns the user's first membership in an account that is not suspended. If all accounts are suspended,
 * ends the new session, whose cookie has not been sent yet.
 */
async function findOpenMembership(database: Database, sessionActor: SessionActor): Promise<Membership | undefined> {
  const { memberships, userId, sessionId } = sessionActor;
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
    const memberships = await listMembershipsOf(transaction, userId);
    await recordEverywhere(transaction, { memberships, actor }, 'administrator.second_factor_refused');
  });
}

/** @throws {AppError} `unauthorized` if the password has changed */
export type PasswordCheck = (transaction: Executor) => Promise<void>;

/**
 * Remembers the current password's hash. The returned check rejects a sign-in if the password has changed in
 * the meantime.
 */
export async function notePassword(transaction: Executor, userId: string): Promise<PasswordCheck> {
  const hash = await findPasswordHash(transaction, userId);
  return async (later) => {
    if (hash === undefined || (await findPasswordHash(later, userId)) !== hash) await rejectPassword(later);
  };
}

export const rejectPassword: PasswordCheck = async () => {
  throw new AppError('unauthorized', 'The password has just been changed; sign in again.');
};
