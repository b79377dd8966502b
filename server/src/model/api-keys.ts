import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

export type Access = 'full' | 'read';

/** An API key as stored, without its secret. Times are UTC milliseconds. */
export interface ApiKey {
  id: string;
  accountId: string;
  name: string;
  access: Access;
  /** The first characters of the key, for display. */
  start: string;
  createdBy: string | null;
  createdAt: number;
  expiresAt: number | null;
  lastUsedAt: number | null;
  /** The id of the key that replaces this one after a roll. */
  replacedBy: string | null;
}

/** How long a key can remain valid after it is rolled. */
export const ROLLED_HOURS_MAX = 168;
export const ROLLED_HOURS_DEFAULT = 24;

const PREFIX = 'plk_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 32;
/** Enough for a CRC32, because 62^6 is the smallest power of 62 above 2^32. */
const CHECKSUM_LENGTH = 6;
const START_LENGTH = 8;
const FORMAT = /^plk_[0-9A-Za-z]{38}$/;

/** Generates a key: `plk_`, 32 random base62 characters (190 bits), and a checksum of 6 characters. */
export function generateSecret(): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]);
  const body = PREFIX + random.join('');
  return body + checksum(body);
}

/** Checks a key's form and checksum, which detects typos and truncation without a database query. */
export function isWellFormedSecret(secret: string): boolean {
  return FORMAT.test(secret) && secret.endsWith(checksum(secret.slice(0, -CHECKSUM_LENGTH)));
}

/** SHA-256 in hex, the only form in which a key is stored. With 190 random bits, a fast hash is enough. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

export function startOfSecret(secret: string): string {
  return secret.slice(0, START_LENGTH);
}

/** CRC32 (ISO 3309) as base62, most significant digit first. */
function checksum(body: string): string {
  let rest = crc32(body);
  let encoded = '';
  for (let index = 0; index < CHECKSUM_LENGTH; index += 1) {
    encoded = ALPHABET[rest % 62] + encoded;
    rest = Math.floor(rest / 62);
  }
  return encoded;
}
