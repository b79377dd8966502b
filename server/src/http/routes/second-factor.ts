import { afterTwoFactorEnabled, requireSession, type SessionActor } from '../../domain/accounts/profile.ts';
import { notePassword, recordWrongFactor, rejectPassword } from '../../domain/accounts/sign-in.ts';
import { AppError } from '../../model/errors.ts';
import type { Along } from '../../storage/identity-database.ts';
import { VERIFY_OPERATIONS } from '../contract/operations/auth.ts';
import { codeOnly, recoveryCodeOnly } from '../contract/schemas/identity.ts';
import { type Call, endpoint } from '../endpoint.ts';
import { limitingAttempts, WRONG_CODE } from '../identity/attempts.ts';
import { noPendingSignIn } from '../identity/better-auth-errors.ts';
import {
  findCurrentSession,
  getNewSession,
  hasCookie,
  identityHeaders,
  sessionActorOf,
  setCookies,
} from '../identity/sessions.ts';
import { clientAddress } from '../protocol/client-address.ts';
import type { Exchange } from '../protocol/exchange.ts';
import { readInput } from '../protocol/input.ts';
import type { Reply } from '../protocol/reply.ts';
import type { Services } from '../services.ts';
import { replyToSignIn } from './auth.ts';
import { replySession } from './session.ts';

type Factor = 'totp' | 'backup-code';

export const secondFactorEndpoints = (['totp', 'backup-code'] as const).map((factor) => {
  const handle = async (exchange: Exchange, { services }: Call) => {
    const { code } = await readInput(exchange, factor === 'totp' ? codeOnly : recoveryCodeOnly);
    return verify(factor, code, exchange, services);
  };
  return endpoint(VERIFY_OPERATIONS[factor], limitingAttempts(WRONG_CODE, handle));
});

/** Verifies a code for a sign-in, or for a second factor that was just set up. */
async function verify(factor: Factor, code: string, exchange: Exchange, services: Services): Promise<Reply> {
  const before = await findCurrentSession(exchange, services);
  if (before !== undefined && factor === 'backup-code') {
    throw new AppError('conflict', 'Recovery codes are for signing in; enter a code from the app.');
  }
  if (before === undefined) return completeSignIn(factor, code, exchange, services);
  const along = enablingHooks(sessionActorOf(before, exchange, services));
  const { headers } = await submitCode(factor, code, along, exchange, services);
  setCookies(exchange, headers);
  if (before.user.hasTwoFactor) return replySession(before, services.database);
  return replySession(await getNewSession(headers, services), services.database);
}

/** The user of a pending sign-in, known once better-auth has counted the attempt. */
interface PendingSignIn {
  userId: string | undefined;
}

async function completeSignIn(factor: Factor, code: string, exchange: Exchange, services: Services): Promise<Reply> {
  if (!hasCookie(identityHeaders(exchange, services), 'two_factor')) throw noPendingSignIn();
  const pending: PendingSignIn = { userId: undefined };
  const verified = submitCode(factor, code, signInHooks(pending), exchange, services);
  const { headers } = await verified.catch(async (error: unknown) => {
    const isWrong = error instanceof AppError && error.code === 'validation_failed';
    const address = clientAddress(exchange.incoming, services.trustedProxies);
    if (isWrong && pending.userId !== undefined) await recordWrongFactor(services.database, pending.userId, address);
    throw error;
  });
  return replyToSignIn(headers, { isByRecoveryCode: factor === 'backup-code' }, exchange, services);
}

function submitCode(factor: Factor, code: string, along: Along[], exchange: Exchange, services: Services) {
  const request = { body: { code }, headers: identityHeaders(exchange, services), returnHeaders: true } as const;
  return services.identity.call<{ headers: Headers }>(
    (api) => (factor === 'totp' ? api.verifyTOTP(request) : api.verifyBackupCode(request)),
    { along },
  );
}

/** A password change ends a sign-in that is waiting for its code. */
function signInHooks(pending: PendingSignIn): Along[] {
  let requireSamePassword = rejectPassword;
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
        pending.userId = String(factor?.user_id);
      },
    },
  ];
}

function enablingHooks(sessionActor: SessionActor): Along[] {
  return [
    { when: 'update users', job: (transaction) => afterTwoFactorEnabled(transaction, sessionActor) },
    { when: 'insert sessions', job: (transaction) => requireSession(transaction, sessionActor) },
  ];
}
