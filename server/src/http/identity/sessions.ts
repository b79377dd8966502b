import { actorOf } from '../../domain/access/audit.ts';
import { sessionGone } from '../../domain/access/principals.ts';
import type { SessionActor } from '../../domain/accounts/profile.ts';
import { AppError } from '../../model/errors.ts';
import type { Membership, User } from '../../model/users.ts';
import type { Database } from '../../storage/database.ts';
import { listMembershipsOf } from '../../storage/memberships.ts';
import type { UsedSession } from '../../storage/sessions.ts';
import { clientAddress } from '../protocol/client-address.ts';
import type { Exchange } from '../protocol/exchange.ts';
import { ADDRESS_HEADER } from './address-header.ts';
import type { IdentityServices } from './services.ts';

export interface CurrentSession {
  sessionId: string;
  user: User & { hasTwoFactor: boolean };
  memberships: Membership[];
  /** Undefined if the user is no longer a member of the session's account. */
  membership: Membership | undefined;
}

export interface UserExchange extends Exchange {
  currentSession: CurrentSession;
}

const RETRY = { 'Retry-After': '1' };

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

/** Reads the session from the cookies that better-auth has set. @throws {AppError} `unauthorized` if it has ended */
export async function getNewSession(sent: Headers, services: IdentityServices): Promise<CurrentSession> {
  const cookie = sent.getSetCookie().map((text) => text.split(';', 1).join());
  const { currentSession } = await readSession(new Headers({ cookie: cookie.join('; ') }), services);
  // A concurrent password change might have ended the session.
  if (currentSession === undefined) throw sessionGone();
  return currentSession;
}

async function readSession(given: Headers, { identity, database }: IdentityServices) {
  const used = await identity.findUsedSession(given.get('cookie') ?? '').catch(cannotRead);
  if (used !== undefined) return { headers: new Headers(), currentSession: await toCurrentSession(used, database) };
  const asked = identity.getSession(given).catch((error: unknown) => {
    // better-auth extends a session once a day. If that write fails, the session is still valid.
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

/** A failed read must not look like an ended session (401). */
function cannotRead(cause: unknown): never {
  if (cause instanceof AppError) throw cause;
  throw new AppError('unavailable', 'The session cannot be read at the moment; try again.', { headers: RETRY, cause });
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

/** @throws {AppError} `unauthorized` */
export async function requireCurrentSession(exchange: Exchange, services: IdentityServices): Promise<CurrentSession> {
  const currentSession = await findCurrentSession(exchange, services);
  if (currentSession !== undefined) return currentSession;
  throw sessionGone();
}

export function sessionActorOf(
  { sessionId, user }: CurrentSession,
  { incoming }: Exchange,
  { trustedProxies }: IdentityServices,
): SessionActor {
  const address = clientAddress(incoming, trustedProxies);
  const actor = actorOf({ userId: user.id, userName: user.name, email: user.email, address });
  return { sessionId, userId: user.id, actor };
}

/** Enough to distinguish browsers in the list of sessions. */
const USER_AGENT_LENGTH_MAX = 300;

/** The request headers that are passed to better-auth. */
export function identityHeaders({ incoming }: Exchange, { identity, trustedProxies }: IdentityServices): Headers {
  const { cookie = '', 'user-agent': userAgent = '' } = incoming.headers;
  return new Headers({
    cookie: ownCookies(cookie, identity.cookiePrefix),
    'user-agent': userAgent.slice(0, USER_AGENT_LENGTH_MAX),
    [ADDRESS_HEADER]: clientAddress(incoming, trustedProxies),
  });
}

/** better-auth's cookies for a session, a sign-in that is waiting for its second factor, and a passkey's challenge. */
const COOKIES = ['session_token', 'two_factor', 'passkey'] as const;

/** Keeps only `COOKIES`, one of each name, because better-auth parses the header (up to 16 KiB) several times. */
function ownCookies(cookie: string, prefix: string): string {
  const given = cookie.split(';').map((text) => text.trim());
  const own = COOKIES.map((name) => given.find((text) => text.startsWith(`${prefix}.${name}=`)));
  return own.filter((text) => text !== undefined).join('; ');
}

export function hasCookie(headers: Headers, name: (typeof COOKIES)[number]): boolean {
  return headers.get('cookie')?.includes(`.${name}=`) ?? false;
}

export function setCookies({ outgoing }: Exchange, headers: Headers): void {
  for (const cookie of headers.getSetCookie()) outgoing.appendHeader('Set-Cookie', cookie);
}
