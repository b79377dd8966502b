import { decodeAttestationObject, isoBase64URL, isoCBOR, parseAuthenticatorData } from '@simplewebauthn/server/helpers';

/**
 * Removes the attestation from a new passkey. The service does not need an attestation, and a client could use
 * one to make the library request any URL: verification requests the URLs in the attestation's certificates.
 * @returns undefined if the attestation cannot be read or belongs to another id
 */
export function withoutAttestation(attestationObject: string, id: string): string | undefined {
  try {
    const data = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject)).get('authData');
    const { credentialID } = parseAuthenticatorData(data);
    if (credentialID === undefined || isoBase64URL.fromBuffer(credentialID) !== id) return undefined;
    const bare = new Map<string, string | Uint8Array | Map<string, string>>([
      ['fmt', 'none'],
      ['attStmt', new Map<string, string>()],
      ['authData', data],
    ]);
    return isoBase64URL.fromBuffer(isoCBOR.encode(bare));
  } catch {
    return undefined;
  }
}
