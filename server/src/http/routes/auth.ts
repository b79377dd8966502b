import { actorOf, recordOfPerson } from '../../domain/audit.ts';
import { withHashing } from '../../domain/passwords.ts';
import type { AuditAction } from '../../model/audit.ts';
import type { Services } from '../app.ts';
import { clientAddress } from '../client-address.ts';
import type { Exchange } from '../exchange.ts';
import { translateRefusal } from '../identity/better-auth-errors.ts';
import { findSignedIn, getNewSession, identityHeaders, type SignedIn, setCookies } from '../identity/sessions.ts';
import { readInput } from '../input.ts';
import { type Reply, replyJson } from '../reply.ts';
import type { Routes } from '../routes.ts';
import { signIn } from '../schemas/identity.ts';
import { replySession } from './session.ts';

/** Signing in and out. Of better-auth's routes only those that stand here are to be had, and each with our checks. */
export function addAuth(routes: Routes, services: Services): void {
  routes.add('POST', '/admin/auth/sign-in/email', async (exchange) => {
    const given = await readInput(exchange, signIn);
    return signInWith(given, exchange, services);
  });
  routes.add('POST', '/admin/auth/sign-out', (exchange) => signOut(exchange, services));
}

/** Signs somebody in. @throws {AppError} `unauthorized`, `rate_limited` */
export async function signInWith(
  given: { email: string; password: string },
  exchange: Exchange,
  services: Services,
): Promise<Reply> {
  const { identity, passwordAttempts, database, trustedProxies } = services;
  const address = clientAddress(exchange.incoming, trustedProxies);
  await passwordAttempts.begin(given.email, address);
  const auth = await identity.load();
  const request = { body: given, headers: identityHeaders(exchange, services), returnHeaders: true } as const;
  const { headers, response } = await withHashing(() => auth.api.signInEmail(request)).catch((error: unknown) => {
    throw translateRefusal(error);
  });
  setCookies(exchange, headers);
  if ('twoFactorRedirect' in response) return replyJson(200, JSON.stringify({ twoFactorRedirect: true }));
  await passwordAttempts.succeed(given.email, address);
  const signedIn = await getNewSession(headers, services);
  await recordPerson(signedIn, 'administrator.signed_in', exchange, services);
  return replySession(signedIn, database);
}

/** Whoever is signed out already may do it again. */
async function signOut(exchange: Exchange, services: Services): Promise<Reply> {
  const signedIn = await findSignedIn(exchange, services);
  if (signedIn !== undefined) {
    const auth = await services.identity.load();
    const { headers } = await auth.api.signOut({ headers: identityHeaders(exchange, services), returnHeaders: true });
    setCookies(exchange, headers);
    await recordPerson(signedIn, 'administrator.signed_out', exchange, services);
  }
  return { status: 204, headers: {} };
}

/** Writes down what somebody did with their own person. */
async function recordPerson(
  { user, memberships }: SignedIn,
  action: AuditAction,
  { incoming }: Exchange,
  { database, trustedProxies }: Services,
): Promise<void> {
  const address = clientAddress(incoming, trustedProxies);
  const actor = actorOf({ userId: user.id, userName: user.name, address });
  await recordOfPerson(database, memberships, actor, action);
}
