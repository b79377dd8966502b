import { AppError } from '../../model/errors.ts';

/** The size limit of an atomic import, which stays in memory until its last row arrives. */
export const ATOMIC_BYTES_MAX = 64 * 1024 * 1024;
/** Maximum per account: one file of the maximum size, or several smaller files. */
const ACCOUNT_BYTES_MAX = ATOMIC_BYTES_MAX;
/** For all accounts together. */
const BYTES_MAX = 3 * ATOMIC_BYTES_MAX;

const accounts = new Map<string, number>();
let total = 0;

/** Counts the bytes that an atomic import holds in memory, until this object is disposed. */
export class HeldBytes {
  readonly #accountId: string;
  #bytes = 0;

  constructor(accountId: string) {
    this.#accountId = accountId;
  }

  /**
   * @throws {AppError} `too_many_imports` above the account's limit, or `unavailable` above the
   * total limit
   */
  add(bytes: number): void {
    this.#bytes += bytes;
    total += bytes;
    const held = (accounts.get(this.#accountId) ?? 0) + bytes;
    accounts.set(this.#accountId, held);
    if (held > ACCOUNT_BYTES_MAX) throw accountHoldsTooMuch();
    if (total > BYTES_MAX) throw tooMuchHeld();
  }

  [Symbol.dispose](): void {
    total -= this.#bytes;
    const held = (accounts.get(this.#accountId) ?? 0) - this.#bytes;
    if (held > 0) accounts.set(this.#accountId, held);
    else accounts.delete(this.#accountId);
  }
}

function accountHoldsTooMuch(): AppError {
  const message =
    'The atomic imports of this account already hold 64 MiB; send the file again when one has finished, or leave out atomic=true.';
  return new AppError('too_many_imports', message, { headers: { 'Retry-After': '5' } });
}

function tooMuchHeld(): AppError {
  const message = 'Too many atomic imports are running; send the file again later, or leave out atomic=true.';
  return new AppError('unavailable', message, { headers: { 'Retry-After': '5' } });
}
