import { findRow, findRows, removeRows, updateRows } from './rows.ts';

const MEMBERS = ['id', 'name', 'createdAt', 'lastUsedAt'] as const;

export const listPasskeys = findRows('passkeys', ['userId'], MEMBERS, 'createdAt');

/** The user of a passkey, by the service's id for it. */
export const findPasskeyUser = findRow('passkeys', ['id'], ['userId']);

/** The user of a passkey, by the authenticator's id for it. */
export const findCredentialUser = findRow('passkeys', ['credentialId'], ['userId']);

export const setPasskeyUsed = updateRows('passkeys', ['id'], ['lastUsedAt']);

export const removePasskey = removeRows('passkeys', ['userId', 'id']);

export const removePasskeys = removeRows('passkeys', ['userId']);
