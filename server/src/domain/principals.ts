import type { Head } from '../model/accounts.ts';
import type { Access } from '../model/api-keys.ts';
import { AppError } from '../model/errors.ts';
import type { AccountUser } from '../model/users.ts';
import { findLimits } from '../storage/account-limits.ts';
import { findKeyHead, type KeyPrincipal } from '../storage/api-keys.ts';
import type { Executor } from '../storage/database.ts';
import { findSessionMembership } from '../storage/session-memberships.ts';

/** Somebody who uses the dashboard, and where their account stood when they were let in. */
export interface SessionPrincipal extends Head {
  accountId: string;
  access: Access;
  user: AccountUser;
}

/** Who was let in: by a key, or by a session of the dashboard. */
export type Principal = KeyPrincipal | SessionPrincipal;

/** What a user of the dashboard works with. @throws {AppError} `unauthorized` when they are out meanwhile; `forbidden` while the account is suspended */
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

/** Tells a user that their account is suspended, if it is. @throws {AppError} `forbidden` */
export async function requireResumed(transaction: Executor, accountId: string): Promise<void> {
  const reason = (await findLimits(transaction, accountId))?.suspendedFor ?? null;
  if (reason === null) return;
  throw new AppError('forbidden', `The account is suspended: ${reason}. Ask the operator of the service.`);
}

/**
 * Where the account of somebody who was let in stands now: for replies that last.
 * @throws {AppError} `unauthorized` unless they still are; an account that is gone took its keys with it
 */
export async function getLiveHead(transaction: Executor, principal: Principal): Promise<Head> {
  const head = await findLiveHead(transaction, principal);
  if (head === undefined) throw principalGone(principal);
  return head;
}

async function findLiveHead(transaction: Executor, principal: Principal): Promise<Head | undefined> {
  if ('user' in principal) return findSessionMembership(transaction, principal.accountId, principal.user.sessionId);
  const { accountId, keyId, expiresAt } = principal;
  if (expiresAt !== null && expiresAt <= Date.now()) return undefined;
  return findKeyHead(transaction, accountId, keyId);
}

/** Somebody was let in and is out now. */
export function principalGone(principal: object): AppError {
  return 'user' in principal ? sessionGone() : keyGone();
}

export function keyGone(): AppError {
  return new AppError('unauthorized', 'Invalid or missing API key');
}

export function sessionGone(): AppError {
  return new AppError('unauthorized', 'Sign in first.');
}
