import { afterTwoFactorEnabled, requireSession, type SessionActor } from '../../domain/profile.ts';
import { notePassword, recordRefusal, refusePassword } from '../../domain/sign-in.ts';
import { AppError } from '../../model/errors.ts';
import type { Along } from '../../storage/identity-database.ts';
import { VERIFY_OPERATIONS } from '../contract/operations/auth.ts';
import { codeOnly, recoveryCodeOnly } from '../contract/schemas/identity.ts';
import { type Call, endpoint } from '../endpoint.ts';
import { codeNotOwed } from '../identity/better-auth-errors.ts';
import { sessionActorOf } from '../identity/session-actor.ts';
import { findCurrentSession, getNewSession, hasCookie, identityHeaders, setCookies } from '../identity/sessions.ts';
import { countingWrong, WRONG_CODE } from '../identity/token-trial.ts';
import { clientAddress } from '../protocol/client-address.ts';
import type { Exchange } from '../protocol/exchange.ts';
import { readInput } from '../protocol/input.ts';
import type { Reply } from '../protocol/reply.ts';
import type { Services } from '../services.ts';
import { replyToSignIn } from './auth.ts';
import { replySession } from './session.ts';

type Factor = 'totp' | 'backup-code';

/** The codes of an authenticator app, and those for when it is lost. */
export const secondFactorEndpoints = (['totp', 'backup-code'] as const).map((factor) => {
  const handle = async (exchange: Exchange, { services }: Call) => {
    const { code } = await readInput(exchange, factor === 'totp' ? codeOnly : recoveryCodeOnly);
    return verify(factor, code, exchange, services);
  };
  return endpoint(VERIFY_OPERATIONS[factor], countingWrong(WRONG_CODE, handle));
});

/** The second factor: of somebody who signs in, or of somebody who has just set it up. */
async function verify(factor: Factor, code: string, exchange: Exchange, services: Services): Promise<Reply> {
  const before = await findCurrentSession(exchange, services);
  if (before !== undefined && factor === 'backup-code') {
    throw new AppError('conflict', 'Recovery codes are for signing in: give the code that the app shows.');
  }
  if (before === undefined) return payOwed(factor, code, exchange, services);
  const along = besidesEnabling(sessionActorOf(before, exchange, services));
  const { headers } = await give(factor, code, along, exchange, services);
  setCookies(exchange, headers);
  if (before.user.hasTwoFactor) return replySession(before, services.database);
  return replySession(await getNewSession(headers, services), services.database);
}

/** Who owes a second factor: it is known once better-auth has counted the code. */
interface Owing {
  userId: string | undefined;
}

/** Ends signing in. */
async function payOwed(factor: Factor, code: string, exchange: Exchange, services: Services): Promise<Reply> {
  if (!hasCookie(identityHeaders(exchange, services), 'two_factor')) throw codeNotOwed();
  const owing: Owing = { userId: undefined };
  const given = give(factor, code, besidesSignIn(owing), exchange, services);
  const { headers } = await given.catch(async (error: unknown) => {
    const isWrong = error instanceof AppError && error.code === 'validation_failed';
    const address = clientAddress(exchange.incoming, services.trustedProxies);
    if (isWrong && owing.userId !== undefined) await recordRefusal(services.database, owing.userId, address);
    throw error;
  });
  return replyToSignIn(headers, { isByRecoveryCode: factor === 'backup-code' }, exchange, services);
}

function give(factor: Factor, code: string, along: Along[], exchange: Exchange, services: Services) {
  const request = { body: { code }, headers: identityHeaders(exchange, services), returnHeaders: true } as const;
  return services.identity.call<{ headers: Headers }>(
    (api) => (factor === 'totp' ? api.verifyTOTP(request) : api.verifyBackupCode(request)),
    { along },
  );
}

/** Whoever has given the password owes the code only as long as it is still the password. */
function besidesSignIn(owing: Owing): Along[] {
  let requireSamePassword = refusePassword;
  return [
    {
      when: 'delete verifications',
      job: async (transaction, [challenge]) => {
        if (challenge !== undefined) requireSamePassword = await notePassword(transaction, String(challenge.value));
      },
    },
    { when: 'insert sessions', job: async (transaction) => requireSamePassword(transaction) },
    {
      when: 'update two_factors',
      job: async (_, [factor]) => {
        owing.userId = String(factor?.user_id);
      },
    },
  ];
}

function besidesEnabling(sessionActor: SessionActor): Along[] {
  return [
    { when: 'update users', job: (transaction) => afterTwoFactorEnabled(transaction, sessionActor) },
    { when: 'insert sessions', job: (transaction) => requireSession(transaction, sessionActor) },
  ];
}
