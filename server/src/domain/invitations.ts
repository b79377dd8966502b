import { createId } from '../lib/ids.ts';
import { createToken, hashToken } from '../lib/tokens.ts';
import type { AuditActor, AuditTarget } from '../model/audit.ts';
import { AppError } from '../model/errors.ts';
import { type Invitation, parseEmail, type Role } from '../model/users.ts';
import type { Database, Executor } from '../storage/database.ts';
import {
  putInvitation,
  type RemovedInvitation,
  removeInvitation,
  removeInvitationsBy,
  removeInvitationTo,
} from '../storage/invitations.ts';
import { findMember } from '../storage/memberships.ts';
import { findUserByEmail } from '../storage/users.ts';
import { getAccount } from './accounts.ts';
import { recordAudit } from './audit.ts';
import { type Administrator, requireAdministrator } from './roles.ts';

/** A holiday fits in between, hardly more. */
const LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

/** What somebody who invites gets: the tokens are in nobody else's hands, and stored nowhere. */
export interface NewInvitation {
  invitation: Invitation;
  accountName: string;
  /** For the link that is shown to whoever invites. */
  token: string;
  /** For the link that is mailed, and never shown: whoever accepts by it reads the mail of the address. */
  mailedToken: string;
}

/**
 * Invites somebody to an account; an earlier invitation to the same address is over.
 * @throws {AppError} `conflict` for somebody who belongs to it already; `validation_failed`; `not_found`; what
 * `requireAdministrator` throws
 */
export function invite(
  database: Database,
  accountId: string,
  given: { email: string; role: Role },
  administrator: Administrator,
): Promise<NewInvitation> {
  const { role } = given;
  const email = parseEmail(given.email);
  const [token, mailedToken] = [createToken(), createToken()];
  return database.write(async (transaction) => {
    const account = await getAccount(transaction, accountId);
    const actor = await requireAdministrator(transaction, accountId, administrator);
    await refuseMember(transaction, accountId, email);
    const createdAt = Date.now();
    const times = { createdAt, expiresAt: createdAt + LIFETIME_MS };
    const invitation = { accountId, id: createId('inv'), email, role, invitedBy: actor.name, ...times };
    await putInvitation(transaction, {
      ...invitation,
      inviterId: actor.id,
      hash: hashToken(token),
      mailedHash: hashToken(mailedToken),
    });
    await recordAudit(transaction, accountId, actor, 'invitation.created', targetOf(invitation));
    return { invitation, accountName: account.name, token, mailedToken };
  });
}

async function refuseMember(transaction: Executor, accountId: string, email: string): Promise<void> {
  const user = await findUserByEmail(transaction, email);
  if (user === undefined || (await findMember(transaction, accountId, user.id)) === undefined) return;
  throw new AppError('conflict', `${email} belongs to the account already.`);
}

/** Takes an invitation back. @throws {AppError} `not_found`; what `requireAdministrator` throws */
export async function revokeInvitation(
  database: Database,
  accountId: string,
  id: string,
  administrator: Administrator,
) {
  await database.write(async (transaction) => {
    const actor = await requireAdministrator(transaction, accountId, administrator);
    const email = await removeInvitation(transaction, accountId, id);
    if (email === undefined) {
      throw new AppError('not_found', `There is no invitation ${id}; it may have been accepted or taken back before.`);
    }
    await recordAudit(transaction, accountId, actor, 'invitation.revoked', targetOf({ id, email }));
  });
}

/** Whoever manages the account no more lets nobody in, themselves neither: what they have invited to is over. */
export async function revokeInvitationsBy(transaction: Executor, accountId: string, userId: string, actor: AuditActor) {
  await recordRevoked(transaction, accountId, await removeInvitationsBy(transaction, accountId, userId), actor);
}

/** Whoever was removed does not come back by an invitation from before. */
export async function revokeInvitationTo(transaction: Executor, accountId: string, email: string, actor: AuditActor) {
  await recordRevoked(transaction, accountId, await removeInvitationTo(transaction, accountId, email), actor);
}

async function recordRevoked(
  transaction: Executor,
  accountId: string,
  removed: RemovedInvitation[],
  actor: AuditActor,
) {
  for (const invitation of removed) {
    await recordAudit(transaction, accountId, actor, 'invitation.revoked', targetOf(invitation));
  }
}

function targetOf({ id, email }: { id: string; email: string }): AuditTarget {
  return { type: 'invitation', id, name: email };
}
