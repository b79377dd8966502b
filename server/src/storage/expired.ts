import { SESSION_AGE_MAX_MS, SESSION_LIFETIME_MS } from '../model/users.ts';
import type { Executor } from './database.ts';
import { discardRows, updateRows } from './rows.ts';

const removeSessions = discardRows('sessions', ['expiresAt <=']);

/** Removes sessions older than the age limit, which earlier releases did not have. */
const removeOldSessions = discardRows('sessions', ['createdAt <=']);

/** Shortens sessions that expire too late because they began before the clock was set back. */
const shortenSessions = updateRows('sessions', ['expiresAt >'], ['expiresAt']);

/** Challenges of sign-ins and passkeys. */
const removeVerifications = discardRows('verifications', ['expiresAt <=']);
const removeInvitations = discardRows('invitations', ['expiresAt <=']);

/** `now` is in UTC milliseconds. */
export async function removeExpired(executor: Executor, now: number): Promise<void> {
  const time = new Date(now).toISOString();
  await removeSessions(executor, time);
  await removeOldSessions(executor, new Date(now - SESSION_AGE_MAX_MS).toISOString());
  const latest = new Date(now + SESSION_LIFETIME_MS).toISOString();
  await shortenSessions(executor, latest, { expiresAt: latest });
  await removeVerifications(executor, time);
  await removeInvitations(executor, now);
}
