import { PassThrough } from 'node:stream';
import { AppError } from '../../model/errors.ts';
import { SILENCE_MAX_MS, sendContinue } from '../protocol/body.ts';
import type { Exchange } from '../protocol/exchange.ts';

/** `UploadGate` limits concurrent uploads, so each one must keep a minimum speed after its first minute. */
const SLOW_START_MS = 60_000;
const WINDOW_MS = 30_000;
const WINDOW_BYTES_MIN = 30 * 1024;

/** @throws {AppError} `request_timeout` for a slow body, `invalid_header` if cut off, or the reason of `signal` */
export async function* readUpload({ incoming, outgoing }: Exchange, signal: AbortSignal): AsyncGenerator<Buffer> {
  const body = new PassThrough();
  const pace = new Pace((error) => body.destroy(error));
  incoming.on('data', onData).on('error', onAbort).on('close', onAbort);
  signal.addEventListener('abort', onSignal);
  if (signal.aborted) onSignal();
  sendContinue(incoming, outgoing);
  try {
    for await (const chunk of incoming.pipe(body)) {
      pace.hold();
      yield chunk;
      pace.await();
    }
  } finally {
    pace.end();
    signal.removeEventListener('abort', onSignal);
    incoming.off('data', onData).off('close', onAbort);
    // Discards the rest of the body, so it does not delay the response.
    incoming.unpipe(body).resume();
  }

  function onData(chunk: Buffer): void {
    pace.note(chunk.length);
  }

  function onAbort(): void {
    if (!incoming.complete) body.destroy(new AppError('invalid_header', 'The connection ended before the body did.'));
  }
  function onSignal(): void {
    body.destroy(signal.reason);
  }
}

/** Measures the speed of a body, excluding the time of backpressure. */
class Pace {
  readonly #onSlow: (error: AppError) => void;
  #silence: NodeJS.Timeout | undefined;
  #window: NodeJS.Timeout;
  #windowBytes = 0;
  #heldMs = 0;
  #heldSinceMs: number | undefined;

  constructor(onSlow: (error: AppError) => void) {
    this.#onSlow = onSlow;
    this.#silence = this.#waitForBytes();
    this.#window = setTimeout(() => this.#startWindow(), SLOW_START_MS);
  }

  note(bytes: number): void {
    this.#windowBytes += bytes;
    this.#silence = this.#waitForBytes();
  }

  /** Backpressure begins. */
  hold(): void {
    this.#heldSinceMs = performance.now();
  }

  /** Backpressure ends. */
  await(): void {
    if (this.#heldSinceMs !== undefined) this.#heldMs += performance.now() - this.#heldSinceMs;
    this.#heldSinceMs = undefined;
    this.#silence = this.#waitForBytes();
  }

  end(): void {
    clearTimeout(this.#silence);
    clearTimeout(this.#window);
  }

  #waitForBytes(): NodeJS.Timeout {
    clearTimeout(this.#silence);
    return setTimeout(() => this.#judgeSilence(), SILENCE_MAX_MS);
  }

  #judgeSilence(): void {
    if (this.#heldSinceMs === undefined) this.#onSlow(tooSlow('No data arrived for too long; send the file again.'));
    else this.#silence = this.#waitForBytes();
  }

  #startWindow(): void {
    this.#windowBytes = 0;
    this.#heldMs = 0;
    if (this.#heldSinceMs !== undefined) this.#heldSinceMs = performance.now();
    this.#window = setTimeout(() => this.#judgeWindow(), WINDOW_MS);
  }

  #judgeWindow(): void {
    const heldMs = this.#heldMs + (this.#heldSinceMs === undefined ? 0 : performance.now() - this.#heldSinceMs);
    const bytesMin = WINDOW_BYTES_MIN * (1 - heldMs / WINDOW_MS);
    if (this.#windowBytes < bytesMin) this.#onSlow(tooSlow(TOO_SLOW));
    else this.#startWindow();
  }
}

const TOO_SLOW =
  'The body was too slow: after its first minute it must send 30 KiB every 30 seconds. Send the file again, over a ' +
  'faster connection or in parts.';

function tooSlow(message: string): AppError {
  return new AppError('request_timeout', message);
}
