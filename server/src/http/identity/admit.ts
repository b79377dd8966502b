import { holdSession } from '../../domain/holders.ts';
import type { Services } from '../app.ts';
import type { Exchange } from '../exchange.ts';
import { requireSameOrigin } from './same-origin.ts';
import { requireAdministrator } from './sessions.ts';

/** What nobody needs to be signed in for; the handlers of some look for themselves. */
const OPEN = /^\/admin\/(?:session(?:\/account)?|setup|auth\/.*|invitations\/(?:preview|accept)|openapi\.json)$/;

/**
 * Lets a request of the dashboard in, and finds who sends it: below `/admin` nothing can be learned without a session.
 * @throws {AppError} `forbidden` for a change that comes from elsewhere; `unauthorized`
 */
export async function admit(exchange: Exchange, services: Services): Promise<void> {
  requireSameOrigin(exchange.incoming, services.publicUrl);
  if (OPEN.test(exchange.path)) return;
  exchange.administrator = await requireAdministrator(exchange, services);
  exchange.holder = await holdSession(services.database, exchange.administrator);
}
