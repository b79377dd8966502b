import { withHashing } from '../../domain/accounts/passwords.ts';
import { AppError } from '../../model/errors.ts';
import type { Along } from '../../storage/identity-database.ts';
import { listSessionAddresses } from '../../storage/sessions.ts';
import { clientAddress, networkOf } from '../protocol/client-address.ts';
import type { Exchange } from '../protocol/exchange.ts';
import type { Attempt } from './attempts.ts';
import type { BetterAuth } from './better-auth.ts';
import type { IdentityServices } from './services.ts';

interface PasswordAttempt {
  email: string;
  isSignedIn: boolean;
  /** The password's field in the body. */
  field?: string | undefined;
  /** Runs once the attempt is counted. */
  prepare?: () => Promise<readonly Along[]>;
  exchange: Exchange;
  services: IdentityServices;
}

/** Counts the attempt. Hashes one password at a time. @throws {AppError} `rate_limited`, or as `Identity.call` does */
export async function tryPassword<T>(given: PasswordAttempt, work: (api: BetterAuth['api']) => Promise<T>): Promise<T> {
  const { field, prepare, services } = given;
  const { passwordAttempts, identity } = services;
  const attempt = toAttempt(given);
  await passwordAttempts.begin(attempt, () => isKnownAddress(attempt, services));
  try {
    const along = await prepare?.();
    return await withHashing(() => identity.call(work, { along, passwordField: field }));
  } catch (error) {
    if (!isWrongPassword(error)) await passwordAttempts.giveBack(attempt);
    throw error;
  }
}

/** Call this once the password and any second factor are correct. */
export async function clearAttempts(given: PasswordAttempt): Promise<void> {
  await given.services.passwordAttempts.succeed(toAttempt(given));
}

function toAttempt({ email, isSignedIn, exchange, services }: PasswordAttempt): Attempt {
  return { email, isSignedIn, address: clientAddress(exchange.incoming, services.trustedProxies) };
}

async function isKnownAddress({ email, address }: Attempt, { database }: IdentityServices): Promise<boolean> {
  const known = await listSessionAddresses(database, email);
  return known.some((one) => networkOf(one) === networkOf(address));
}

/** Whether the password or code was wrong or missing. Other errors, such as database errors, are not attempts. */
function isWrongPassword(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'unauthorized' || error.code === 'validation_failed');
}
