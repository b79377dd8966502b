import { createId } from '../lib/ids.ts';
import { createToken, hashToken } from '../lib/tokens.ts';
import { type Invitation, parseEmail, type Role, type User } from '../model/administrators.ts';
import type { AuditTarget } from '../model/audit.ts';
import { AppError } from '../model/errors.ts';
import type { Database, Session } from '../storage/database.ts';
import { findInvitation, type OpenInvitation, putInvitation, removeInvitation } from '../storage/invitations.ts';
import { findMember } from '../storage/memberships.ts';
import { setSessionAccount } from '../storage/sessions.ts';
import { findUserByEmail } from '../storage/users.ts';
import { getAccount } from './accounts.ts';
import { join, type NewPerson, prepareUser, storeUser } from './administrators.ts';
import { actorOf, recordAudit } from './audit.ts';
import { type Manager, requireManager } from './managers.ts';

/** A holiday fits in between, hardly more. */
const LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

/** What somebody who invites gets: the token is in nobody else's hands, and stored nowhere. */
export interface NewInvitation {
  invitation: Invitation;
  accountName: string;
  token: string;
}

/**
 * Invites somebody to an account; an earlier invitation to the same address is over.
 * @throws {AppError} `conflict` for somebody who belongs to it already; `validation_failed`; `not_found`; what
 * `requireManager` throws
 */
export function invite(
  database: Database,
  accountId: string,
  given: { email: string; role: Role },
  manager: Manager,
): Promise<NewInvitation> {
  const { role } = given;
  const email = parseEmail(given.email);
  const token = createToken();
  return database.write(async (session) => {
    const account = await getAccount(session, accountId);
    const actor = await requireManager(session, accountId, manager);
    await refuseMember(session, accountId, email);
    const createdAt = Date.now();
    const times = { createdAt, expiresAt: createdAt + LIFETIME_MS };
    const invitation = { accountId, id: createId('inv'), email, role, invitedBy: actor.name, ...times };
    await putInvitation(session, invitation, hashToken(token));
    await recordAudit(session, accountId, actor, 'invitation.created', targetOf(invitation));
    return { invitation, accountName: account.name, token };
  });
}

async function refuseMember(session: Session, accountId: string, email: string): Promise<void> {
  const user = await findUserByEmail(session, email);
  if (user === undefined || (await findMember(session, accountId, user.id)) === undefined) return;
  throw new AppError('conflict', `${email} belongs to the account already.`);
}

/** Takes an invitation back. @throws {AppError} `not_found`; what `requireManager` throws */
export async function revokeInvitation(database: Database, accountId: string, id: string, manager: Manager) {
  await database.write(async (session) => {
    const actor = await requireManager(session, accountId, manager);
    const email = await removeInvitation(session, accountId, id);
    if (email === undefined) {
      throw new AppError('not_found', `There is no invitation ${id}; it may have been accepted or taken back before.`);
    }
    await recordAudit(session, accountId, actor, 'invitation.revoked', targetOf({ id, email }));
  });
}

/** What an invitation leads to, and whether its person can sign in already. @throws {AppError} `not_found` */
export async function getInvitation(session: Session, token: string): Promise<OpenInvitation & { user?: User }> {
  const invitation = await findInvitation(session, hashToken(token), Date.now());
  if (invitation === undefined) {
    throw new AppError('not_found', 'This invitation is over: it was used or taken back, or is older than seven days.');
  }
  const user = await findUserByEmail(session, invitation.email);
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
  person: Omit<NewPerson, 'email'>,
  address: string,
): Promise<User> {
  // Before anything is hashed for somebody who has no invitation.
  const { email } = await getInvitation(database, token);
  const prepared = await prepareUser({ ...person, email });
  await database.write(async (session) => {
    const invitation = await getInvitation(session, token);
    await storeUser(session, prepared);
    await accept(session, invitation, prepared.user, address);
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
  await database.write(async (session) => {
    const invitation = await getInvitation(session, token);
    if (invitation.email !== guest.user.email) {
      throw new AppError(
        'conflict',
        `The invitation is for ${invitation.email}, and you are signed in as ${guest.user.email}: sign out first.`,
      );
    }
    await accept(session, invitation, guest.user, guest.address);
    await setSessionAccount(session, guest.sessionId, invitation.accountId);
  });
}

async function accept(session: Session, invitation: OpenInvitation, user: User, address: string): Promise<void> {
  const { accountId, id, role } = invitation;
  await removeInvitation(session, accountId, id);
  // The operator may have let them in meanwhile.
  if ((await findMember(session, accountId, user.id)) !== undefined) return;
  await join(session, accountId, user, role, actorOf({ userId: user.id, userName: user.name, address }));
}

function targetOf({ id, email }: { id: string; email: string }): AuditTarget {
  return { type: 'invitation', id, name: email };
}
