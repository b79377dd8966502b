import { createId } from '../../lib/ids.ts';
import { createToken, hashToken } from '../../lib/tokens.ts';
import type { AuditActor, AuditTarget } from '../../model/audit.ts';
import { AppError } from '../../model/errors.ts';
import { type Invitation, parseEmail, type Role } from '../../model/users.ts';
import type { Database, Executor } from '../../storage/database.ts';
import {
  putInvitation,
  type RemovedInvitation,
  removeInvitation,
  removeInvitationsBy,
  removeInvitationTo,
} from '../../storage/invitations.ts';
import { findMember } from '../../storage/memberships.ts';
import { findUserByEmail } from '../../storage/users.ts';
import { recordAudit } from '../access/audit.ts';
import { type Administrator, requireAdministrator } from '../access/roles.ts';
import { getAccount } from './accounts.ts';

/** Seven days, so an invitation still works after a week's vacation. */
const LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

/** An invitation with its tokens. Only the hashes of the tokens are stored. */
export interface NewInvitation {
  invitation: Invitation;
  accountName: string;
  /** For the link that the inviter sees. */
  token: string;
  /** For the mailed link, which the inviter never sees, so accepting the invitation with it verifies the address. */
  mailedToken: string;
}

/**
 * Invites a user, and replaces an earlier invitation to the same address.
 * @throws {AppError} `conflict` for a member, `validation_failed`, `not_found`, or what `requireAdministrator` throws
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
    await requireNoMember(transaction, accountId, email);
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

async function requireNoMember(transaction: Executor, accountId: string, email: string): Promise<void> {
  const user = await findUserByEmail(transaction, email);
  if (user === undefined || (await findMember(transaction, accountId, user.id)) === undefined) return;
  throw new AppError('conflict', `${email} is already a member of the account.`);
}

/** @throws {AppError} `not_found`, or what `requireAdministrator` throws */
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
      throw new AppError('not_found', `There is no invitation ${id}; it may have been accepted or revoked.`);
    }
    await recordAudit(transaction, accountId, actor, 'invitation.revoked', targetOf({ id, email }));
  });
}

/** Revokes the invitations sent by a user who is no longer an administrator. */
export async function revokeInvitationsBy(transaction: Executor, accountId: string, userId: string, actor: AuditActor) {
  await recordRevoked(transaction, accountId, await removeInvitationsBy(transaction, accountId, userId), actor);
}

/** Revokes the invitation to an address, so that a removed user cannot use it to rejoin. */
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
