import type { z } from 'zod';
import { withHashing } from '../../domain/accounts/passwords.ts';
import { recordSecurityChange } from '../../domain/accounts/profile.ts';
import { normalRecoveryCode } from '../../domain/accounts/recovery-codes.ts';
import type { AppError } from '../../model/errors.ts';
import type { Executor } from '../../storage/database.ts';
import type { Along } from '../../storage/identity-database.ts';
import { hasTwoFactor } from '../../storage/two-factors.ts';
import { passwordAndCode } from '../contract/schemas/identity.ts';
import { invalidFields } from '../contract/schemas/issues.ts';
import { readInput } from '../protocol/input.ts';
import type { BetterAuth } from './better-auth.ts';
import { clearAttempts, tryPassword } from './password.ts';
import type { IdentityServices } from './services.ts';
import { type CurrentSession, identityHeaders, sessionActorOf, setCookies, type UserExchange } from './sessions.ts';

export async function readPasswordAndCode(exchange: UserExchange): Promise<SecondFactor> {
  return requireCode(await readInput(exchange, passwordAndCode), exchange.currentSession);
}

/** @throws {AppError} `validation_failed` if the second factor is on and there is no code */
export function requireCode(given: z.output<typeof passwordAndCode>, { user }: CurrentSession): SecondFactor {
  const { password, code = '' } = given;
  if (!user.hasTwoFactor) return { password, code: '' };
  if (code === '') throw missingCode();
  return { password, code };
}

/**
 * Runs in the transaction of the change, because the second factor may have been turned on since the request began.
 * @throws {AppError} `validation_failed` if the second factor is on and no code was verified
 */
export async function requireVerifiedCode(
  transaction: Executor,
  userId: string,
  { code }: SecondFactor,
): Promise<void> {
  if (code === '' && (await hasTwoFactor(transaction, userId))) throw missingCode();
}

function missingCode(): AppError {
  const message = 'Is required: a code from the app, or a recovery code.';
  return invalidFields([{ field: 'code', code: 'required', message }]);
}

interface SecondFactor {
  password: string;
  /** Empty if the second factor was off when the request began. */
  code: string;
}

export type Work<T> = (api: BetterAuth['api'], headers: Headers) => Promise<{ headers: Headers; response: T }>;

interface ReauthenticationOptions {
  field?: string;
  along?: readonly Along[];
  /** Verified before `work` runs. */
  secondFactor?: SecondFactor;
}

/** Calls better-auth for an operation that asks for the password again. */
export async function reauthenticate<T>(
  exchange: UserExchange,
  services: IdentityServices,
  work: Work<T>,
  { field, along = [], secondFactor }: ReauthenticationOptions = {},
): Promise<{ headers: Headers; response: T }> {
  const prepare = async () => {
    if (secondFactor?.code) await requireBoth(secondFactor, exchange, services);
    return along;
  };
  const attempt = { email: exchange.currentSession.user.email, isSignedIn: true, field, prepare, exchange, services };
  const done = await tryPassword(attempt, (api) => work(api, identityHeaders(exchange, services)));
  await clearAttempts(attempt);
  setCookies(exchange, done.headers);
  return done;
}

/** Verifies the password first, because verifying a code uses up the code. */
async function requireBoth(
  { password, code }: SecondFactor,
  exchange: UserExchange,
  services: IdentityServices,
): Promise<void> {
  const { identity } = services;
  const headers = identityHeaders(exchange, services);
  await withHashing(() => identity.call((api) => api.verifyPassword({ body: { password }, headers })));
  if (/^\d{6}$/.test(code)) {
    await identity.call((api) => api.verifyTOTP({ body: { code }, headers }));
    return;
  }
  const sessionActor = sessionActorOf(exchange.currentSession, exchange, services);
  const body = { code: normalRecoveryCode(code), disableSession: true };
  const along: Along[] = [
    {
      when: 'update two_factors',
      job: (transaction) => recordSecurityChange(transaction, sessionActor, 'administrator.recovery_code_used'),
    },
  ];
  await identity.call((api) => api.verifyBackupCode({ body, headers }), { along });
}
