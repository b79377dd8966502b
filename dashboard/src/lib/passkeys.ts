import type { Passkey, Session } from '../api/admin';
import { ApiError, request } from '../api/client';

const PATH = '/admin/auth/passkey';
const IP_ADDRESS = /^[\d.]+$|^\[/;

/**
 * Whether the browser supports passkeys for this page. Passkeys require a domain name, and HTTPS unless the
 * page is on localhost.
 */
export function canUsePasskeys(): boolean {
  return 'parseRequestOptionsFromJSON' in (window.PublicKeyCredential ?? {}) && !IP_ADDRESS.test(location.hostname);
}

/** @returns undefined if the user closes the browser's dialog */
export async function signInWithPasskey(): Promise<Session | undefined> {
  const json = await request<PublicKeyCredentialRequestOptionsJSON>('POST', `${PATH}/begin-sign-in`);
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(json);
  const response = await ask(() => navigator.credentials.get({ publicKey }));
  return response && request<Session>('POST', `${PATH}/sign-in`, { body: { response } });
}

/** @returns undefined if the user closes the browser's dialog */
export async function addPasskey(
  name: string,
  proof: { password: string; code?: string },
): Promise<Passkey | undefined> {
  const options = { body: { name, ...proof } };
  const json = await request<PublicKeyCredentialCreationOptionsJSON>('POST', `${PATH}/begin-registration`, options);
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(json);
  const response = await ask(() => navigator.credentials.create({ publicKey }));
  return response && request<Passkey>('POST', `${PATH}/register`, { body: { name, response } });
}

async function ask(work: () => Promise<Credential | null>): Promise<object | undefined> {
  try {
    const credential = await work();
    return credential instanceof PublicKeyCredential ? credential.toJSON() : undefined;
  } catch (error) {
    const name = error instanceof DOMException ? error.name : '';
    if (name === 'NotAllowedError' || name === 'AbortError') return undefined;
    throw new ApiError(0, 'passkey_failed', FAILURES[name] ?? 'The browser couldn’t use a passkey. Try again.');
  }
}

const FAILURES: Record<string, string> = {
  InvalidStateError: 'This device already has a passkey for your account.',
  SecurityError: 'Passkeys only work at the public address of this service. Open the dashboard there.',
};
