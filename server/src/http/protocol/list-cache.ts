import { LRUCache } from 'lru-cache';
import { ReadyBody } from './ready-body.ts';
import type { Reply } from './reply.ts';

/** The total of a process's cached responses, with their keys and compressed forms. */
const CACHE_BYTES_MAX = 32 * 1024 * 1024;
/** Longer lists are seldom requested twice in a row. */
const CACHED_BYTES_MAX = 64 * 1024;
/** Lists that were requested once. They are cached at the second request: most searches differ. */
const ONCE_MAX = 10_000;
/** JSON of listings shrinks to less than half, in each of two encodings. */
const SIZE_WITH_COMPRESSED = 2;

/**
 * The latest short lists. A list's ETag names its account, sequence, and query, so an entry is never
 * stale: a change to the account changes the ETag of every later request.
 */
export class ListCache {
  readonly #replies = new LRUCache<string, Reply & { body: ReadyBody }>({
    maxSize: CACHE_BYTES_MAX,
    sizeCalculation: ({ body }, key) => key.length + SIZE_WITH_COMPRESSED * body.bytes.length,
  });

  readonly #requestedOnce = new LRUCache<string, true>({ max: ONCE_MAX });

  find(key: string): Reply | undefined {
    return this.#replies.get(key);
  }

  /** Stores a response if it is short and was requested before. Returns it ready to send. */
  add(key: string, etag: string, reply: Reply): Reply {
    const { body } = reply;
    if (!this.#requestedOnce.has(etag)) {
      this.#requestedOnce.set(etag, true);
      return reply;
    }
    if (typeof body !== 'string' || Buffer.byteLength(body) > CACHED_BYTES_MAX) return reply;
    const ready = { ...reply, body: new ReadyBody(body) };
    this.#replies.set(key, ready);
    return ready;
  }
}
