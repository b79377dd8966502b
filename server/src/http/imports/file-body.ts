import { createHash, type Hash } from 'node:crypto';
import type { MessagePort } from 'node:worker_threads';
import { HashSet } from '../../lib/hash-set.ts';
import { AppError } from '../../model/errors.ts';
import { KNOWN_ROWS_MAX } from '../../model/feeds.ts';
import { decompress } from './decompress.ts';
import type { ReadingOrder, ReadingReport, ReadingStart, ReadRow } from './reading.ts';

/** Maximum number of batches in transit: one is read while the previous one is written. */
const BATCHES_AHEAD = 2;

/** A file in the reading thread, which exchanges bytes and rows with the serving thread. */
export class FileBody {
  /** Hashes of the feed's known rows (`ReadKnownRow`). */
  readonly known = new HashSet(KNOWN_ROWS_MAX);
  readonly #port: MessagePort;
  readonly #isGzipped: boolean;
  readonly #bytesMax: number;
  readonly #hash: Hash | undefined;
  #bytes = 0;
  #bytesSent = 0;
  #batchesAhead = 0;
  #arrived: ReadingOrder | undefined;
  #isClosed = false;
  #waiting: (() => void)[] = [];

  constructor({ port, isGzipped, bytesMax = Number.POSITIVE_INFINITY, fingerprintStart }: ReadingStart) {
    this.#port = port;
    this.#isGzipped = isGzipped;
    this.#bytesMax = bytesMax;
    this.#hash = fingerprintStart === undefined ? undefined : createHash('sha256').update(fingerprintStart);
    port.on('message', (order: ReadingOrder) => this.#note(order));
    port.on('close', () => {
      this.#isClosed = true;
      this.#wake();
    });
  }

  send(report: ReadingReport): void {
    this.#port.postMessage(report);
  }

  /**
   * @throws {AppError} `import_failed` for invalid gzip, `payload_too_large`, or `invalid_header` if the body was cut
   * off or the import has ended
   */
  async *chunks(): AsyncGenerator<Buffer> {
    for await (const chunk of decompress(this.#bodyChunks(), this.#isGzipped)) {
      if (this.#isClosed) throw cutBody();
      this.#bytes += chunk.length;
      if (this.#bytes > this.#bytesMax) throw fileTooLarge(this.#bytesMax);
      this.#hash?.update(chunk);
      yield chunk;
    }
  }

  /** Sends rows once at most one batch is in transit. @throws {AppError} `invalid_header` if the import has ended */
  async pass(rows: ReadRow[]): Promise<void> {
    await this.#waitFor(() => this.#batchesAhead < BATCHES_AHEAD);
    this.#batchesAhead += 1;
    this.send({ is: 'batch', rows, bytes: this.#bytes - this.#bytesSent });
    this.#bytesSent = this.#bytes;
  }

  /** The file's fingerprint; undefined if it was not requested. */
  fingerprint(): string | undefined {
    return this.#hash?.digest('base64url');
  }

  async *#bodyChunks(): AsyncGenerator<Buffer> {
    for (;;) {
      this.send({ is: 'ready' });
      await this.#waitFor(() => this.#arrived !== undefined);
      const order = this.#arrived;
      this.#arrived = undefined;
      if (order?.is === 'broken') throw cutBody();
      if (order?.is !== 'chunk') return;
      yield Buffer.from(order.chunk.buffer, order.chunk.byteOffset, order.chunk.byteLength);
    }
  }

  #note(order: ReadingOrder): void {
    if (order.is === 'known') for (const hash of order.hashes) this.known.add(hash);
    else if (order.is === 'taken') this.#batchesAhead -= 1;
    else this.#arrived = order;
    this.#wake();
  }

  async #waitFor(condition: () => boolean): Promise<void> {
    while (!condition()) {
      if (this.#isClosed) throw cutBody();
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

/** The serving thread replaces this message with the cause. */
function cutBody(): AppError {
  return new AppError('invalid_header', 'The connection ended before the body did.');
}

export function fileTooLarge(bytesMax: number): AppError {
  const message = `An atomic import can be at most ${bytesMax} bytes; send several files, or omit atomic=true.`;
  return new AppError('payload_too_large', message);
}
