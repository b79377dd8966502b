import { randomUUID } from 'node:crypto';
import { coalesce, settleWithin } from '../../lib/coalesce.ts';
import { AppError } from '../../model/errors.ts';
import { type KeyPrincipal, setLastUsed } from '../../storage/api-keys.ts';
import type { Database, Executor } from '../../storage/database.ts';
import {
  addKeyHour,
  beginKeyUseBatch,
  findKeyHours,
  type KeyHour,
  removeKeyHours,
  removeKeyUseBatches,
} from '../../storage/key-hours.ts';

const HOUR_MS = 3_600_000;
/** Hours that the dashboard shows, including the current one. */
const HOURS_SHOWN = 24;

/** The start of the first hour shown, in UTC milliseconds. */
export function firstHourShown(now = Date.now()): number {
  return hourOf(now) - (HOURS_SHOWN - 1) * HOUR_MS;
}

function hourOf(timeMs: number): number {
  return timeMs - (timeMs % HOUR_MS);
}

type UsedKey = Pick<KeyPrincipal, 'keyId' | 'accountId'>;

interface Use extends KeyHour {
  accountId: string;
  lastUsedAt: number;
}

/** Uses per transaction. Writing them takes a few milliseconds. */
const FLUSH_LENGTH = 500;

/** How long a read waits for a flush. If the flush takes longer, the uses of the last few seconds may be missing. */
const READ_WAIT_MS = 500;

/** The uses written in one transaction. The number prevents double counting if the batch is written again. */
interface Batch {
  number: number;
  uses: Use[];
}

/** Counts the use of keys, and writes the counts in batches, so that no request waits for a write. */
export class KeyUse {
  readonly #database: Database;
  /** The start of the current hour. */
  #hour = 0;
  /** The uses in the current hour, by key. */
  #current = new Map<string, Use>();
  /** Uses from earlier hours and failed flushes, by key and hour. */
  readonly #kept = new Map<string, Use>();
  readonly #process = randomUUID();
  #lastNumber = 0;
  /** A batch whose commit had an unknown outcome. It is written again before other batches. */
  #unknown: Batch | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  countRequest(key: UsedKey): void {
    const now = Date.now();
    const use = this.#useOf(key, now);
    use.requests += 1;
    use.lastUsedAt = now;
  }

  /** Counts an error response to a request that has already been counted. */
  countError(key: UsedKey): void {
    this.#useOf(key, Date.now()).errors += 1;
  }

  /** Writes the uses. After an error, unwritten uses are left for the next flush. */
  readonly flush = coalesce(() => this.#flush());

  /** Writes the uses before a read that shows them. Stops waiting if writing takes too long. */
  flushForRead(): Promise<void> {
    return settleWithin(READ_WAIT_MS, this.flush());
  }

  async #flush(): Promise<void> {
    this.#endHour();
    // All processes use the same order, so they do not deadlock.
    const waiting = [...this.#kept.values()].sort((one, other) => (one.keyId < other.keyId ? -1 : 1));
    this.#kept.clear();
    try {
      if (this.#unknown !== undefined) await this.#write(this.#unknown);
      while (waiting.length > 0) {
        this.#lastNumber += 1;
        await this.#write({ number: this.#lastNumber, uses: waiting.splice(0, FLUSH_LENGTH) });
      }
    } catch (error) {
      for (const use of waiting) this.#keep(use);
      throw error;
    }
  }

  async #write(batch: Batch): Promise<void> {
    const { number, uses } = batch;
    try {
      await this.#database.write(async (transaction) => {
        const isNew = await beginKeyUseBatch(transaction, { process: this.#process, number, writtenAt: Date.now() });
        if (isNew) for (const use of uses) await writeUse(transaction, use);
      });
      this.#unknown = undefined;
    } catch (error) {
      if (error instanceof AppError && error.code === 'outcome_unknown') this.#unknown = batch;
      else if (batch !== this.#unknown) for (const use of uses) this.#keep(use);
      throw error;
    }
  }

  #useOf({ keyId, accountId }: UsedKey, now: number): Use {
    if (now < this.#hour || now >= this.#hour + HOUR_MS) {
      this.#endHour();
      this.#hour = hourOf(now);
    }
    let use = this.#current.get(keyId);
    if (use === undefined) {
      use = { accountId, keyId, hour: this.#hour, requests: 0, errors: 0, lastUsedAt: now };
      this.#current.set(keyId, use);
    }
    return use;
  }

  #endHour(): void {
    for (const use of this.#current.values()) this.#keep(use);
    this.#current = new Map();
  }

  #keep(use: Use): void {
    const name = `${use.keyId} ${use.hour}`;
    const kept = this.#kept.get(name);
    if (kept === undefined) {
      this.#kept.set(name, use);
      return;
    }
    kept.requests += use.requests;
    kept.errors += use.errors;
    kept.lastUsedAt = Math.max(kept.lastUsedAt, use.lastUsedAt);
  }
}

async function writeUse(transaction: Executor, { accountId, lastUsedAt, ...hour }: Use): Promise<void> {
  await setLastUsed(transaction, accountId, hour.keyId, lastUsedAt);
  await addKeyHour(transaction, accountId, hour);
}

export async function sumKeyUse({ scans }: Database, accountId: string) {
  const hours = await findKeyHours(scans, accountId, firstHourShown());
  const sums = new Map<string, { requests: number; errors: number }>();
  for (const { keyId, requests, errors } of hours) {
    const sum = sums.get(keyId) ?? { requests: 0, errors: 0 };
    sums.set(keyId, { requests: sum.requests + requests, errors: sum.errors + errors });
  }
  return sums;
}

/** Rows per transaction. Removing them takes less than a millisecond. */
const PURGE_LENGTH = 200;

export async function purgeKeyUse(database: Database, now: number, signal: AbortSignal): Promise<void> {
  const before = firstHourShown(now);
  let removed = PURGE_LENGTH;
  while (removed === PURGE_LENGTH && !signal.aborted) {
    removed = await database.write((transaction) => removeKeyHours(transaction, before, PURGE_LENGTH));
  }
  await database.write((transaction) => removeKeyUseBatches(transaction, before));
}
