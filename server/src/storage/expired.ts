import { SESSION_AGE_MAX_MS, SESSION_LIFETIME_MS } from '../model/users.ts';
import type { Executor, Parameter } from './database.ts';
import { command } from './functions.ts';

/** A time as an ISO 8601 string. */
type Time = { time: string };

const removeSessions = command(['time'], (query, parameter: Parameter<Time>) =>
  query.deleteFrom('sessions').where('expires_at', '<=', parameter('time')),
);

/** Removes sessions older than the age limit, which earlier releases did not have. */
const removeOldSessions = command(['time'], (query, parameter: Parameter<Time>) =>
  query.deleteFrom('sessions').where('created_at', '<=', parameter('time')),
);

/** Shortens sessions that expire too late because they began before the clock was set back. */
const shortenSessions = command(['time'], (query, parameter: Parameter<Time>) =>
  query
    .updateTable('sessions')
    .set({ expires_at: parameter('time') })
    .where('expires_at', '>', parameter('time')),
);

const removeVerifications = command(['time'], (query, parameter: Parameter<Time>) =>
  query.deleteFrom('verifications').where('expires_at', '<=', parameter('time')),
);

const removeInvitations = command(['now'], (query, parameter: Parameter<{ now: number }>) =>
  query.deleteFrom('invitations').where('expires_at', '<=', parameter('now')),
);

/**
 * Removes expired sessions, challenges of sign-ins and passkeys, and invitations, and shortens sessions that
 * expire too late. `now` is in UTC milliseconds.
 */
export async function removeExpired(executor: Executor, now: number): Promise<void> {
  const time = new Date(now).toISOString();
  await removeSessions(executor, time);
  await removeOldSessions(executor, new Date(now - SESSION_AGE_MAX_MS).toISOString());
  await shortenSessions(executor, new Date(now + SESSION_LIFETIME_MS).toISOString());
  await removeVerifications(executor, time);
  await removeInvitations(executor, now);
}
