import type { Holder } from '../../domain/holders.ts';
import { recordOfSelf } from '../../domain/profile.ts';
import type { Services } from '../app.ts';
import type { Exchange } from '../exchange.ts';
import { translateRefusal } from '../identity/better-auth-errors.ts';
import { forgiveTrials, tryPassword } from '../identity/password.ts';
import { selfOf } from '../identity/self.ts';
import { findSignedIn, getNewSession, identityHeaders, setCookies } from '../identity/sessions.ts';
import { readInput } from '../input.ts';
import { addOperation, type Mount } from '../operations.ts';
import { type Reply, replyJson } from '../reply.ts';
import { codeOnly, signIn } from '../schemas/identity.ts';
import { signInOperation, signOutOperation, VERIFY_OPERATIONS } from './auth.operations.ts';
import { replySession } from './session.ts';

/** Signing in and out. Of better-auth's routes only those that stand here are to be had, and each with our checks. */
export function addAuth(mount: Mount<Holder | undefined>, services: Services): void {
  addOperation(mount, signInOperation, async (exchange) => {
    const given = await readInput(exchange, signIn);
    return signInWith(given, exchange, services);
  });
  addOperation(mount, signOutOperation, (exchange) => signOut(exchange, services));
  for (const factor of ['totp', 'backup-code'] as const) {
    addOperation(mount, VERIFY_OPERATIONS[factor], async (exchange) => {
      const { code } = await readInput(exchange, codeOnly);
      return verify(factor, code, exchange, services);
    });
  }
}

/** Signs somebody in. @throws {AppError} `unauthorized`, `rate_limited` */
export async function signInWith(
  { email, password }: { email: string; password: string },
  exchange: Exchange,
  services: Services,
): Promise<Reply> {
  const auth = await services.identity.load();
  const request = {
    body: { email, password },
    headers: identityHeaders(exchange, services),
    returnHeaders: true,
  } as const;
  const trial = { email, exchange, services };
  const { headers, response } = await tryPassword(trial, () => auth.api.signInEmail(request));
  setCookies(exchange, headers);
  // Whoever knows the password and not the code goes on being counted.
  if ('twoFactorRedirect' in response) return replyJson(200, JSON.stringify({ twoFactorRedirect: true }));
  return replySignedIn(headers, exchange, services);
}

/** The second factor: of somebody who signs in, or of somebody who has just set it up. */
async function verify(
  factor: 'totp' | 'backup-code',
  code: string,
  exchange: Exchange,
  services: Services,
): Promise<Reply> {
  const before = await findSignedIn(exchange, services);
  const auth = await services.identity.load();
  const request = { body: { code }, headers: identityHeaders(exchange, services), returnHeaders: true } as const;
  const work = factor === 'totp' ? auth.api.verifyTOTP(request) : auth.api.verifyBackupCode(request);
  const { headers } = await work.catch((error: unknown) => {
    throw translateRefusal(error);
  });
  setCookies(exchange, headers);
  if (before === undefined) return replySignedIn(headers, exchange, services);
  if (before.user.hasTwoFactor) return replySession(before, services.database);
  const signedIn = await getNewSession(headers, services);
  await recordOfSelf(services.database, selfOf(signedIn, exchange, services), 'administrator.two_factor_enabled');
  return replySession(signedIn, services.database);
}

async function replySignedIn(headers: Headers, exchange: Exchange, services: Services): Promise<Reply> {
  const signedIn = await getNewSession(headers, services);
  await forgiveTrials({ email: signedIn.user.email, exchange, services });
  await recordOfSelf(services.database, selfOf(signedIn, exchange, services), 'administrator.signed_in');
  return replySession(signedIn, services.database);
}

/** Whoever is signed out already may do it again. */
async function signOut(exchange: Exchange, services: Services): Promise<Reply> {
  const signedIn = await findSignedIn(exchange, services);
  if (signedIn !== undefined) {
    const auth = await services.identity.load();
    const { headers } = await auth.api.signOut({ headers: identityHeaders(exchange, services), returnHeaders: true });
    setCookies(exchange, headers);
    await recordOfSelf(services.database, selfOf(signedIn, exchange, services), 'administrator.signed_out');
  }
  return { status: 204, headers: {} };
}
