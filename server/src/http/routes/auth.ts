import { notePassword, recordSignIn, signOut } from '../../domain/sign-in.ts';
import type { Along } from '../../storage/identity-database.ts';
import { findUserByEmail } from '../../storage/users.ts';
import { signInOperation, signOutOperation } from '../contract/operations/auth.ts';
import { signIn } from '../contract/schemas/identity.ts';
import { endpoint } from '../endpoint.ts';
import { forgiveTrials, tryPassword } from '../identity/password.ts';
import { sessionActorOf } from '../identity/session-actor.ts';
import {
  type CurrentSession,
  findCurrentSession,
  getNewSession,
  identityHeaders,
  setCookies,
} from '../identity/sessions.ts';
import { clientAddress } from '../protocol/client-address.ts';
import type { Exchange } from '../protocol/exchange.ts';
import { readInput } from '../protocol/input.ts';
import { type Reply, replyJson } from '../protocol/reply.ts';
import type { Services } from '../services.ts';
import { replySession } from './session.ts';

/** Signing in and out. Of better-auth's routes only those that stand here are to be had, and each with our checks. */
export const authEndpoints = [
  endpoint(signInOperation, async (exchange, { services }) => {
    await services.passwordAttempts.requireAddress(clientAddress(exchange.incoming, services.trustedProxies));
    const given = await readInput(exchange, signIn);
    return signInWith(given, exchange, services);
  }),
  endpoint(signOutOperation, (exchange, { services }) => replySignedOut(exchange, services)),
];

/** Signs somebody in. @throws {AppError} `unauthorized`, `rate_limited` */
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
    return besidesSignIn(email, services);
  };
  const trial = { email, isSignedIn: false, prepare, exchange, services };
  const { headers, response } = await tryPassword(trial, (api) => api.signInEmail(request));
  // Whoever knows the password and not the code goes on being counted.
  if ('twoFactorRedirect' in response) {
    if (browser.before) await signOut(services.database, sessionActorOf(browser.before, exchange, services));
    setCookies(exchange, headers);
    return replyJson(200, JSON.stringify({ twoFactorRedirect: true }));
  }
  return replyToSignIn(headers, browser, exchange, services);
}

/** The password that is about to be looked at must be the same when the session begins. */
async function besidesSignIn(email: string, { database }: Services): Promise<Along[]> {
  const user = await findUserByEmail(database, email);
  const requireSamePassword = await notePassword(database, user?.id ?? '');
  return [
    { when: 'insert sessions', job: requireSamePassword },
    { when: 'insert verifications', job: requireSamePassword },
  ];
}

/** Lets in whoever has just chosen their password: it is not tried again, as others could have used up its trials. */
export async function letIn(userId: string, exchange: Exchange, services: Services): Promise<Reply> {
  const before = await findCurrentSession(exchange, services);
  const request = { body: { userId }, headers: identityHeaders(exchange, services), returnHeaders: true } as const;
  const { headers } = await services.identity.call((api) => api.beginSession(request));
  return replyToSignIn(headers, { before, hasTyped: false }, exchange, services);
}

/**
 * `before` is whoever was signed in until now in the same browser: it has no cookie for them any more. Who has typed no
 * password gets no trials back.
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
  const membership = await recordSignIn(services.database, sessionActor, { replaced, isByRecoveryCode });
  if (hasTyped) await forgiveTrials({ email: currentSession.user.email, isSignedIn: false, exchange, services });
  const reply = await replySession({ ...currentSession, membership }, services.database);
  // Last: nobody has the new session unless the audit log says so.
  setCookies(exchange, headers);
  return reply;
}

/** Whoever is signed out already may do it again. */
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
