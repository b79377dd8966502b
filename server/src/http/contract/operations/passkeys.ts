import { z } from 'zod';
import { operation } from '../operation.ts';
import { namedObject, time } from '../schemas/fields.ts';
import { newPasskey, passkeyOnly, passkeySignIn, passkeyStart } from '../schemas/identity.ts';
import { NO_CONTENT } from './auth.ts';
import { INPUT_ERRORS, jsonBody, okReply } from './common.ts';
import { SESSION_REPLY } from './session.ts';

const passkey = namedObject('Passkey', {
  id: z.string(),
  name: z.string(),
  createdAt: time(),
  lastUsedAt: time().nullable().describe('Time of the last sign-in; null if it has not been used.'),
});

const example = {
  id: 'pky_01kt3vb2d4f6h8j0k1m3n5p7qb',
  name: 'MacBook',
  createdAt: '2026-01-31T09:00:00.000Z',
  lastUsedAt: null,
};

const CREDENTIAL = { id: 'dGhlIGlk', rawId: 'dGhlIGlk', type: 'public-key' } as const;
const CLIENT_DATA = 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0';

export const startPasskeySignInOperation = operation('anyone', 'post', '/auth/passkey/begin-sign-in', {
  operationId: 'startPasskeySignIn',
  summary: 'Start a sign-in with a passkey',
  description:
    "Returns the input for the browser's `PublicKeyCredential.parseRequestOptionsFromJSON()`, and sets a cookie that " +
    'identifies the challenge, which is valid for five minutes.',
  replies: [
    okReply(
      '`PublicKeyCredentialRequestOptionsJSON` of WebAuthn Level 3.',
      z.looseObject({ challenge: z.string(), rpId: z.string() }),
      { challenge: 'MTIzNDU2Nzg', rpId: 'listings.example.com', timeout: 60_000, userVerification: 'required' },
    ),
  ],
  errors: ['rate_limited', 'outcome_unknown', 'storage_full'],
});

export const passkeySignInOperation = operation('anyone', 'post', '/auth/passkey/sign-in', {
  operationId: 'signInWithPasskey',
  summary: 'Sign in with a passkey',
  description: 'Signs in without a password or a second factor; the response sets the session cookie.',
  body: jsonBody(passkeySignIn, {
    response: {
      ...CREDENTIAL,
      clientExtensionResults: {},
      response: { clientDataJSON: CLIENT_DATA, authenticatorData: 'SZYN5YgOjGh0NBcP', signature: 'MEUCIQ' },
    },
  }),
  replies: [SESSION_REPLY],
  errors: [...INPUT_ERRORS, 'unauthorized', 'rate_limited'],
});

export const listPasskeysOperation = operation('user', 'get', '/auth/passkey/list', {
  operationId: 'listPasskeys',
  summary: 'List your passkeys',
  description: 'Your passkeys, oldest first.',
  replies: [okReply('The passkeys.', z.array(passkey), [example])],
});

export const startPasskeyOperation = operation('user', 'post', '/auth/passkey/begin-registration', {
  operationId: 'startPasskey',
  summary: 'Start adding a passkey',
  description:
    'Requires the password and, if the second factor is on, a code from the authenticator app or a recovery code. ' +
    "Returns the input for the browser's `PublicKeyCredential.parseCreationOptionsFromJSON()`, and sets a cookie " +
    'that identifies the challenge, which is valid for five minutes.',
  body: jsonBody(passkeyStart, { name: 'MacBook', password: 'correct horse battery staple', code: '123456' }),
  replies: [
    okReply('`PublicKeyCredentialCreationOptionsJSON` of WebAuthn Level 3.', z.looseObject({ challenge: z.string() }), {
      challenge: 'MTIzNDU2Nzg',
      rp: { id: 'listings.example.com', name: 'Property Listings' },
      user: { id: 'dGhlIHVzZXI', name: 'ada@example.com', displayName: 'ada@example.com' },
      pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
    }),
  ],
  errors: [...INPUT_ERRORS, 'rate_limited', 'conflict'],
});

export const addPasskeyOperation = operation('user', 'post', '/auth/passkey/register', {
  operationId: 'addPasskey',
  summary: 'Add a passkey',
  description: 'Saves the passkey that the browser has created. You can have up to 20.',
  body: jsonBody(newPasskey, {
    name: 'MacBook',
    response: {
      ...CREDENTIAL,
      clientExtensionResults: {},
      response: { clientDataJSON: CLIENT_DATA, attestationObject: 'o2NmbXRkbm9uZQ', transports: ['internal'] },
    },
  }),
  replies: [{ status: 201, description: 'The passkey.', schema: passkey, example }],
  errors: [...INPUT_ERRORS, 'unauthorized', 'conflict'],
});

export const deletePasskeyOperation = operation('user', 'post', '/auth/passkey/revoke', {
  operationId: 'deletePasskey',
  summary: 'Delete a passkey',
  description: 'The passkey can no longer be used to sign in. Sessions that were started with it continue.',
  body: jsonBody(passkeyOnly, { id: 'pky_01kt3vb2d4f6h8j0k1m3n5p7qb' }),
  replies: [NO_CONTENT],
  errors: [...INPUT_ERRORS, 'not_found'],
});
