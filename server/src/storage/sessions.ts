import { type Executor, statement } from './database.ts';

const choose = statement<{ id: string; accountId: string }>((query, parameter) =>
  query
    .updateTable('sessions')
    .set({ account_id: parameter('accountId') })
    .where('id', '=', parameter('id')),
);

/** Notes in which account a session works from now on. */
export async function setSessionAccount(executor: Executor, id: string, accountId: string): Promise<void> {
  await executor.execute(choose, { id, accountId });
}

/** A place where somebody is signed in; its times are ISO text. */
export interface UserSession {
  id: string;
  createdAt: string;
  /** When it was last extended: about when it was last used. */
  updatedAt: string;
  expiresAt: string;
  ipAddress: string | null;
  userAgent: string | null;
}

const selectByUser = statement<{ userId: string; now: string }, UserSession>((query, parameter) =>
  query
    .selectFrom('sessions')
    .select([
      'id',
      'created_at as createdAt',
      'updated_at as updatedAt',
      'expires_at as expiresAt',
      'ip_address as ipAddress',
      'user_agent as userAgent',
    ])
    .where('user_id', '=', parameter('userId'))
    .where('expires_at', '>', parameter('now'))
    .orderBy('id', 'desc'),
);

/** Where somebody is signed in, the latest first. */
export function listSessions(executor: Executor, userId: string): Promise<UserSession[]> {
  return executor.execute(selectByUser, { userId, now: new Date().toISOString() });
}

const selectAddresses = statement<{ email: string; now: string }, { address: string | null }>((query, parameter) =>
  query
    .selectFrom('users')
    .innerJoin('sessions', 'sessions.user_id', 'users.id')
    .select('sessions.ip_address as address')
    .where('users.email', '=', parameter('email'))
    .where('sessions.expires_at', '>', parameter('now')),
);

/** Where whoever has this e-mail address is signed in. */
export async function listSessionAddresses(executor: Executor, email: string): Promise<string[]> {
  const rows = await executor.execute(selectAddresses, { email, now: new Date().toISOString() });
  return rows.flatMap(({ address }) => address ?? []);
}

const shorten = statement<{ id: string; latest: string }>((query, parameter) =>
  query
    .updateTable('sessions')
    .set({ expires_at: parameter('latest') })
    .where('id', '=', parameter('id'))
    .where('expires_at', '>', parameter('latest')),
);

/** Ends a session at a time that is ISO text, unless it ends before. */
export async function endSessionBy(executor: Executor, id: string, latest: string): Promise<void> {
  await executor.execute(shorten, { id, latest });
}

/** A session in use, and whose it is. */
export interface UsedSession {
  id: string;
  /** The account that the person works in, if it was chosen. */
  accountId: string | null;
  userId: string;
  name: string;
  email: string;
  /** 0 or 1. */
  hasTwoFactor: number;
}

const selectUsed = statement<{ token: string; now: string; extendedAfter: string }, UsedSession>((query, parameter) =>
  query
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select([
      'sessions.id',
      'sessions.account_id as accountId',
      'users.id as userId',
      'users.name',
      'users.email',
      'users.two_factor_enabled as hasTwoFactor',
    ])
    .where('token', '=', parameter('token'))
    .where('sessions.expires_at', '>', parameter('now'))
    .where('sessions.updated_at', '>', parameter('extendedAfter')),
);

/** The session with this token, unless it has ended, or was not extended for `extendedMs` milliseconds. */
export async function findUsedSession(
  executor: Executor,
  token: string,
  extendedMs: number,
): Promise<UsedSession | undefined> {
  const nowMs = Date.now();
  const [now, extendedAfter] = [nowMs, nowMs - extendedMs].map((time) => new Date(time).toISOString());
  const [found] = await executor.execute(selectUsed, { token, now: now ?? '', extendedAfter: extendedAfter ?? '' });
  return found;
}

const selectOne = statement<{ userId: string; id: string }, { id: string }>((query, parameter) =>
  query
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', parameter('userId'))
    .where('id', '=', parameter('id')),
);

/** Whether a session of this person has not ended. */
export async function hasSession(executor: Executor, userId: string, id: string): Promise<boolean> {
  const rows = await executor.execute(selectOne, { userId, id });
  return rows.length > 0;
}

const remove = statement<{ userId: string; id: string }, { id: string }>((query, parameter) =>
  query
    .deleteFrom('sessions')
    .where('user_id', '=', parameter('userId'))
    .where('id', '=', parameter('id'))
    .returning('id'),
);

/** Whether there was such a session of this person. */
export async function removeSession(executor: Executor, userId: string, id: string): Promise<boolean> {
  const rows = await executor.execute(remove, { userId, id });
  return rows.length > 0;
}

const removeOthers = statement<{ userId: string; id: string }, { id: string }>((query, parameter) =>
  query
    .deleteFrom('sessions')
    .where('user_id', '=', parameter('userId'))
    .where('id', '!=', parameter('id'))
    .returning('id'),
);

/** Ends all of a person's sessions but this one; how many there were. */
export async function removeOtherSessions(executor: Executor, userId: string, id: string): Promise<number> {
  const rows = await executor.execute(removeOthers, { userId, id });
  return rows.length;
}

const removeAll = statement<{ userId: string }>((query, parameter) =>
  query.deleteFrom('sessions').where('user_id', '=', parameter('userId')),
);

/** Signs somebody out everywhere. */
export async function removeSessions(executor: Executor, userId: string): Promise<void> {
  await executor.execute(removeAll, { userId });
}
