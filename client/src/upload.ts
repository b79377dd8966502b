import { pause } from './retry.ts';
import type { MakeBody } from './transport.ts';

/** Bytes as they are read, from their beginning each time, if that can be. */
type Open = () => AsyncIterable<Uint8Array>;

/**
 * After the first piece, so that a refusal can come: a connection that is written to when the service has closed it loses
 * its reply on Node.js 20, and any machine may lose it.
 */
const PAUSE_MS = 100;

/** What the service takes with `atomic=true`, and what is kept here so that it can be sent again. */
const ATOMIC_BYTES_MAX = 64 * 1024 * 1024;

/** Sent as it is read. While the source is slow, nobody waits for the service. An error of the source ends the request. */
export function toBody(open: Open): MakeBody {
  return (watch) => {
    const chunks = open()[Symbol.asyncIterator]();
    const { signal } = watch;
    let pieces = 0;
    // Whatever ends the request, also its reply, ends the source: Node.js would go on reading it.
    // An error while it closes comes after the one that is told.
    signal.addEventListener('abort', () => chunks.return?.().catch(() => {}));
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          watch.rest();
          try {
            if (pieces === 1) await pause(PAUSE_MS, signal);
            pieces += 1;
            const { done, value } = await chunks.next();
            // A source that was ended here has not come to its end: the service must not believe so.
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

/** Read before it is sent, and then the same for each try. @throws {RangeError} above the limit of atomic imports */
export function toWholeBody(open: Open, bytesMax = ATOMIC_BYTES_MAX): MakeBody {
  let reading: Promise<Blob> | undefined;
  return async ({ signal }) => {
    reading ??= readWhole(open(), bytesMax, signal);
    return { body: await untilAborted(reading, signal) };
  };
}

/** A source that says nothing does not hold back who has given up. */
function untilAborted<T>(working: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    working.then(resolve, reject);
  });
}

async function readWhole(chunks: AsyncIterable<Uint8Array>, bytesMax: number, signal: AbortSignal): Promise<Blob> {
  const kept: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    length += chunk.length;
    if (length > bytesMax) throw new RangeError('An atomic import has at most 64 MiB. Leave atomic out.');
    kept.push(new Uint8Array(chunk));
  }
  return new Blob(kept);
}
