import { coalesce, settleWithin } from '../../lib/coalesce.ts';
import { RANDOM_LENGTH, randomWord } from '../../lib/ids.ts';
import { DAY_MS } from '../../lib/times.ts';
import {
  firstBlockIdAt,
  isInPeriod,
  type LoggedRequest,
  OMITTED,
  periodOf,
  type Retention,
  SIMILAR_MAX,
  type StoredRequest,
  toStoredRequest,
} from '../../model/request-log.ts';
import { hasUsedKeys } from '../../storage/api-keys.ts';
import type { Database, Executor, LogDatabase } from '../../storage/database.ts';
import { findCreation } from '../../storage/database-info.ts';
import { findOldestRequestBlock, insertRequestBlock, type RequestBlock } from '../../storage/request-blocks.ts';

/** A block is small enough to be parsed in about a millisecond. */
const BLOCK_BYTES_MAX = 128 * 1024;
/**
 * Maximum bytes of the requests that wait to be written. A request counts as about 350 bytes, so this is enough
 * for all requests that a very busy service receives in a second. Further requests are not logged.
 */
const WAITING_BYTES_MAX = 16 * 1024 * 1024;
/** Blocks per transaction. */
const WRITE_LENGTH = 50;
/** How long a read waits for a flush. If the flush takes longer, the requests of the last second may be missing. */
const READ_WAIT_MS = 2_000;
/**
 * How many requests are converted to bytes at a time, which is faster than converting each one. If they
 * waited longer as objects, the garbage collector would copy them repeatedly.
 */
const UNPACKED_MAX = 64;
/** Maximum bytes of a request without path, query, and error body, and of one character of those, such as \u0001. */
const MEMBERS_BYTES_MAX = 300;
const CHARACTER_BYTES_MAX = 6;

const TOO_MANY_REQUESTS = 429;

/** A block that is not stored yet. */
interface OpenBlock {
  accountId: string;
  period: number;
  parts: Buffer[];
  /** The bytes of `parts`. */
  length: number;
  /** The latest requests, which are not in `parts` yet, and the maximum number of bytes that they take. */
  unpacked: StoredRequest[];
  unpackedBytesMax: number;
  /** Requests that are not converted before the block is stored, because similar requests are counted in them. */
  counting: StoredRequest[];
  count: number;
  failures: number;
}

/** A key's reads with the same status, or its requests above the rate limit. */
interface Similar {
  keyId: string;
  status: number;
  /** How many of these requests have their own entry in the log. */
  logged: number;
  /** The request whose entry counts further similar requests; undefined while those still get their own entries. */
  counting: StoredRequest | undefined;
}

export type OnLoss = (count: number, cause: unknown) => void;

/**
 * Logs the requests of API keys. `record` only adds a request to memory, and `flush` writes blocks in
 * batches. If the log is full, slow, or damaged, requests are missing from it, but they are not delayed.
 */
export class RequestLog {
  /** Undefined if the log is off. */
  readonly retention: Retention | undefined;
  readonly #database: LogDatabase;
  readonly #onLoss: OnLoss;
  /** The open block of each account. */
  #open = new Map<string, OpenBlock>();
  #closed: OpenBlock[] = [];
  #waitingBytes = 0;
  #lost = 0;
  /** The groups of similar requests by key and status, for the current period. */
  readonly #similar = new Map<string, Map<number, Similar>>();
  #similarPeriod = 0;
  /** The group that was looked up last, cached because most requests are similar to the previous request. */
  #latest: Similar | undefined;

  constructor(database: LogDatabase, retention: Retention | undefined, onLoss: OnLoss) {
    this.#database = database;
    this.retention = retention;
    this.#onLoss = onLoss;
  }

  get isOn(): boolean {
    return this.retention !== undefined;
  }

  /** Opens and, if necessary, repairs the log. Never rejects: an error is reported when requests are lost. */
  async open(database: Database): Promise<void> {
    if (this.isOn) await this.#database.write((transaction) => markAsComplete(database, transaction)).catch(() => {});
  }

  /** Counts a request if the log has enough similar ones. @returns false if the request must be recorded instead */
  countInstead(keyId: string, method: string, status: number | null, at: number): boolean {
    const entry = this.#similarTo(keyId, method, status, at)?.counting;
    if (entry === undefined) return false;
    entry[OMITTED] = omittedIn(entry) + 1;
    return true;
  }

  record(accountId: string, request: LoggedRequest): void {
    if (!this.isOn) return;
    if (this.#waitingBytes > WAITING_BYTES_MAX) {
      this.#lost += 1;
      return;
    }
    const period = periodOf(request.at);
    const { path, query, errorBody } = request;
    const textLength = path.length + query.length + (errorBody?.length ?? 0);
    const bytesMax = MEMBERS_BYTES_MAX + textLength * CHARACTER_BYTES_MAX;
    const block = this.#blockFor(accountId, period, bytesMax);
    block.unpackedBytesMax += bytesMax;
    block.count += 1;
    if (request.status !== null && request.status >= 400) block.failures += 1;
    this.#waitingBytes += MEMBERS_BYTES_MAX + textLength;
    const stored = toStoredRequest(request, period);
    const similar = this.#similarTo(request.keyId, request.method, request.status, request.at);
    if (similar !== undefined) similar.logged += 1;
    if (similar !== undefined && similar.logged >= SIMILAR_MAX) {
      similar.counting = stored;
      block.counting.push(stored);
    } else if (block.unpacked.push(stored) === UNPACKED_MAX) pack(block);
  }

