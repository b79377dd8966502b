import type { Head } from '../model/accounts.ts';
import type { Person } from '../model/administrators.ts';
import type { Access } from '../model/api-keys.ts';
import { AppError } from '../model/errors.ts';
import { findLimits } from '../storage/account-limits.ts';
import { findKeyHead, type KeyHolder } from '../storage/api-keys.ts';
import type { Session } from '../storage/database.ts';
import { findStanding } from '../storage/standings.ts';

/** Somebody who uses the dashboard, and where their account stood when they were let in. */
export interface SessionHolder extends Head {
  accountId: string;
  access: Access;
  person: Person;
}

/** Who was let in: by a key, or by a session of the dashboard. */
export type Holder = KeyHolder | SessionHolder;

/** What a user of the dashboard works with. @throws {AppError} `unauthorized` when they are out meanwhile; `forbidden` while the account is suspended */
export async function holdSession(session: Session, person: Person): Promise<SessionHolder> {
  const { accountId, sessionId } = person;
  const standing = await findStanding(session, accountId, sessionId);
  if (standing === undefined) {
    await requireResumed(session, accountId);
    throw sessionGone();
  }
  const { sequence, epoch } = standing;
  return { sequence, epoch, accountId, access: 'full', person };
}

/** Tells a user that their account is suspended, if it is. @throws {AppError} `forbidden` */
export async function requireResumed(session: Session, accountId: string): Promise<void> {
  const reason = (await findLimits(session, accountId))?.suspendedFor ?? null;
  if (reason === null) return;
  throw new AppError('forbidden', `The account is suspended: ${reason}. Ask the operator of the service.`);
}

/**
 * Where the account of somebody who was let in stands now: for replies that last.
 * @throws {AppError} `unauthorized` unless they still are; an account that is gone took its keys with it
 */
export async function getLiveHead(session: Session, holder: Holder): Promise<Head> {
  const head = await findLiveHead(session, holder);
  if (head === undefined) throw holderGone(holder);
  return head;
}

async function findLiveHead(session: Session, holder: Holder): Promise<Head | undefined> {
  if ('person' in holder) return findStanding(session, holder.accountId, holder.person.sessionId);
  const { accountId, keyId, expiresAt } = holder;
  if (expiresAt !== null && expiresAt <= Date.now()) return undefined;
  return findKeyHead(session, accountId, keyId);
}

/** Somebody was let in and is out now. */
export function holderGone(holder: object): AppError {
  return 'person' in holder ? sessionGone() : keyGone();
}

export function keyGone(): AppError {
  return new AppError('unauthorized', 'Invalid or missing API key');
}

export function sessionGone(): AppError {
  return new AppError('unauthorized', 'Sign in first.');
}
