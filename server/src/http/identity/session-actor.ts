import { actorOf } from '../../domain/audit.ts';
import type { SessionActor } from '../../domain/profile.ts';
import { clientAddress } from '../protocol/client-address.ts';
import type { Exchange } from '../protocol/exchange.ts';
import type { IdentityServices } from './services.ts';
import type { CurrentSession } from './sessions.ts';

/** Whoever is signed in as the one who does something with their own person. */
export function sessionActorOf(
  { sessionId, user, memberships }: CurrentSession,
  { incoming }: Exchange,
  { trustedProxies }: IdentityServices,
): SessionActor {
  const address = clientAddress(incoming, trustedProxies);
  const actor = actorOf({ userId: user.id, userName: user.name, email: user.email, address });
  return { sessionId, userId: user.id, memberships, actor };
}
