import { hash, randomBytes } from 'node:crypto';

/** 256 random bits for a link: they cannot be guessed, so they need no slow hash. */
export function createToken(): string {
  return randomBytes(32).toString('base64url');
}

/** SHA-256 in hex: the only form in which a token is stored. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}
