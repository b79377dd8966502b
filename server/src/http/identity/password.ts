import { withHashing } from '../../domain/passwords.ts';
import type { Services } from '../app.ts';
import { clientAddress } from '../client-address.ts';
import type { Exchange } from '../exchange.ts';
import { translateRefusal } from './better-auth-errors.ts';

interface Trial {
  /** Whose password it is said to be. */
  email: string;
  /** What the form calls it. */
  field?: string;
  exchange: Exchange;
  services: Services;
}

/**
 * Lets better-auth look at a password: such trials are counted, and only few are hashed at a time.
 * @throws {AppError} `rate_limited`; better-auth's refusals in our words
 */
export async function tryPassword<T>({ email, field, exchange, services }: Trial, work: () => Promise<T>): Promise<T> {
  const address = clientAddress(exchange.incoming, services.trustedProxies);
  await services.passwordAttempts.begin(email, address);
  return await withHashing(work).catch((error: unknown) => {
    throw translateRefusal(error, field);
  });
}

/** The password was right, and nothing else is owed: trials before it are forgotten. */
export async function forgiveTrials({ email, exchange, services }: Trial): Promise<void> {
  await services.passwordAttempts.succeed(email, clientAddress(exchange.incoming, services.trustedProxies));
}
