import { notePassword, recordSignIn, signOut } from '../../domain/accounts/sign-in.ts';
import type { Along } from '../../storage/identity-database.ts';
import { findUserByEmail } from '../../storage/users.ts';
import { signInOperation, signOutOperation } from '../contract/operations/auth.ts';
import { signIn } from '../contract/schemas/identity.ts';
import { endpoint } from '../endpoint.ts';
import { clearAttempts, tryPassword } from '../identity/password.ts';
import {
  type CurrentSession,
  findCurrentSession,
  getNewSession,
  identityHeaders,
  sessionActorOf,
  setCookies,
} from '../identity/sessions.ts';
import { clientAddress } from '../protocol/client-address.ts';
import type { Exchange } from '../protocol/exchange.ts';
import { readInput } from '../protocol/input.ts';
import { type Reply, replyJson } from '../protocol/reply.ts';
import type { Services } from '../services.ts';
import { replySession } from './session.ts';

export const authEndpoints = [
  endpoint(signInOperation, async (exchange, { services }) => {
    await services.passwordAttempts.requireAddress(clientAddress(exchange.incoming, services.trustedProxies));
    const given = await readInput(exchange, signIn);
    return signInWith(given, exchange, services);
  }),
  endpoint(signOutOperation, (exchange, { services }) => replySignedOut(exchange, services)),
];

/** @throws {AppError} `unauthorized` or `rate_limited` */
async function signInWith(
  { email, password }: { email: string; password: string },
  exchange: Exchange,
  services: Services,
): Promise<Reply> {
  const request = {
    body: { email, password },
    headers: identityHeaders(exchange, services),
    returnHeaders: true,
  } as const;
  const browser: { before?: CurrentSession | undefined } = {};
  const prepare = async () => {
    browser.before = await findCurrentSession(exchange, services);
    return signInHooks(email, services);
  };
  const attempt = { email, isSignedIn: false, prepare, exchange, services };
  const { headers, response } = await tryPassword(attempt, (api) => api.signInEmail(request));
  // Until the code is verified, the attempt is counted as a failed one.
  if ('twoFactorRedirect' in response) {
    if (browser.before) await signOut(services.database, sessionActorOf(browser.before, exchange, services));
    setCookies(exchange, headers);
    return replyJson(200, JSON.stringify({ twoFactorRedirect: true }));
  }
  return replyToSignIn(headers, browser, exchange, services);
}

/** The verified password must still be the current one when the session starts. */
async function signInHooks(email: string, { database }: Services): Promise<Along[]> {
  const user = await findUserByEmail(database, email);
  const requireSamePassword = await notePassword(database, user?.id ?? '');
  return [
    { when: 'insert sessions', job: requireSamePassword },
    { when: 'insert verifications', job: requireSamePassword },
  ];
}

/** Starts a session without verifying the password, which was just set: other clients may have used up the attempts. */
export async function signInNewUser(userId: string, exchange: Exchange, services: Services): Promise<Reply> {
  const before = await findCurrentSession(exchange, services);
  const request = { body: { userId }, headers: identityHeaders(exchange, services), returnHeaders: true } as const;
  const { headers } = await services.identity.call((api) => api.beginSession(request));
  return replyToSignIn(headers, { before, hasTyped: false }, exchange, services);
}

/**
 * `before` is the browser's previous session, which the new one replaces. Without `hasTyped` (no password
 * was verified), earlier failed attempts still count against the limit.
 */
export async function replyToSignIn(
  headers: Headers,
  {
    before,
    isByRecoveryCode = false,
    hasTyped = true,
  }: { before?: CurrentSession | undefined; isByRecoveryCode?: boolean; hasTyped?: boolean },
  exchange: Exchange,
  services: Services,
): Promise<Reply> {
  const currentSession = await getNewSession(headers, services);
  const replaced = before && sessionActorOf(before, exchange, services);
  const sessionActor = sessionActorOf(currentSession, exchange, services);
  const { user, memberships } = currentSession;
  // Comes first, because the password is correct even if all of the user's accounts are suspended.
  if (hasTyped) await clearAttempts({ email: user.email, isSignedIn: false, exchange, services });
  const membership = await recordSignIn(services.database, sessionActor, { memberships, replaced, isByRecoveryCode });
  const reply = await replySession({ ...currentSession, membership }, services.database);
  // Comes last, so the browser gets the session only after the audit log has recorded the sign-in.
  setCookies(exchange, headers);
  return reply;
}

/** Succeeds even without a session. */
async function replySignedOut(exchange: Exchange, services: Services): Promise<Reply> {
  const currentSession = await findCurrentSession(exchange, services);
  if (currentSession !== undefined) {
    await signOut(services.database, sessionActorOf(currentSession, exchange, services));
    const request = { headers: identityHeaders(exchange, services), returnHeaders: true } as const;
    const { headers } = await services.identity.call((api) => api.signOut(request));
    setCookies(exchange, headers);
  }
  return { status: 204, headers: {} };
}
