import type { Head } from '../model/accounts.ts';
import type { Role } from '../model/users.ts';
import { type Executor, statement } from './database.ts';

/** What somebody who is signed in is to an account, and where that stands. */
export interface SessionMembership extends Head {
  role: Role;
}

const select = statement<{ sessionId: string; accountId: string; now: string }, SessionMembership>((query, parameter) =>
  query
    .selectFrom('sessions')
    .innerJoin('memberships', 'memberships.user_id', 'sessions.user_id')
    .innerJoin('account_heads', 'account_heads.account_id', 'memberships.account_id')
    .innerJoin('database_info', (join) => join.onTrue())
    .select(['role', 'sequence', 'epoch'])
    .where('sessions.id', '=', parameter('sessionId'))
    .where('sessions.expires_at', '>', parameter('now'))
    .where('memberships.account_id', '=', parameter('accountId'))
    .where('suspended_for', 'is', null),
);

/**
 * What a session's person is to an account now; undefined if the session is over, they do not belong to it, or it is
 * suspended.
 */
export async function findSessionMembership(
  executor: Executor,
  accountId: string,
  sessionId: string,
): Promise<SessionMembership | undefined> {
  const now = new Date().toISOString();
  const [standing] = await executor.execute(select, { sessionId, accountId, now });
  return standing;
}
