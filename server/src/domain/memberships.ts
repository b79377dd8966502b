import type { Membership } from '../model/administrators.ts';
import { AppError } from '../model/errors.ts';
import type { Database } from '../storage/database.ts';
import { setSessionAccount } from '../storage/sessions.ts';

/**
 * Lets a session work in another of the person's accounts.
 * @throws {AppError} `not_found` for one that they do not belong to
 */
export async function chooseAccount(
  database: Database,
  { sessionId, memberships }: { sessionId: string; memberships: readonly Membership[] },
  accountId: string,
): Promise<Membership> {
  const membership = memberships.find((candidate) => candidate.accountId === accountId);
  if (membership === undefined) throw new AppError('not_found', 'You belong to no such account.');
  await database.write((session) => setSessionAccount(session, sessionId, accountId));
  return membership;
}

/** Somebody is signed in and has nothing to work with. */
export function noAccount(): AppError {
  return new AppError('forbidden', 'You belong to no account any more; ask an administrator for an invitation.');
}
