import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { AppError } from '../../model/errors.ts';
import { HTTP_1_0_IMPORT_MESSAGE } from '../contract/errors/requests.ts';
import type { Exchange } from './exchange.ts';
import type { Reply } from './reply.ts';

/** The most output that is kept for a slow reader; beyond this, the work waits. */
const HELD_BYTES_MAX = 64 * 1024;
/** Without this limit, a client that sends its whole body before it reads the response would wait forever. */
const WAIT_MAX_MS = 30_000;

/**
 * Sends each line of an import's response as soon as it is written. If the import fails before the first line, the
 * client gets an error response; a later error cuts off the connection.
 * @throws {AppError} `http_version_not_supported` before the work begins, because `requireSendable` is called too late
 */
export async function streamLines(
  { incoming }: Pick<Exchange, 'incoming'>,
  mediaType: string,
  work: (write: (line: string) => Promise<void>) => Promise<void>,
): Promise<Reply> {
  if (incoming.httpVersionMinor === 0) throw new AppError('http_version_not_supported', HTTP_1_0_IMPORT_MESSAGE);
  const lines = new PassThrough({ encoding: 'utf8', highWaterMark: HELD_BYTES_MAX });
  // The reader of `lines` reports errors.
  lines.on('error', () => {});
  const begun = Promise.withResolvers<void>();
  const working = work(async (line) => {
    const hasRoom = lines.write(line);
    begun.resolve();
    if (!hasRoom) await waitForRoom(lines);
  });
  working.then(
    () => lines.end(),
    (error) => lines.destroy(error),
  );
  await Promise.race([begun.promise, working]);
  return { status: 200, headers: { 'Content-Type': mediaType }, body: lines, isCompressible: true };
}

/** @throws {AppError} `request_timeout` if the client does not read in time or leaves */
async function waitForRoom(lines: PassThrough): Promise<void> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), WAIT_MAX_MS);
  const stop = () => over.abort();
  lines.once('close', stop);
  try {
    await once(lines, 'drain', { signal: over.signal });
  } catch {
    throw new AppError('request_timeout', 'The client did not read the response while it sent the file.');
  } finally {
    clearTimeout(timer);
    lines.off('close', stop);
  }
}
