import { withHashing } from '../../domain/passwords.ts';
import { afterRecoveryCode } from '../../domain/profile.ts';
import { normalRecoveryCode } from '../../domain/recovery-codes.ts';
import type { Along } from '../../storage/identity-database.ts';
import { passwordAndCode } from '../contract/schemas/identity.ts';
import { invalidFields } from '../contract/schemas/issues.ts';
import type { Exchange } from '../protocol/exchange.ts';
import { readInput } from '../protocol/input.ts';
import type { BetterAuth } from './better-auth.ts';
import { forgiveTrials, tryPassword } from './password.ts';
import type { IdentityServices } from './services.ts';
import { sessionActorOf } from './session-actor.ts';
import { type CurrentSession, identityHeaders, setCookies } from './sessions.ts';

/** What the second factor is changed by. @throws {AppError} `validation_failed` without a code where it is on */
export async function readProof(exchange: Exchange, { user }: CurrentSession): Promise<SecondFactor> {
  const { password, code = '' } = await readInput(exchange, passwordAndCode);
  if (!user.hasTwoFactor || code !== '') return { password, code };
  const message = 'Is required: a code that the app shows, or a recovery code.';
  throw invalidFields([{ field: 'code', code: 'required', message }]);
}

interface SecondFactor {
  password: string;
  /** Empty where none is needed. */
  code: string;
}

/** What better-auth is to do. */
export type Work<T> = (api: BetterAuth['api'], headers: Headers) => Promise<{ headers: Headers; response: T }>;

interface Proof {
  field?: string;
  along?: readonly Along[];
  /** What is asked for besides, before anything is done. */
  secondFactor?: SecondFactor;
}

/** Lets better-auth do something for which the password is asked again. */
export async function prove<T>(
  exchange: Exchange,
  currentSession: CurrentSession,
  services: IdentityServices,
  work: Work<T>,
  { field, along = [], secondFactor }: Proof = {},
): Promise<{ headers: Headers; response: T }> {
  const prepare = async () => {
    if (secondFactor?.code) await requireBoth(secondFactor, exchange, currentSession, services);
    return along;
  };
  const trial = { email: currentSession.user.email, isSignedIn: true, field, prepare, exchange, services };
  const done = await tryPassword(trial, (api) => work(api, identityHeaders(exchange, services)));
  await forgiveTrials(trial);
  setCookies(exchange, done.headers);
  return done;
}

/** The password first: a code is used up by being looked at. */
async function requireBoth(
  { password, code }: SecondFactor,
  exchange: Exchange,
  currentSession: CurrentSession,
  services: IdentityServices,
): Promise<void> {
  const { identity } = services;
  const headers = identityHeaders(exchange, services);
  await withHashing(() => identity.call((api) => api.verifyPassword({ body: { password }, headers })));
  if (/^\d{6}$/.test(code)) {
    await identity.call((api) => api.verifyTOTP({ body: { code }, headers }));
    return;
  }
  const sessionActor = sessionActorOf(currentSession, exchange, services);
  const body = { code: normalRecoveryCode(code), disableSession: true };
  const along: Along[] = [
    { when: 'update two_factors', job: (transaction) => afterRecoveryCode(transaction, sessionActor) },
  ];
  await identity.call((api) => api.verifyBackupCode({ body, headers }), { along });
}
