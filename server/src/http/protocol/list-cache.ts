import { LRUCache } from 'lru-cache';
import { ReadyBody } from './ready-body.ts';
import type { Reply } from './reply.ts';

/** The maximum total size of a process's cached responses, including their keys and compressed forms. */
const CACHE_BYTES_MAX = 32 * 1024 * 1024;
/** Longer lists are seldom requested twice in a row. */
const CACHED_BYTES_MAX = 64 * 1024;
/** Lists remembered as requested once. A list is cached at its second request, because most searches differ. */
const ONCE_MAX = 10_000;
/** The JSON of listings is compressed to less than half its size, in each of two encodings. */
const SIZE_WITH_COMPRESSED = 2;

/** The latest short lists. An entry is never stale: its key has an ETag that changes with the account's data. */
export class ListCache {
  readonly #replies = new LRUCache<string, Reply & { body: ReadyBody }>({
    maxSize: CACHE_BYTES_MAX,
    sizeCalculation: ({ body }, key) => key.length + SIZE_WITH_COMPRESSED * body.bytes.length,
  });

  readonly #requestedOnce = new LRUCache<string, true>({ max: ONCE_MAX });

  find(key: string): Reply | undefined {
    return this.#replies.get(key);
  }

  /** Stores a short list at its second request, and returns it ready to send; otherwise, returns it unchanged. */
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
