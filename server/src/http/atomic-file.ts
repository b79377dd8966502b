import type { Hash } from 'node:crypto';
import type { Retry } from '../domain/writing.ts';
import { AppError } from '../model/errors.ts';
import type { Exchange } from './exchange.ts';
import { startFingerprint } from './retry.ts';

/** The contract's limit for an import that keeps all rows or none: they are held in memory until the last has come. */
export const ATOMIC_BYTES_MAX = 64 * 1024 * 1024;
/** What all of them may hold at a time, whoever sends them. */
const HELD_BYTES_MAX = 4 * ATOMIC_BYTES_MAX;

let heldBytes = 0;

/** The file of an atomic import: what it holds counts until it is disposed of. */
export class AtomicFile {
  readonly #fingerprint: Hash;
  #bytes = 0;

  constructor(exchange: Exchange) {
    this.#fingerprint = startFingerprint(exchange);
  }

  /** The chunks as they come. @throws {AppError} `payload_too_large`; `unavailable` when too much is held already */
  async *read(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.#bytes += chunk.length;
      heldBytes += chunk.length;
      if (this.#bytes > ATOMIC_BYTES_MAX) throw fileTooLarge();
      if (heldBytes > HELD_BYTES_MAX) throw tooManyFiles();
      this.#fingerprint.update(chunk);
      yield chunk;
    }
  }

  /** Once all of it has been read: what tells a retry. */
  toRetry(key: string | undefined): Retry | undefined {
    return key === undefined ? undefined : { key, fingerprint: this.#fingerprint.digest('base64url') };
  }

  [Symbol.dispose](): void {
    heldBytes -= this.#bytes;
  }
}

export function fileTooLarge(): AppError {
  const message = `An atomic import takes ${ATOMIC_BYTES_MAX} bytes at most; send several files, or leave out atomic=true.`;
  return new AppError('payload_too_large', message);
}

function tooManyFiles(): AppError {
  const message = 'Too many atomic imports are under way; send the file again in a while, or leave out atomic=true.';
  return new AppError('unavailable', message, { headers: { 'Retry-After': '5' } });
}
