import { createHash, type Hash } from 'node:crypto';
import type { MessagePort } from 'node:worker_threads';
import { AppError } from '../../model/errors.ts';
import type { ReadingOrder, ReadingReport, ReadingStart, ReadRow } from './reading.ts';
import { unpack } from './unpack.ts';

/** Batches that may be on their way: one is read while the one before is written. */
const BATCHES_AHEAD = 2;

/** A file in the thread that reads it: its bytes come, and its rows go, as the serving thread asks for them. */
export class FileBody {
  readonly #port: MessagePort;
  readonly #isPacked: boolean;
  readonly #bytesMax: number;
  readonly #hash: Hash | undefined;
  #bytes = 0;
  #bytesTold = 0;
  #batchesAhead = 0;
  #arrived: ReadingOrder | undefined;
  #isClosed = false;
  #waiting: (() => void)[] = [];

  constructor({ port, isPacked, bytesMax = Number.POSITIVE_INFINITY, fingerprintStart }: ReadingStart) {
    this.#port = port;
    this.#isPacked = isPacked;
    this.#bytesMax = bytesMax;
    this.#hash = fingerprintStart === undefined ? undefined : createHash('sha256').update(fingerprintStart);
    port.on('message', (order: ReadingOrder) => this.#note(order));
    port.on('close', () => {
      this.#isClosed = true;
      this.#wake();
    });
  }

  tell(report: ReadingReport): void {
    this.#port.postMessage(report);
  }

  /**
   * The unpacked bytes as they come.
   * @throws {AppError} `import_failed` if they are not packed as they should be; `payload_too_large`; `invalid_header` if the
   * body was cut, or nobody waits for its rows
   */
  async *chunks(): AsyncGenerator<Buffer> {
    for await (const chunk of unpack(this.#packedChunks(), this.#isPacked)) {
      if (this.#isClosed) throw cutBody();
      this.#bytes += chunk.length;
      if (this.#bytes > this.#bytesMax) throw fileTooLarge(this.#bytesMax);
      this.#hash?.update(chunk);
      yield chunk;
    }
  }

  /** Hands rows over, once those before them were taken. @throws {AppError} `invalid_header` if they are not wanted */
  async pass(rows: ReadRow[]): Promise<void> {
    await this.#waitFor(() => this.#batchesAhead < BATCHES_AHEAD);
    this.#batchesAhead += 1;
    this.tell({ is: 'batch', rows, bytes: this.#bytes - this.#bytesTold });
    this.#bytesTold = this.#bytes;
  }

  /** Of all bytes; undefined if none is wanted. */
  fingerprint(): string | undefined {
    return this.#hash?.digest('base64url');
  }

  async *#packedChunks(): AsyncGenerator<Buffer> {
    for (;;) {
      this.tell({ is: 'hungry' });
      await this.#waitFor(() => this.#arrived !== undefined);
      const order = this.#arrived;
      this.#arrived = undefined;
      if (order?.is === 'broken') throw cutBody();
      if (order?.is !== 'chunk') return;
      yield Buffer.from(order.chunk.buffer, order.chunk.byteOffset, order.chunk.byteLength);
    }
  }

  #note(order: ReadingOrder): void {
    if (order.is === 'taken') this.#batchesAhead -= 1;
    else this.#arrived = order;
    this.#wake();
  }

  async #waitFor(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      if (this.#isClosed) throw cutBody();
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

/** The serving thread knows why. */
function cutBody(): AppError {
  return new AppError('invalid_header', 'The connection ended before the body did.');
}

export function fileTooLarge(bytesMax: number): AppError {
  const message = `An atomic import takes ${bytesMax} bytes at most; send several files, or leave out atomic=true.`;
  return new AppError('payload_too_large', message);
}
