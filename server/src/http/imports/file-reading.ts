import type { MessagePort } from 'node:worker_threads';
import type { ImportRow } from '../../domain/import-rows.ts';
import { AppError, fromPlainError } from '../../model/errors.ts';
import type { ReadingOrder, ReadingReport, ReadRow } from './reading.ts';
import { toImportRow } from './to-import-row.ts';

interface Batch {
  rows: ReadRow[];
  bytes: number;
}

/** A file that a thread reads: gives it the bytes that come, and takes its rows. */
export class FileReading {
  readonly #port: MessagePort;
  readonly #onClose: () => void;
  readonly #batches: Batch[] = [];
  #end: { error: unknown } | 'end' | undefined;
  #bodyError: AppError | undefined;
  #wake: () => void = () => {};
  /** What tells two files apart, once all rows have been read; only if it was asked for. */
  fingerprint: string | undefined;

  /** `onClose` is called once. */
  constructor(port: MessagePort, onClose: () => void) {
    this.#port = port;
    this.#onClose = onClose;
  }

  /**
   * The rows of the file whose bytes `open` gives, in batches.
   * @param onBytes told how many bytes each batch took when they were unpacked; what it throws ends the reading
   * @throws {AppError} what the bytes throw, and what is wrong with the file, after the rows before it and with its `line`;
   * `unavailable` if the thread has ended; why `signal` aborts, at once
   */
  async *rows(
    open: (signal: AbortSignal) => AsyncGenerator<Buffer>,
    signal: AbortSignal,
    onBytes: (bytes: number) => void = () => {},
  ): AsyncGenerator<ImportRow[]> {
    const over = new AbortController();
    const chunks = open(AbortSignal.any([signal, over.signal]));
    this.#port.on('message', (report: ReadingReport) => this.#note(report, chunks));
    this.#port.on('close', () => this.#finish({ error: threadEnded() }));
    const onAbort = () => this.#wake();
    signal.addEventListener('abort', onAbort);
    try {
      for (;;) {
        signal.throwIfAborted();
        const batch = this.#batches.shift();
        if (batch !== undefined) {
          onBytes(batch.bytes);
          this.#tell({ is: 'taken' });
          yield batch.rows.map(toImportRow);
        } else if (this.#end === 'end') return;
        else if (this.#end !== undefined) throw this.#end.error;
        else await this.#change();
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      over.abort(new AppError('invalid_header', 'The rest of the body is not read.'));
      void chunks.return(undefined).catch(() => {});
    }
  }

  [Symbol.dispose](): void {
    this.#port.close();
    this.#onClose();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #note(report: ReadingReport, chunks: AsyncGenerator<Buffer>): void {
    if (report.is === 'hungry') return void this.#feed(chunks);
    if (report.is === 'batch') this.#batches.push(report);
    else if (report.is === 'end') this.#finish('end', report.fingerprint);
    else if (report.is === 'failed') this.#finish({ error: this.#explain(fromPlainError(report.error)) });
    else this.#finish({ error: new Error(`A thread that reads imports failed: ${report.stack}`) });
    this.#wake();
  }

  async #feed(chunks: AsyncGenerator<Buffer>): Promise<void> {
    try {
      const { value: chunk } = await chunks.next();
      if (chunk === undefined) return this.#tell({ is: 'end' });
      // Sockets read into a common buffer, all of which would be copied.
      const copy = new Uint8Array(chunk);
      this.#port.postMessage({ is: 'chunk', chunk: copy } satisfies ReadingOrder, [copy.buffer]);
    } catch (error) {
      if (!(error instanceof AppError)) return this.#finish({ error });
      this.#bodyError = error;
      this.#tell({ is: 'broken' });
    }
  }

  /** The thread knows at which line the body ended, and not why. */
  #explain(error: AppError): AppError {
    return this.#bodyError?.with(error.members) ?? error;
  }

  #finish(end: { error: unknown } | 'end', fingerprint?: string): void {
    this.#end ??= end;
    this.fingerprint ??= fingerprint;
    this.#wake();
  }

  #tell(order: ReadingOrder): void {
    this.#port.postMessage(order);
  }
}

function threadEnded(): AppError {
  const message = 'Reading the file was broken off; send it again. If it happens again, send it in parts.';
  return new AppError('unavailable', message, { headers: { 'Retry-After': '1' } });
}
