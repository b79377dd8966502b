import { getSessionPrincipal, type SessionPrincipal } from '../../domain/access/principals.ts';
import { requireRole } from '../../domain/access/roles.ts';
import { AppError } from '../../model/errors.ts';
import type { AccountUser } from '../../model/users.ts';
import { clientAddress } from '../protocol/client-address.ts';
import type { Admitted, Exchange } from '../protocol/exchange.ts';
import { requireSameOrigin } from '../protocol/same-origin.ts';
import type { IdentityServices } from './services.ts';
import { requireCurrentSession, type UserExchange } from './sessions.ts';

/** Admits requests with or without a session. @throws {AppError} `forbidden` for a change from another site */
export async function admitAnyone(exchange: Exchange, services: IdentityServices): Promise<Exchange> {
  requireSameOrigin(exchange.incoming, services);
  return exchange;
}

/** Admits signed-in users, even those without an account. @throws {AppError} `unauthorized` or `forbidden` */
export async function admitUser(exchange: Exchange, services: IdentityServices): Promise<UserExchange> {
  requireSameOrigin(exchange.incoming, services);
  return Object.assign(exchange, { currentSession: await requireCurrentSession(exchange, services) });
}

/** Admits members of the session's account. @throws {AppError} as `admitUser` does, or `account_changed` */
export async function admitMember(exchange: Exchange, services: IdentityServices): Promise<Admitted<SessionPrincipal>> {
  requireSameOrigin(exchange.incoming, services);
  const user = await requireAccountUser(exchange, services);
  return Object.assign(exchange, { principal: await getSessionPrincipal(services.database, user) });
}

/** Admits only administrators. @throws {AppError} as `admitMember` does, or `forbidden` for other members */
export async function admitAdministrator(
  exchange: Exchange,
  services: IdentityServices,
): Promise<Admitted<SessionPrincipal>> {
  const admitted = await admitMember(exchange, services);
  requireRole(admitted.principal.user);
  return admitted;
}

/**
 * A change that is meant for one account must not happen in another.
 * @throws {AppError} `unauthorized` without a session, or `account_changed` if the user is no longer a member or the
 * page shows another account
 */
async function requireAccountUser(exchange: Exchange, services: IdentityServices): Promise<AccountUser> {
  const { sessionId, user, membership } = await requireCurrentSession(exchange, services);
  if (membership === undefined) throw accountChanged('You are no longer a member of this account');
  const { accountId, role } = membership;
  const shown = exchange.incoming.headers['x-account-id'];
  if (shown !== undefined && shown !== accountId) throw accountChanged('The session has switched to another account');
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
  return new AppError('account_changed', `${why}; nothing was done. Reload the page.`);
}
