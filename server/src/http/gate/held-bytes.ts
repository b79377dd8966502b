import { AppError } from '../../model/errors.ts';

/** The contract's limit for an import that keeps all rows or none: they are held in memory until the last has come. */
export const ATOMIC_BYTES_MAX = 64 * 1024 * 1024;
/** What the files of an account may hold at a time: one that is as large as can be, or several smaller ones. */
const ACCOUNT_BYTES_MAX = ATOMIC_BYTES_MAX;
/** What all of them may hold. */
const BYTES_MAX = 3 * ATOMIC_BYTES_MAX;

const accounts = new Map<string, number>();
let total = 0;

/** Bytes that are held in memory for an account, until this is disposed of. */
export class HeldBytes {
  readonly #accountId: string;
  #bytes = 0;

  constructor(accountId: string) {
    this.#accountId = accountId;
  }

  /** Holds more. @throws {AppError} `too_many_imports` or `unavailable` if the account, or all of them, hold too much */
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
    'The atomic imports of this account hold 64 MiB already; send the file again when one has ended, or leave out atomic=true.';
  return new AppError('too_many_imports', message, { headers: { 'Retry-After': '5' } });
}

function tooMuchHeld(): AppError {
  const message = 'Too many atomic imports are under way; send the file again later, or leave out atomic=true.';
  return new AppError('unavailable', message, { headers: { 'Retry-After': '5' } });
}
