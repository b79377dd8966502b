import type { IncomingMessage } from 'node:http';

/** A chunk costs as much as a kilobyte: beyond so many of them they must have so many bytes on average. */
const CHUNKS_FREE = 1_000;
export const CHUNK_BYTES_MIN = 16;

/**
 * Watches the chunks of a body as the parser hands them over (RFC 9112 §7.1). It does so with all that came in one piece from
 * the connection, ten thousand of them, before anybody can look at the body. What comes after `onTooSmall` is thrown away.
 */
export function limitChunks(incoming: IncomingMessage, onTooSmall: () => void): void {
  const push = incoming.push.bind(incoming);
  let count = 0;
  let bytes = 0;
  let isRefused = false;
  incoming.push = (chunk: Buffer | null) => {
    if (isRefused) return true;
    if (chunk === null) return push(chunk);
    count += 1;
    bytes += chunk.length;
    isRefused = count > CHUNKS_FREE && bytes < count * CHUNK_BYTES_MIN;
    if (!isRefused) return push(chunk);
    onTooSmall();
    return true;
  };
}
