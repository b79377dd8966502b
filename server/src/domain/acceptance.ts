import { hashToken } from '../lib/tokens.ts';
import { AppError } from '../model/errors.ts';
import type { User } from '../model/users.ts';
import type { Database, Executor } from '../storage/database.ts';
import { findInvitation, type OpenInvitation, removeInvitation } from '../storage/invitations.ts';
import { findMember } from '../storage/memberships.ts';
import { setSessionAccount } from '../storage/sessions.ts';
import { findUserByEmail, verifyEmail } from '../storage/users.ts';
import { join, type NewUser, prepareUser, storeUser } from './administrators.ts';
import { actorOf } from './audit.ts';
import { requireResumed } from './principals.ts';

/**
 * What an invitation leads to, and whether its person can sign in already.
 * @throws {AppError} `not_found`; `forbidden` while the account is suspended
 */
export async function getInvitation(transaction: Executor, token: string): Promise<OpenInvitation & { user?: User }> {
  const invitation = await findInvitation(transaction, hashToken(token), Date.now());
  if (invitation === undefined) {
    throw new AppError('not_found', 'This invitation is over: it was used or taken back, or is older than seven days.');
  }
  await requireResumed(transaction, invitation.accountId);
  const user = await findUserByEmail(transaction, invitation.email);
  return { ...invitation, ...(user && { user }) };
}

/**
 * Lets somebody new join, by the token of their invitation; their address is the one that it went to.
 * @throws {AppError} `not_found` for a token that is none (any more); `conflict` for somebody who can sign in already;
 * `validation_failed`
 */
export async function acceptAsNew(
  database: Database,
  token: string,
  person: Omit<NewUser, 'email'>,
  address: string,
): Promise<User> {
  // Before anything is hashed for somebody who has no invitation.
  const { email, accountName } = await getInvitation(database, token);
  const prepared = await prepareUser({ ...person, email }, accountName);
  await database.write(async (transaction) => {
    const invitation = await getInvitation(transaction, token);
    await storeUser(transaction, prepared, invitation.isMailed);
    await accept(transaction, invitation, prepared.user, address);
  });
  return prepared.user;
}

/** Somebody who is signed in. */
export interface Guest {
  sessionId: string;
  user: User;
  address: string;
}

/**
 * Lets somebody who is signed in join, and work in the account from now on.
 * @throws {AppError} `not_found` for a token that is none (any more); `conflict` for an invitation of somebody else
 */
export async function acceptAsUser(database: Database, token: string, guest: Guest): Promise<void> {
  await database.write(async (transaction) => {
    const invitation = await getInvitation(transaction, token);
    if (invitation.email !== guest.user.email) {
      throw new AppError(
        'conflict',
        `The invitation is for ${invitation.email}, and you are signed in as ${guest.user.email}: sign out first.`,
      );
    }
    await accept(transaction, invitation, guest.user, guest.address);
    if (invitation.isMailed) await verifyEmail(transaction, guest.user.id);
    await setSessionAccount(transaction, guest.sessionId, invitation.accountId);
  });
}

async function accept(transaction: Executor, invitation: OpenInvitation, user: User, address: string): Promise<void> {
  const { accountId, id, role } = invitation;
  await removeInvitation(transaction, accountId, id);
  // The operator may have let them in meanwhile.
  if ((await findMember(transaction, accountId, user.id)) !== undefined) return;
  const actor = actorOf({ userId: user.id, userName: user.name, email: user.email, address });
  await join(transaction, accountId, user, role, actor);
}
