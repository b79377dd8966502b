import type { MakeBody } from './transport.ts';

/** Bytes as they are read, from their beginning each time, if that can be. */
type Open = () => AsyncIterable<Uint8Array>;

/** What the service takes with `atomic=true`, and what is kept here so that it can be sent again. */
const WHOLE_BYTES_MAX = 64 * 1024 * 1024;

/** Sent as it is read. While the source is slow, nobody waits for the service. An error of the source ends the request. */
export function toBody(open: Open): MakeBody {
  return (watch) => {
    const chunks = open()[Symbol.asyncIterator]();
    const { signal } = watch;
    // Whatever ends the request, also its reply, ends the source: Node.js would go on reading it.
    // An error while it closes comes after the one that is told.
    signal.addEventListener('abort', () => chunks.return?.().catch(() => {}));
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          watch.rest();
          try {
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

/** Read before it is sent, and then the same for each try. @throws {RangeError} above 64 MiB */
export function toWholeBody(open: Open): MakeBody {
  let reading: Promise<Blob> | undefined;
  return async () => {
    reading ??= readWhole(open());
    return { body: await reading };
  };
}

async function readWhole(chunks: AsyncIterable<Uint8Array>): Promise<Blob> {
  const kept: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > WHOLE_BYTES_MAX) throw new RangeError('An atomic import has at most 64 MiB. Leave atomic out.');
    kept.push(new Uint8Array(chunk));
  }
  return new Blob(kept);
}
