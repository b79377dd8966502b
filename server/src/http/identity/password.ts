import { withHashing } from '../../domain/passwords.ts';
import { AppError } from '../../model/errors.ts';
import type { Along } from '../../storage/identity-database.ts';
import { listSessionAddresses } from '../../storage/sessions.ts';
import { clientAddress, networkOf } from '../protocol/client-address.ts';
import type { Exchange } from '../protocol/exchange.ts';
import type { Attempt } from './attempts.ts';
import type { BetterAuth } from './better-auth.ts';
import type { IdentityServices } from './services.ts';

interface Trial {
  /** Whose password it is said to be. */
  email: string;
  /** Whether they are signed in, and asked for it once more. */
  isSignedIn: boolean;
  /** What the form calls it. */
  field?: string | undefined;
  /** What goes with it: made once the trial is counted. */
  prepare?: () => Promise<readonly Along[]>;
  exchange: Exchange;
  services: IdentityServices;
}

/**
 * Lets better-auth look at a password: such trials are counted, and only few are hashed at a time.
 * @throws {AppError} `rate_limited`; better-auth's refusals in our words
 */
export async function tryPassword<T>(trial: Trial, work: (api: BetterAuth['api']) => Promise<T>): Promise<T> {
  const { field, prepare, services } = trial;
  const { passwordAttempts, identity } = services;
  const attempt = attemptOf(trial);
  await passwordAttempts.begin(attempt, () => isKnownAddress(attempt, services));
  try {
    const along = await prepare?.();
    return await withHashing(() => identity.call(work, { along, passwordField: field }));
  } catch (error) {
    if (!isRefusal(error)) await passwordAttempts.giveBack(attempt);
    throw error;
  }
}

/** The password was right, and nothing else is owed: trials before it are forgotten. */
export async function forgiveTrials(trial: Trial): Promise<void> {
  await trial.services.passwordAttempts.succeed(attemptOf(trial));
}

function attemptOf({ email, isSignedIn, exchange, services }: Trial): Attempt {
  return { email, isSignedIn, address: clientAddress(exchange.incoming, services.trustedProxies) };
}

async function isKnownAddress({ email, address }: Attempt, { database }: IdentityServices): Promise<boolean> {
  const known = await listSessionAddresses(database, email);
  return known.some((one) => networkOf(one) === networkOf(address));
}

/** Whether it was the password: nobody pays for a service that is busy or cannot reach its database. */
function isRefusal(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'unauthorized' || error.code === 'validation_failed');
}
