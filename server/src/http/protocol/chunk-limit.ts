import type { IncomingMessage } from 'node:http';

/** A chunk takes as long to process as 1 KiB of data. After this many, their average size must reach the minimum. */
const CHUNKS_FREE = 1_000;
export const CHUNK_BYTES_MIN = 16;

/**
 * Limits the chunks of a body (RFC 9112 §7.1). Counts them in `push`, because the parser passes on up to ten thousand
 * chunks from one read before other code runs. After `onTooSmall` is called, further chunks are discarded.
 */
export function limitChunks(incoming: IncomingMessage, onTooSmall: () => void): void {
  const push = incoming.push.bind(incoming);
  let count = 0;
  let bytes = 0;
  let isRejected = false;
  incoming.push = (chunk: Buffer | null) => {
    if (isRejected) return true;
    if (chunk === null) return push(chunk);
    count += 1;
    bytes += chunk.length;
    isRejected = count > CHUNKS_FREE && bytes < count * CHUNK_BYTES_MIN;
    if (!isRejected) return push(chunk);
    onTooSmall();
    return true;
  };
}
