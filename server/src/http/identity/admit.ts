import { getSessionPrincipal, type SessionPrincipal } from '../../domain/principals.ts';
import { requireRole } from '../../domain/roles.ts';
import { AppError } from '../../model/errors.ts';
import type { AccountUser } from '../../model/users.ts';
import { clientAddress } from '../protocol/client-address.ts';
import type { Admitted, Exchange } from '../protocol/exchange.ts';
import { requireSameOrigin } from '../protocol/same-origin.ts';
import type { IdentityServices } from './services.ts';
import { requireCurrentSession, type UserExchange } from './sessions.ts';

/**
 * Lets a request of the dashboard in that needs no session.
 * @throws {AppError} `forbidden` for a change that comes from another site
 */
export async function admitAnyone(exchange: Exchange, services: IdentityServices): Promise<Exchange> {
  requireSameOrigin(exchange.incoming, services);
  return exchange;
}

/** Lets in a user who is signed in, whether or not they belong to an account. @throws {AppError} `unauthorized`; `forbidden` */
export async function admitUser(exchange: Exchange, services: IdentityServices): Promise<UserExchange> {
  requireSameOrigin(exchange.incoming, services);
  return Object.assign(exchange, { currentSession: await requireCurrentSession(exchange, services) });
}

/** Lets in a member of the session's account. @throws {AppError} as `admitUser`; `account_changed` */
export async function admitMember(exchange: Exchange, services: IdentityServices): Promise<Admitted<SessionPrincipal>> {
  requireSameOrigin(exchange.incoming, services);
  const user = await requireAccountUser(exchange, services);
  return Object.assign(exchange, { principal: await getSessionPrincipal(services.database, user) });
}

/** Lets in an administrator of the session's account. @throws {AppError} as `admitMember`; `forbidden` for other members */
export async function admitAdministrator(
  exchange: Exchange,
  services: IdentityServices,
): Promise<Admitted<SessionPrincipal>> {
  const admitted = await admitMember(exchange, services);
  requireRole(admitted.principal.user);
  return admitted;
}

/**
 * Who works with an account in the dashboard. The account is the session's, and never another one in its place: what is
 * meant for one must not be done in another.
 * @throws {AppError} `unauthorized` when nobody is signed in; `account_changed` when they belong to the account no more, or
 * the page that asks shows another one
 */
async function requireAccountUser(exchange: Exchange, services: IdentityServices): Promise<AccountUser> {
  const { sessionId, user, membership } = await requireCurrentSession(exchange, services);
  if (membership === undefined) throw accountChanged('You belong no more to the account that you worked in');
  const { accountId, role } = membership;
  const shown = exchange.incoming.headers['x-account-id'];
  if (shown !== undefined && shown !== accountId) throw accountChanged('You work in another account by now');
  return {
    sessionId,
    userId: user.id,
    userName: user.name,
    email: user.email,
    accountId,
    role,
    address: clientAddress(exchange.incoming, services.trustedProxies),
  };
}

function accountChanged(why: string): AppError {
  return new AppError('account_changed', `${why}, and nothing was done: load the page again.`);
}
