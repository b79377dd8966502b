import { SESSION_AGE_MAX_MS, SESSION_LIFETIME_MS } from '../model/users.ts';
import { type Executor, statement } from './database.ts';

const removeSessions = statement<{ now: string }>((query, parameter) =>
  query.deleteFrom('sessions').where('expires_at', '<=', parameter('now')),
);

/** Those of a release that had no such limit. */
const removeOldSessions = statement<{ oldest: string }>((query, parameter) =>
  query.deleteFrom('sessions').where('created_at', '<=', parameter('oldest')),
);

/** None lasts longer: what does was begun before the clock was set back. */
const shortenSessions = statement<{ latest: string }>((query, parameter) =>
  query
    .updateTable('sessions')
    .set({ expires_at: parameter('latest') })
    .where('expires_at', '>', parameter('latest')),
);

const removeVerifications = statement<{ now: string }>((query, parameter) =>
  query.deleteFrom('verifications').where('expires_at', '<=', parameter('now')),
);

const removeInvitations = statement<{ now: number }>((query, parameter) =>
  query.deleteFrom('invitations').where('expires_at', '<=', parameter('now')),
);

/** Removes the sessions, owed second factors and invitations whose time is over; `now` in UTC milliseconds. */
export async function removeExpired(executor: Executor, now: number): Promise<void> {
  const time = { now: new Date(now).toISOString() };
  await executor.execute(removeSessions, time);
  await executor.execute(removeOldSessions, { oldest: new Date(now - SESSION_AGE_MAX_MS).toISOString() });
  await executor.execute(shortenSessions, { latest: new Date(now + SESSION_LIFETIME_MS).toISOString() });
  await executor.execute(removeVerifications, time);
  await executor.execute(removeInvitations, { now });
}
