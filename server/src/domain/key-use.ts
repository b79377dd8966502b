import { randomUUID } from 'node:crypto';
import { AppError } from '../model/errors.ts';
import { type KeyPrincipal, setLastUsed } from '../storage/api-keys.ts';
import type { Database, Executor } from '../storage/database.ts';
import {
  addKeyHour,
  beginKeyUseBatch,
  findKeyHours,
  type KeyHour,
  removeKeyHours,
  removeKeyUseBatches,
} from '../storage/key-hours.ts';

const HOUR_MS = 3_600_000;
/** So many hours are told of: the one that runs and those before it. */
const HOURS_TOLD = 24;

/** When the first of the hours began that are told of, in UTC milliseconds. */
export function firstHourTold(): number {
  return hourOf(Date.now()) - (HOURS_TOLD - 1) * HOUR_MS;
}

function hourOf(timeMs: number): number {
  return timeMs - (timeMs % HOUR_MS);
}

type UsedKey = Pick<KeyPrincipal, 'keyId' | 'accountId'>;

/** How a key was used in an hour. */
interface Use extends KeyHour {
  accountId: string;
  lastUsedAt: number;
}

/** So many uses are written in one transaction: a few milliseconds. */
const FLUSH_LENGTH = 500;

/** What is written in one transaction. With its number it is counted once, however often it is handed in. */
interface Batch {
  number: number;
  uses: Use[];
}

/** Gathers when keys were used and how often, and writes it in batches: never on a request's path. */
export class KeyUse {
  readonly #database: Database;
  /** When the hour began that is counted. */
  #hour = 0;
  /** Its uses, by key. */
  #current = new Map<string, Use>();
  /** What else is not written yet, by key and hour. */
  readonly #kept = new Map<string, Use>();
  readonly #process = randomUUID();
  #lastNumber = 0;
  /** Handed in, and its commit not answered: it is handed in again, before anything else. */
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

  /** Notes that a request, which was counted before, is answered with an error. */
  countError(key: UsedKey): void {
    this.#useOf(key, Date.now()).errors += 1;
  }

  /** Writes what was gathered; on an error what is not written yet is kept for the next time. */
  async flush(): Promise<void> {
    this.#endHour();
    // In the same order in every process: else two that write at once could wait for each other.
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

/** How often each of the account's keys was used in the hours that are told of. */
export async function sumKeyUse({ scans }: Database, accountId: string) {
  const hours = await findKeyHours(scans, accountId, firstHourTold());
  const sums = new Map<string, { requests: number; errors: number }>();
  for (const { keyId, requests, errors } of hours) {
    const sum = sums.get(keyId) ?? { requests: 0, errors: 0 };
    sums.set(keyId, { requests: sum.requests + requests, errors: sum.errors + errors });
  }
  return sums;
}

/** So many are removed in one transaction: less than a millisecond. */
const PURGE_LENGTH = 200;

/** Removes what nobody is told of any more, until `signal` aborts. */
export async function purgeKeyUse(database: Database, signal: AbortSignal): Promise<void> {
  const before = firstHourTold();
  let removed = PURGE_LENGTH;
  while (removed === PURGE_LENGTH && !signal.aborted) {
    removed = await database.write((transaction) => removeKeyHours(transaction, before, PURGE_LENGTH));
  }
  await database.write((transaction) => removeKeyUseBatches(transaction, before));
}
