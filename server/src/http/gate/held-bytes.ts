import { AppError } from '../../model/errors.ts';

/** The size limit of an atomic import, whose rows are kept until the import ends, in memory or in a temporary file. */
export const ATOMIC_BYTES_MAX = 64 * 1024 * 1024;
/** The limit per process, for all accounts together; each account can run one atomic import at a time. */
const BYTES_MAX = 3 * ATOMIC_BYTES_MAX;

let total = 0;

/** Counts the bytes that an atomic import keeps, until this object is disposed of. */
export class HeldBytes {
  #bytes = 0;

  /** @throws {AppError} `unavailable` above the total limit */
  add(bytes: number): void {
    this.#bytes += bytes;
    total += bytes;
    if (total <= BYTES_MAX) return;
    const message = 'Too many atomic imports are running; send the file again later, or omit atomic=true.';
    throw new AppError('unavailable', message, { headers: { 'Retry-After': '5' } });
  }

  [Symbol.dispose](): void {
    total -= this.#bytes;
  }
}
