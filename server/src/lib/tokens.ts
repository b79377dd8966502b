import { hash, randomBytes } from 'node:crypto';

/** Creates a token for a link. Its 256 random bits cannot be guessed, so a fast hash is enough. */
export function createToken(): string {
  return randomBytes(32).toString('base64url');
}

/** SHA-256 in hex: the only form in which the database contains a link's token. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}
