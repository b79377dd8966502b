import { hashToken } from '../../lib/tokens.ts';
import { AppError } from '../../model/errors.ts';
import type { User } from '../../model/users.ts';
import type { Database, Executor } from '../../storage/database.ts';
import { findInvitation, type OpenInvitation, removeInvitation } from '../../storage/invitations.ts';
import { findMember } from '../../storage/memberships.ts';
import { setSessionAccount } from '../../storage/sessions.ts';
import { findUserByEmail, verifyEmail } from '../../storage/users.ts';
import { actorOf } from '../access/audit.ts';
import { requireResumed } from '../access/principals.ts';
import { join, type NewUser, prepareUser, storeUser } from './administrators.ts';

/** `user` is the existing user with the invited address, if any. @throws {AppError} `not_found` or `forbidden` */
export async function getInvitation(transaction: Executor, token: string): Promise<OpenInvitation & { user?: User }> {
  const invitation = await findInvitation(transaction, hashToken(token), Date.now());
  if (invitation === undefined) {
    throw new AppError(
      'not_found',
      'This invitation is no longer valid: it was used, revoked, or replaced, or is more than seven days old. ' +
        'Ask for a new one.',
    );
  }
  await requireResumed(transaction, invitation.accountId);
  const user = await findUserByEmail(transaction, invitation.email);
  return { ...invitation, ...(user && { user }) };
}

/**
 * Creates a user with the invited email address, and adds them to the account.
 * @throws {AppError} as `getInvitation` and `prepareUser` do, or `conflict` for an existing user
 */
export async function acceptAsNew(
  database: Database,
  token: string,
  person: Omit<NewUser, 'email'>,
  address: string,
): Promise<User> {
  // Checked first, so no password is hashed for a request without an invitation.
  const { email, accountName } = await getInvitation(database, token);
  const prepared = await prepareUser({ ...person, email }, accountName);
  await database.write(async (transaction) => {
    const invitation = await getInvitation(transaction, token);
    await storeUser(transaction, prepared, invitation.isMailed);
    await accept(transaction, invitation, prepared.user, address);
  });
  return prepared.user;
}

interface AcceptingUser {
  sessionId: string;
  user: User;
  address: string;
}

/**
 * Adds a signed-in user to the account, and switches their session to it.
 * @throws {AppError} as `getInvitation` does, or `conflict` for another user's invitation
 */
export async function acceptAsUser(
  database: Database,
  token: string,
  { sessionId, user, address }: AcceptingUser,
): Promise<void> {
  await database.write(async (transaction) => {
    const invitation = await getInvitation(transaction, token);
    if (invitation.email !== user.email) {
      throw new AppError(
        'conflict',
        `This invitation is for ${invitation.email}, but you are signed in as ${user.email}; sign out first.`,
      );
    }
    await accept(transaction, invitation, user, address);
    if (invitation.isMailed) await verifyEmail(transaction, user.id);
    await setSessionAccount(transaction, sessionId, { accountId: invitation.accountId });
  });
}

async function accept(transaction: Executor, invitation: OpenInvitation, user: User, address: string): Promise<void> {
  const { accountId, id, role } = invitation;
  await removeInvitation(transaction, accountId, id);
  // The operator may have added the user in the meantime.
  if ((await findMember(transaction, accountId, user.id)) !== undefined) return;
  const actor = actorOf({ userId: user.id, userName: user.name, email: user.email, address });
  await join(transaction, accountId, user, role, actor);
}
