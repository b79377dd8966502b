import { admitUser } from '../../domain/principals.ts';
import { AppError } from '../../model/errors.ts';
import type { AccountUser } from '../../model/users.ts';
import { clientAddress } from '../protocol/client-address.ts';
import type { Exchange } from '../protocol/exchange.ts';
import { requireSameOrigin } from '../protocol/same-origin.ts';
import type { IdentityServices } from './services.ts';
import { requireCurrentSession } from './sessions.ts';

/** What nobody needs to be signed in for; the handlers of some look for themselves. */
const OPEN =
  /^\/admin\/(?:session(?:\/account)?|setup(?:\/preview)?|auth\/.*|invitations\/(?:preview|accept)|openapi\.json)$/;

/**
 * Lets a request of the dashboard in, and finds who sends it: below `/admin` nothing can be learned without a session.
 * @throws {AppError} `forbidden` for a change that comes from elsewhere; what `requireAccountUser` throws
 */
export async function admit(exchange: Exchange, services: IdentityServices): Promise<void> {
  requireSameOrigin(exchange.incoming, services);
  if (OPEN.test(exchange.path)) return;
  exchange.principal = await admitUser(services.database, await requireAccountUser(exchange, services));
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
