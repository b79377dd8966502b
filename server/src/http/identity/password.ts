import { withHashing } from '../../domain/passwords.ts';
import type { Along } from '../../storage/identity-database.ts';
import type { Services } from '../app.ts';
import { clientAddress } from '../client-address.ts';
import type { Exchange } from '../exchange.ts';
import type { BetterAuth } from './better-auth.ts';

interface Trial {
  /** Whose password it is said to be. */
  email: string;
  /** What the form calls it. */
  field?: string | undefined;
  /** What goes with it. */
  along?: Along | undefined;
  exchange: Exchange;
  services: Services;
}

/**
 * Lets better-auth look at a password: such trials are counted, and only few are hashed at a time.
 * @throws {AppError} `rate_limited`; better-auth's refusals in our words
 */
export async function tryPassword<T>(
  { email, field, along, exchange, services }: Trial,
  work: (api: BetterAuth['api']) => Promise<T>,
): Promise<T> {
  const address = clientAddress(exchange.incoming, services.trustedProxies);
  await services.passwordAttempts.begin(email, address);
  return withHashing(() => services.identity.call(work, { along, passwordField: field }));
}

/** The password was right, and nothing else is owed: trials before it are forgotten. */
export async function forgiveTrials({ email, exchange, services }: Trial): Promise<void> {
  await services.passwordAttempts.succeed(email, clientAddress(exchange.incoming, services.trustedProxies));
}
