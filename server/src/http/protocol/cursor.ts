import { hash, timingSafeEqual } from 'node:crypto';
import { AppError } from '../../model/errors.ts';
import { ERRORS } from '../contract/errors.ts';

/** The length of a signature. This many base64url characters encode 132 bits. */
const SIGNATURE_LENGTH = 22;

/** Cursors are opaque, do not expire, and are bound to the list's parameters (`scope`). */
export class CursorCodec {
  readonly #secret: string;

  constructor(secret: string) {
    this.#secret = secret;
  }

  encode(position: string, scope: string): string {
    return this.#sign(position, scope) + Buffer.from(position).toString('base64url');
  }

  /** @throws {AppError} `invalid_cursor` if the cursor was changed or belongs to another list */
  decode(cursor: string, scope: string): string {
    const position = Buffer.from(cursor.slice(SIGNATURE_LENGTH), 'base64url').toString();
    if (isEqual(cursor, this.encode(position, scope))) return position;
    const { message, ...options } = ERRORS.invalid_cursor.example;
    throw new AppError('invalid_cursor', message, options);
  }

  /** SHA-512/256 is not vulnerable to length extension, and takes a tenth of HMAC's time. */
  #sign(position: string, scope: string): string {
    return hash('sha512-256', `${this.#secret}\n${scope}\n${position}`, 'base64url').slice(0, SIGNATURE_LENGTH);
  }
}

/** Compares in constant time. */
function isEqual(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
