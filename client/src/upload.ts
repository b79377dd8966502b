import { pause } from './retry.ts';
import type { MakeBody } from './transport.ts';

/** Opens the source. If the source can be read again, each call starts at its beginning. */
type Open = () => AsyncIterable<Uint8Array>;

/**
 * How long to pause after the first chunk so that an early rejection can arrive. Writing to a connection that
 * the service has closed can discard the service's response (on Node.js 20, it always does).
 */
const PAUSE_MS = 100;

/** Atomic imports are buffered for retries up to this size, which is the service's limit. */
const ATOMIC_BYTES_MAX = 64 * 1024 * 1024;

/** Streams the source. The timeout pauses while the source is slow. An error in the source aborts the request. */
export function toBody(open: Open): MakeBody {
  return (watch) => {
    const chunks = open()[Symbol.asyncIterator]();
    const { signal } = watch;
    let sent = 0;
    // Close the source when the request or its response ends, because Node.js would continue to read it. An
    // error that occurs while closing must not hide the first error.
    signal.addEventListener('abort', () => chunks.return?.().catch(() => {}));
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          watch.rest();
          try {
            if (sent === 1) await pause(PAUSE_MS, signal);
            sent += 1;
            const { done, value } = await chunks.next();
            // A source closed by an abort looks finished; the service must not see a complete body.
            signal.throwIfAborted();
            if (done) controller.close();
            else controller.enqueue(value);
            watch.start();
          } catch (error) {
            watch.end(error);
            controller.error(error);
          }
        },
        async cancel() {
          await chunks.return?.();
        },
      },
      { highWaterMark: 0 },
    );
    return { body, duplex: 'half' };
  };
}

/** Buffers the source, so that every attempt sends the same bytes. @throws {RangeError} above the limit */
export function toWholeBody(open: Open, bytesMax = ATOMIC_BYTES_MAX): MakeBody {
  let reading: Promise<Blob> | undefined;
  return async ({ signal }) => {
    reading ??= readWhole(open(), bytesMax, signal);
    return { body: await untilAborted(reading, signal) };
  };
}

/** Rejects on abort even if the source is stuck. */
function untilAborted<T>(working: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    working.then(resolve, reject);
  });
}

async function readWhole(chunks: AsyncIterable<Uint8Array>, bytesMax: number, signal: AbortSignal): Promise<Blob> {
  const copies: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    length += chunk.length;
    if (length > bytesMax) throw new RangeError('An atomic import is limited to 64 MiB. Split it, or omit atomic.');
    copies.push(new Uint8Array(chunk));
  }
  return new Blob(copies);
}
