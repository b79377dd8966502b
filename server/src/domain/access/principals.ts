import type { Head } from '../../model/accounts.ts';
import type { Access } from '../../model/api-keys.ts';
import { AppError, INVALID_KEY } from '../../model/errors.ts';
import type { AccountUser } from '../../model/users.ts';
import { findLimits } from '../../storage/account-limits.ts';
import { findKeyHead, type KeyPrincipal } from '../../storage/api-keys.ts';
import type { Executor } from '../../storage/database.ts';
import { findSessionMembership } from '../../storage/memberships.ts';

/** A session's user, with the account's sequence and epoch as read when the request began. */
export interface SessionPrincipal extends Head {
  accountId: string;
  access: Access;
  user: AccountUser;
}

export type Principal = KeyPrincipal | SessionPrincipal;

export type FullPrincipal = Principal & { access: 'full' };

export function hasFullAccess(principal: Principal): principal is FullPrincipal {
  return principal.access === 'full';
}

/** @throws {AppError} `unauthorized` if the session is no longer valid; `forbidden` if the account is suspended */
export async function getSessionPrincipal(transaction: Executor, user: AccountUser): Promise<SessionPrincipal> {
  const { accountId, sessionId } = user;
  const membership = await findSessionMembership(transaction, accountId, sessionId);
  if (membership === undefined) {
    await requireResumed(transaction, accountId);
    throw sessionGone();
  }
  const { sequence, epoch } = membership;
  return { sequence, epoch, accountId, access: 'full', user };
}

/** @throws {AppError} `forbidden` for a suspended account, with the reason */
export async function requireResumed(transaction: Executor, accountId: string): Promise<void> {
  const reason = (await findLimits(transaction, accountId))?.suspendedFor ?? null;
  if (reason === null) return;
  throw new AppError('forbidden', `The account is suspended: ${reason}. Contact the operator of the service.`);
}

/** Returns the account's current head. @throws {AppError} `unauthorized` if the principal has lost access */
export async function getLiveHead(transaction: Executor, principal: Principal): Promise<Head> {
  const head = await findLiveHead(transaction, principal);
  if (head === undefined) throw principalGone(principal);
  return head;
}

async function findLiveHead(transaction: Executor, principal: Principal): Promise<Head | undefined> {
  if ('user' in principal) return findSessionMembership(transaction, principal.accountId, principal.user.sessionId);
  return findKeyHead(transaction, principal.accountId, principal.keyId, Date.now());
}

export function principalGone(principal: object): AppError {
  return 'user' in principal ? sessionGone() : keyGone();
}

export function keyGone(): AppError {
  return new AppError('unauthorized', INVALID_KEY);
}

export function sessionGone(): AppError {
  return new AppError('unauthorized', 'Sign in first.');
}
