import { coalesce, settleWithin } from '../../lib/coalesce.ts';
import { RANDOM_LENGTH, randomWord } from '../../lib/ids.ts';
import {
  firstBlockIdAt,
  LOGGED_READS_MAX,
  type LoggedRequest,
  periodOf,
  type Retention,
  type StoredRequest,
  toStoredRequest,
} from '../../model/request-log.ts';
import type { LogDatabase } from '../../storage/database.ts';
import { insertRequestBlock, type RequestBlock } from '../../storage/request-blocks.ts';

/** A block is small enough to be parsed in about a millisecond. */
const BLOCK_BYTES_MAX = 128 * 1024;
/** A request takes about 250 bytes, so this is a second of a very busy service. Further requests are lost. */
const WAITING_BYTES_MAX = 16 * 1024 * 1024;
/** Blocks per transaction. */
const WRITE_LENGTH = 50;
/** A read then lacks the requests of the last second. */
const READ_WAIT_MS = 2_000;
/**
 * Requests that become bytes together, which takes less time. Objects that wait longer would be copied repeatedly by
 * the garbage collector.
 */
const UNPACKED_MAX = 64;
/** The bytes of a request's other members, and the most bytes for a character of its texts, such as \u0001. */
const MEMBERS_BYTES_MAX = 300;
const CHARACTER_BYTES_MAX = 6;

/** A block that is not stored yet. */
interface OpenBlock {
  accountId: string;
  period: number;
  parts: Buffer[];
  /** The bytes of `parts`. */
  length: number;
  /** The latest requests, which are not in `parts` yet, and the most bytes that they take. */
  unpacked: StoredRequest[];
  unpackedBytesMax: number;
  count: number;
  failures: number;
  /** Successful reads of the period, also in its former blocks. */
  reads: number;
  /** Further ones, which are only counted. */
  omitted: number;
}

type Outcome = Pick<LoggedRequest, 'method' | 'status'>;

/** Reports requests that are missing from the log. */
export type OnLoss = (count: number, cause: unknown) => void;

/**
 * Logs the requests of API keys. `record` only adds to the memory, and `flush` writes blocks in
 * batches: if the log is full, slow, or damaged, requests are missing from it, and nothing waits.
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

  constructor(database: LogDatabase, retention: Retention | undefined, onLoss: OnLoss) {
    this.#database = database;
    this.retention = retention;
    this.#onLoss = onLoss;
  }

  get isOn(): boolean {
    return this.retention !== undefined;
  }

  /**
   * Opens the database before the first request, and repairs it if necessary. Never rejects: if that
   * fails, the first requests that are missing are reported.
   */
  async open(): Promise<void> {
    if (this.isOn) await this.#database.write(async () => {}).catch(() => {});
  }

  /** Whether a request that has just ended is only counted, instead of recorded. */
  omits(accountId: string, request: Outcome): boolean {
    const open = this.#open.get(accountId);
    if (open === undefined || open.reads < LOGGED_READS_MAX || !isSuccessfulRead(request)) return false;
    if (open.period !== periodOf(Date.now())) return false;
    open.omitted += 1;
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
    if (isSuccessfulRead(request)) block.reads += 1;
    this.#waitingBytes += MEMBERS_BYTES_MAX + textLength;
    if (block.unpacked.length === UNPACKED_MAX) pack(block);
    block.unpacked.push(toStoredRequest(request, period));
  }

  /** Writes the waiting requests. Those that cannot be written are lost. Never rejects. */
  readonly flush = coalesce(() => this.#flush());

  /** Writes the waiting requests for a read, unless that takes too long. */
  flushForRead(): Promise<void> {
    return settleWithin(READ_WAIT_MS, this.flush());
  }

  /** The account's open block with room for `bytes` more. */
  #blockFor(accountId: string, period: number, bytes: number): OpenBlock {
    const open = this.#open.get(accountId);
    let reads = 0;
    if (open !== undefined) {
      if (open.period === period && open.length + open.unpackedBytesMax + bytes <= BLOCK_BYTES_MAX) return open;
      if (open.period === period) ({ reads } = open);
      this.#closed.push(open);
    }
    const counts = { count: 0, failures: 0, reads, omitted: 0 };
    const block = { accountId, period, parts: [], length: 0, unpacked: [], unpackedBytesMax: 0, ...counts };
    this.#open.set(accountId, block);
    return block;
  }

  async #flush(): Promise<void> {
    const waiting = [...this.#closed, ...this.#open.values()];
    this.#closed = [];
    this.#open = new Map();
    this.#waitingBytes = 0;
    let cause: unknown;
    let lost = this.#lost;
    this.#lost = 0;
    while (waiting.length > 0) {
      const blocks = waiting.splice(0, WRITE_LENGTH);
      try {
        await this.#write(blocks);
      } catch (error) {
        cause = error;
        for (const { count, omitted } of blocks) lost += count + omitted;
      }
    }
    if (lost > 0) this.#onLoss(lost, cause);
  }

  #write(blocks: OpenBlock[]): Promise<void> {
    return this.#database.write(async (transaction) => {
      for (const block of blocks)
        await insertRequestBlock(transaction, { accountId: block.accountId, ...toStored(block) });
    });
  }
}

function isSuccessfulRead({ method, status }: Outcome): boolean {
  return (method === 'GET' || method === 'HEAD') && status !== null && status < 400;
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
  const { period, parts, unpacked, failures, omitted } = block;
  if (omitted > 0) unpacked.at(-1)?.push(omitted);
  pack(block);
  const requests = Buffer.concat([...parts, END]);
  return { id: firstBlockIdAt(period) + randomWord(RANDOM_LENGTH), requests, failures };
}
