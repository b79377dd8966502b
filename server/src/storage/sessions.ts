import type { Executor, Parameter } from './database.ts';
import { allRows, command, firstRow } from './functions.ts';
import { findRow, findRows, removeRows, updateRows } from './rows.ts';

export const setSessionAccount = updateRows('sessions', ['id'], ['accountId']);

const selectByUser = findRows(
  'sessions',
  ['userId', 'expiresAt >'],
  ['id', 'createdAt', 'updatedAt', 'expiresAt', 'ipAddress', 'userAgent'],
  'id desc',
);

export function listSessions(executor: Executor, userId: string) {
  return selectByUser(executor, userId, new Date().toISOString());
}

const selectAddresses = allRows(['email', 'now'], (query, parameter: Parameter<{ email: string; now: string }>) =>
  query
    .selectFrom('users')
    .innerJoin('sessions', 'sessions.user_id', 'users.id')
    .select('sessions.ip_address as address')
    .where('users.email', '=', parameter('email'))
    .where('sessions.expires_at', '>', parameter('now')),
);

export async function listSessionAddresses(executor: Executor, email: string): Promise<string[]> {
  const rows = await selectAddresses(executor, email, new Date().toISOString());
  return rows.flatMap(({ address }) => address ?? []);
}

/** Makes a session expire at `latest` (ISO 8601), unless it expires earlier. */
export const endSessionBy = command(['id', 'latest'], (query, parameter: Parameter<{ id: string; latest: string }>) =>
  query
    .updateTable('sessions')
    .set({ expires_at: parameter('latest') })
    .where('id', '=', parameter('id'))
    .where('expires_at', '>', parameter('latest')),
);

/** A session in use, with its user. */
export interface UsedSession {
  id: string;
  accountId: string | null;
  userId: string;
  name: string;
  email: string;
  /** 0 or 1. */
  hasTwoFactor: number;
}

const selectUsed = firstRow(
  ['token', 'now', 'extendedAfter'],
  (query, parameter: Parameter<{ token: string; now: string; extendedAfter: string }>) =>
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

/** The session with this token, unless it has expired or was last extended over `extendedMs` milliseconds ago. */
export function findUsedSession(
  executor: Executor,
  token: string,
  extendedMs: number,
): Promise<UsedSession | undefined> {
  const nowMs = Date.now();
  return selectUsed(executor, token, new Date(nowMs).toISOString(), new Date(nowMs - extendedMs).toISOString());
}

export const findSession = findRow('sessions', ['userId', 'id'], ['id']);

export const removeSession = removeRows('sessions', ['userId', 'id']);

export const removeOtherSessions = removeRows('sessions', ['userId', 'id !=']);

export const removeSessions = removeRows('sessions', ['userId']);
