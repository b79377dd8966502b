import { sessionGone } from '../../domain/principals.ts';
import { AppError } from '../../model/errors.ts';
import type { Membership, User } from '../../model/users.ts';
import type { Database } from '../../storage/database.ts';
import { listMembershipsOf } from '../../storage/memberships.ts';
import type { UsedSession } from '../../storage/sessions.ts';
import { clientAddress } from '../protocol/client-address.ts';
import type { Exchange } from '../protocol/exchange.ts';
import { ADDRESS_HEADER } from './address-header.ts';
import type { IdentityServices } from './services.ts';

/** Who is signed in, and what they belong to. */
export interface CurrentSession {
  sessionId: string;
  user: User & { hasTwoFactor: boolean };
  memberships: Membership[];
  /** The one that they work in; none if they belong to it no more. Another one is theirs to choose. */
  membership: Membership | undefined;
}

/** An exchange whose user is signed in. */
export interface UserExchange extends Exchange {
  currentSession: CurrentSession;
}

const RETRY = { 'Retry-After': '1' };

/** Who sends a request, by its session cookie; nobody is undefined. */
export async function findCurrentSession(
  exchange: Exchange,
  services: IdentityServices,
): Promise<CurrentSession | undefined> {
  const given = identityHeaders(exchange, services);
  if (!hasCookie(given, 'session_token')) return undefined;
  const { headers, currentSession } = await readSession(given, services);
  setCookies(exchange, headers);
  return currentSession;
}

/**
 * Whose session has just begun: what better-auth sends is what the browser will send.
 * @throws {AppError} `unauthorized` if it has ended meanwhile
 */
export async function getNewSession(sent: Headers, services: IdentityServices): Promise<CurrentSession> {
  const cookie = sent.getSetCookie().map((text) => text.split(';', 1).join());
  const { currentSession } = await readSession(new Headers({ cookie: cookie.join('; ') }), services);
  // Another password may have ended it already.
  if (currentSession === undefined) throw sessionGone();
  return currentSession;
}

async function readSession(given: Headers, { identity, database }: IdentityServices) {
  const used = await identity.findUsedSession(given.get('cookie') ?? '').catch(cannotRead);
  if (used !== undefined) return { headers: new Headers(), currentSession: await toCurrentSession(used, database) };
  const asked = identity.getSession(given).catch((error: unknown) => {
    // Each day of use prolongs a session; where that cannot be written it is good as it is.
    if (error instanceof AppError && error.code === 'storage_full')
      return identity.getSession(given, { disableRefresh: true });
    throw error;
  });
  const { headers, response } = await asked.catch(cannotRead);
  if (response === null) return { headers, currentSession: undefined };
  const { session, user } = response;
  const { accountId = null } = session;
  const found = { ...user, id: session.id, accountId, userId: user.id, hasTwoFactor: Number(user.twoFactorEnabled) };
  return { headers, currentSession: await toCurrentSession(found, database) };
}

/** A person who is signed in must not get 401 because of a fault. */
function cannotRead(cause: unknown): never {
  if (cause instanceof AppError) throw cause;
  throw new AppError('unavailable', 'The session cannot be read just now; try again.', { headers: RETRY, cause });
}

async function toCurrentSession(found: UsedSession, database: Database): Promise<CurrentSession> {
  const { id, userId, name, email, hasTwoFactor } = found;
  const memberships = await listMembershipsOf(database, userId);
  return {
    sessionId: id,
    user: { id: userId, name, email, hasTwoFactor: hasTwoFactor === 1 },
    memberships,
    membership: memberships.find(({ accountId }) => accountId === found.accountId),
  };
}

/** @throws {AppError} `unauthorized` when nobody is signed in */
export async function requireCurrentSession(exchange: Exchange, services: IdentityServices): Promise<CurrentSession> {
  const currentSession = await findCurrentSession(exchange, services);
  if (currentSession !== undefined) return currentSession;
  throw sessionGone();
}

/** Enough to tell browsers apart; it is stored with each session. */
const USER_AGENT_LENGTH_MAX = 300;

/** What better-auth is told of a request. */
export function identityHeaders({ incoming }: Exchange, { identity, trustedProxies }: IdentityServices): Headers {
  const { cookie = '', 'user-agent': userAgent = '' } = incoming.headers;
  return new Headers({
    cookie: ownCookies(cookie, identity.cookiePrefix),
    'user-agent': userAgent.slice(0, USER_AGENT_LENGTH_MAX),
    [ADDRESS_HEADER]: clientAddress(incoming, trustedProxies),
  });
}

/** Of somebody who is signed in, and of somebody who owes the second factor. */
const COOKIES = ['session_token', 'two_factor'] as const;

/** One of each kind: better-auth looks at all that it is given, several times, and a request may carry 16 KiB of them. */
function ownCookies(cookie: string, prefix: string): string {
  const given = cookie.split(';').map((text) => text.trim());
  const own = COOKIES.map((name) => given.find((text) => text.startsWith(`${prefix}.${name}=`)));
  return own.filter((text) => text !== undefined).join('; ');
}

/** Whether what better-auth is told has such a cookie. */
export function hasCookie(headers: Headers, name: (typeof COOKIES)[number]): boolean {
  return headers.get('cookie')?.includes(`.${name}=`) ?? false;
}

/** Sends the cookies of better-auth along with whatever the reply is. */
export function setCookies({ outgoing }: Exchange, headers: Headers): void {
  for (const cookie of headers.getSetCookie()) outgoing.appendHeader('Set-Cookie', cookie);
}
