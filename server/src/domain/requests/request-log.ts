import { coalesce, settleWithin } from '../../lib/coalesce.ts';
import { RANDOM_LENGTH, randomWord } from '../../lib/ids.ts';
import {
  firstBlockIdAt,
  type LoggedRequest,
  periodOf,
  type Retention,
  toStoredRequest,
} from '../../model/request-log.ts';
import type { LogDatabase } from '../../storage/database.ts';
import { insertRequestBlock, type RequestBlock } from '../../storage/request-blocks.ts';

/** A block is small enough to be parsed in about a millisecond. */
const BLOCK_BYTES_MAX = 128 * 1024;
const BLOCK_BYTES_MIN = 1_024;
/** A request takes about 250 bytes, so this is a second of a very busy service. Further requests are lost. */
const WAITING_BYTES_MAX = 16 * 1024 * 1024;
/** Blocks per transaction. */
const WRITE_LENGTH = 50;
/** A read then lacks the requests of the last second. */
const READ_WAIT_MS = 2_000;
/** Maximum UTF-8 bytes per UTF-16 code unit. */
const UTF8_BYTES_MAX = 3;

/** The brackets of a block, or the comma before a request. */
const BRACKETS_LENGTH = 2;

/** A block that is not stored yet. In bytes, because the garbage collector would copy texts repeatedly. */
interface OpenBlock {
  accountId: string;
  period: number;
  buffer: Buffer;
  length: number;
  count: number;
  failures: number;
}

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

  record(accountId: string, request: LoggedRequest): void {
    if (!this.isOn) return;
    if (this.#waitingBytes > WAITING_BYTES_MAX) {
      this.#lost += 1;
      return;
    }
    const period = periodOf(request.at);
    const line = toStoredRequest(request, period);
    const block = this.#blockFor(accountId, period, line.length * UTF8_BYTES_MAX + BRACKETS_LENGTH);
    const start = block.length;
    block.length += block.buffer.write(block.count === 0 ? `[${line}` : `,${line}`, start);
    block.count += 1;
    if (request.status !== null && request.status >= 400) block.failures += 1;
    this.#waitingBytes += block.length - start;
  }

  /** Writes the waiting requests. Those that cannot be written are lost. Never rejects. */
  readonly flush = coalesce(() => this.#flush());

  /** Writes the waiting requests for a read, unless that takes too long. */
  flushForRead(): Promise<void> {
    return settleWithin(READ_WAIT_MS, this.flush());
  }

  /** The account's open block with room for `bytes` more. */
  #blockFor(accountId: string, period: number, bytes: number): OpenBlock {
    let block = this.#open.get(accountId);
    if (block === undefined || block.period !== period || block.length + bytes > BLOCK_BYTES_MAX) {
      if (block !== undefined) this.#closed.push(block);
      const buffer = Buffer.allocUnsafeSlow(Math.max(BLOCK_BYTES_MIN, bytes));
      block = { accountId, period, buffer, length: 0, count: 0, failures: 0 };
      this.#open.set(accountId, block);
    } else if (block.length + bytes > block.buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(2 * block.buffer.length, block.length + bytes));
      block.buffer.copy(larger, 0, 0, block.length);
      block.buffer = larger;
    }
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
        for (const { count } of blocks) lost += count;
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

function toStored({ period, buffer, length, failures }: OpenBlock): RequestBlock {
  const end = length + buffer.write(']', length);
  return { id: firstBlockIdAt(period) + randomWord(RANDOM_LENGTH), requests: buffer.subarray(0, end), failures };
}
