import {
  afterPasskeyAdded,
  afterPasskeyUse,
  deletePasskey,
  requirePasskey,
  requirePasskeyRoom,
} from '../../domain/accounts/passkeys.ts';
import { AppError } from '../../model/errors.ts';
import type { Along } from '../../storage/identity-database.ts';
import { findCredentialUser, listPasskeys } from '../../storage/passkeys.ts';
import {
  addPasskeyOperation,
  deletePasskeyOperation,
  listPasskeysOperation,
  passkeySignInOperation,
  startPasskeyOperation,
  startPasskeySignInOperation,
} from '../contract/operations/passkeys.ts';
import { newPasskey, passkeyOnly, passkeySignIn, passkeyStart } from '../contract/schemas/identity.ts';
import { type Call, endpoint } from '../endpoint.ts';
import { limitingAttempts } from '../identity/attempts.ts';
import { notNewPasskey } from '../identity/better-auth-errors.ts';
import { reauthenticate, requireCode, requireVerifiedCode } from '../identity/reauthenticate.ts';
import {
  findCurrentSession,
  identityHeaders,
  sessionActorOf,
  setCookies,
  type UserExchange,
} from '../identity/sessions.ts';
import { clientAddress } from '../protocol/client-address.ts';
import type { Exchange } from '../protocol/exchange.ts';
import { readInput } from '../protocol/input.ts';
import { type Reply, replyJson } from '../protocol/reply.ts';
import { fromNowhere } from '../protocol/same-origin.ts';
import type { Services } from '../services.ts';
import { replyToSignIn } from './auth.ts';

/** A passkey counts as two factors, so its authenticator must verify the user. */
const VERIFIED = { userVerification: 'required' } as const;

export const passkeyEndpoints = [
  endpoint(startPasskeySignInOperation, async (exchange, { services }) => {
    await services.tokenAttempts.takeStart(clientAddress(exchange.incoming, services.trustedProxies));
    const request = { headers: identityHeaders(exchange, services), returnHeaders: true } as const;
    const { headers, response } = await services.identity.call((api) =>
      api.generatePasskeyAuthenticationOptions(request),
    );
    setCookies(exchange, headers);
    return replyJson(200, JSON.stringify({ ...response, ...VERIFIED }));
  }),
  endpoint(passkeySignInOperation, limitingAttempts(['unauthorized'], signInWithPasskey)),
  endpoint(listPasskeysOperation, async ({ currentSession: { user } }, { services }) =>
    replyJson(200, JSON.stringify(await listPasskeys(services.database, user.id))),
  ),
  endpoint(startPasskeyOperation, startPasskey),
  endpoint(addPasskeyOperation, addPasskey),
  endpoint(deletePasskeyOperation, async (exchange, { services }) => {
    const { id } = await readInput(exchange, passkeyOnly);
    await deletePasskey(services.database, sessionActorOf(exchange.currentSession, exchange, services), id);
    return { status: 204, headers: {} };
  }),
];

async function signInWithPasskey(exchange: Exchange, { services }: Call): Promise<Reply> {
  const body = await readInput(exchange, passkeySignIn);
  const before = await findCurrentSession(exchange, services);
  const request = { body, headers: headersWithOrigin(exchange, services), returnHeaders: true } as const;
  const { headers } = await services.identity.call((api) => api.verifyPasskeyAuthentication(request), {
    along: signInHooks(),
  });
  return replyToSignIn(headers, { before, hasTyped: false }, exchange, services);
}

/** A passkey that is deleted in the meantime does not start a session. */
function signInHooks(): Along[] {
  let id = '';
  return [
    {
      when: 'update passkeys',
      job: async (transaction, [used]) => {
        id = String(used?.id);
        await afterPasskeyUse(transaction, id);
      },
    },
    { when: 'insert sessions', job: (transaction) => requirePasskey(transaction, id) },
  ];
}

async function startPasskey(exchange: UserExchange, { services }: Call): Promise<Reply> {
  const { currentSession } = exchange;
  const { name: _, ...given } = await readInput(exchange, passkeyStart);
  const secondFactor = requireCode(given, currentSession);
  const { id: userId } = currentSession.user;
  await requirePasskeyRoom(services.database, userId, 1);
  const along: Along[] = [
    { when: 'insert verifications', job: (transaction) => requireVerifiedCode(transaction, userId, secondFactor) },
  ];
  const { response } = await reauthenticate(
    exchange,
    services,
    async (api, headers) => {
      await api.verifyPassword({ body: { password: secondFactor.password }, headers });
      return api.generatePasskeyRegistrationOptions({ headers, query: {}, returnHeaders: true });
    },
    { along, secondFactor },
  );
  const authenticatorSelection = { residentKey: 'required', requireResidentKey: true, ...VERIFIED };
  // With the user's own id instead of a random one, an authenticator replaces a passkey that was created but not added.
  const user = { ...response.user, id: Buffer.from(userId).toString('base64url') };
  return replyJson(200, JSON.stringify({ ...response, user, authenticatorSelection }));
}

async function addPasskey(exchange: UserExchange, { services }: Call): Promise<Reply> {
  const { database, identity } = services;
  const body = await readInput(exchange, newPasskey);
  const { id: credentialId, response } = body.response;
  // Loaded on first use, because only this operation needs it.
  const { withoutAttestation } = await import('../identity/attestation.ts');
  const attestationObject = withoutAttestation(response.attestationObject, credentialId);
  if (attestationObject === undefined) throw notNewPasskey();
  response.attestationObject = attestationObject;
  if ((await findCredentialUser(database, credentialId)) !== undefined)
    throw new AppError('conflict', 'This passkey is already registered.');
  const sessionActor = sessionActorOf(exchange.currentSession, exchange, services);
  const along: Along[] = [
    { when: 'insert passkeys', job: (transaction) => afterPasskeyAdded(transaction, sessionActor) },
  ];
  const request = { body, headers: headersWithOrigin(exchange, services) };
  const { id } = await identity.call((api) => api.verifyPasskeyRegistration(request), { along });
  const added = (await listPasskeys(database, sessionActor.userId)).find((passkey) => passkey.id === id);
  return replyJson(201, JSON.stringify(added));
}

/**
 * Adds the page's origin, which is checked for every change, to the headers for better-auth. The origin must
 * be the one that the browser has signed.
 * @throws {AppError} `forbidden` if the origin is unknown
 */
function headersWithOrigin(exchange: Exchange, services: Services): Headers {
  const origin = exchange.incoming.headers.origin ?? services.publicUrl;
  if (origin === undefined) throw fromNowhere();
  const headers = identityHeaders(exchange, services);
  headers.set('origin', origin);
  return headers;
}