  /**
   * Returns undefined for requests that are always recorded: changes, errors other than 429, and requests without a
   * response.
   */
  #similarTo(keyId: string, method: string, status: number | null, at: number): Similar | undefined {
    const isRead = (method === 'GET' || method === 'HEAD') && status !== null && status < 400;
    if (!isRead && status !== TOO_MANY_REQUESTS) return undefined;
    if (!isInPeriod(at, this.#similarPeriod)) {
      this.#similar.clear();
      this.#latest = undefined;
      this.#similarPeriod = periodOf(at);
    }
    if (this.#latest?.status !== status || this.#latest.keyId !== keyId) {
      // The maps are nested, because a combined key would be a new string that is hashed for every request.
      this.#latest = this.#similar.get(keyId)?.get(status) ?? this.#addSimilar(keyId, status);
    }
    return this.#latest;
  }

  #addSimilar(keyId: string, status: number): Similar {
    const similar: Similar = { keyId, status, logged: 0, counting: undefined };
    const ofKey = this.#similar.get(keyId) ?? new Map<number, Similar>();
    this.#similar.set(keyId, ofKey.set(status, similar));
    return similar;
  }

  /** Writes the waiting requests. Those that cannot be written are lost. Never rejects. */
  readonly flush = coalesce(() => this.#flush());

  /** Writes the waiting requests before a read. Stops waiting if writing takes too long. */
  flushForRead(): Promise<void> {
    return settleWithin(READ_WAIT_MS, this.flush());
  }

  #blockFor(accountId: string, period: number, bytes: number): OpenBlock {
    const open = this.#open.get(accountId);
    if (open !== undefined) {
      if (open.period === period && open.length + open.unpackedBytesMax + bytes <= BLOCK_BYTES_MAX) return open;
      this.#closed.push(open);
    }
    const requests = { parts: [], length: 0, unpacked: [], unpackedBytesMax: 0, counting: [] };
    const block = { accountId, period, ...requests, count: 0, failures: 0 };
    this.#open.set(accountId, block);
    return block;
  }

  async #flush(): Promise<void> {
    const waiting = [...this.#closed, ...this.#open.values()];
    this.#closed = [];
    this.#open = new Map();
    this.#waitingBytes = 0;
    // Further requests cannot be counted in entries that are being written.
    for (const ofKey of this.#similar.values()) for (const similar of ofKey.values()) similar.counting = undefined;
    let cause: unknown;
    let lost = this.#lost;
    this.#lost = 0;
    while (waiting.length > 0) {
      const blocks = waiting.splice(0, WRITE_LENGTH);
      try {
        await this.#write(blocks);
      } catch (error) {
        cause = error;
        for (const { count, counting } of blocks)
          lost += counting.reduce((sum, entry) => sum + omittedIn(entry), count);
      }
    }
    if (lost > 0) this.#onLoss(lost, cause);
  }

  #write(blocks: OpenBlock[]): Promise<void> {
    const rows = blocks.map((block) => ({ accountId: block.accountId, ...toStored(block) }));
    return this.#database.write(async (transaction) => {
      for (const row of rows) await insertRequestBlock(transaction, row);
    });
  }
}

/**
 * If the database is new and no key has been used, adds an empty block with the time when the database was created.
 * `usage` then knows that the log has all requests since that time, even if an account is older than the first request.
 */
async function markAsComplete(database: Database, transaction: Pick<Executor, 'execute'>): Promise<void> {
  if (await hasUsedKeys(database, 0)) return;
  const [oldest, creation] = [await findOldestRequestBlock(transaction), await findCreation(database)];
  if (oldest !== undefined || creation === undefined || creation.createdAt < Date.now() - DAY_MS) return;
  const id = newBlockId(periodOf(creation.createdAt));
  await insertRequestBlock(transaction, { accountId: '', id, requests: Buffer.from('[]'), failures: 0 });
}

function newBlockId(period: number): string {
  return firstBlockIdAt(period) + randomWord(RANDOM_LENGTH);
}

function omittedIn(entry: StoredRequest): number {
  return entry[OMITTED] ?? 0;
}

function pack(block: OpenBlock): void {
  const { parts, unpacked } = block;
  const requests = JSON.stringify(unpacked).slice(1, -1);
  const part = Buffer.from((parts.length === 0 ? '[' : ',') + requests);
  parts.push(part);
  block.length += part.length;
  block.unpacked = [];
  block.unpackedBytesMax = 0;
}

const END = Buffer.from(']');

function toStored(block: OpenBlock): RequestBlock {
  const { period, parts, unpacked, counting, failures } = block;
  unpacked.push(...counting);
  if (unpacked.length > 0) pack(block);
  const requests = Buffer.concat([...parts, END]);
  return { id: newBlockId(period), requests, failures };
}
