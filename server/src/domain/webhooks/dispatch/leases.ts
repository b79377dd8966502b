import { hash } from 'node:crypto';
import { randomWord } from '../../../lib/ids.ts';
import type { Database, Executor } from '../../../storage/database.ts';
import { insertLease, type Lease, listLeases, removeLease, renewLeases } from '../../../storage/webhook-leases.ts';

/** Accounts are divided into this many shards. For each shard, one process sends the webhooks. */
const SHARDS = 16;
/** A process loses its shards when its beat, as seen by another process, has not changed for this long. */
const SILENCE_MAX_MS = 8_000;
/** A process that cannot renew its leases stops sending after this time, before another process takes over. */
const RENEWAL_MAX_MS = 7_000;

interface Seen extends Lease {
  sinceMs: number;
}

/** Processes do not compare clocks: a process holds a lease while it keeps increasing the lease's beat. */
export class Leases {
  readonly owner = randomWord(16);
  readonly #database: Database;
  readonly #shards = new Set<string>();
  #seen = new Map<string, Seen>();
  #beat = 0;
  #renewedMs = Number.NEGATIVE_INFINITY;
  #processes = 1;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Whether no other process sends webhooks. */
  get isAlone(): boolean {
    return this.#processes <= 1;
  }

  get isEmpty(): boolean {
    return this.#shards.size === 0;
  }

  owns(accountId: string): boolean {
    return performance.now() - this.#renewedMs < RENEWAL_MAX_MS && this.#shards.has(shardOf(accountId));
  }

  /** Renews the leases, takes those of processes that have ended, and leaves other processes their share. */
  async refresh(): Promise<void> {
    const startMs = performance.now();
    this.#beat += 1;
    const leases = await this.#database.write((transaction) => this.#renew(transaction));
    this.#seen = new Map(leases.map((lease) => [lease.name, this.#noteBeat(lease)]));
    this.#shards.clear();
    const own = leases.filter(({ name, owner }) => owner === this.owner && isShard(name));
    for (const { name } of own.slice(0, this.#fairPart)) this.#shards.add(name);
    this.#renewedMs = startMs;
  }

  async release(): Promise<void> {
    this.#shards.clear();
    await this.#database.write(async (transaction) => {
      for (const lease of await listLeases(transaction))
        if (lease.owner === this.owner) await removeLease(transaction, lease.name, lease.owner, lease.beat);
    });
  }

  get #fairPart(): number {
    return Math.ceil(SHARDS / this.#processes);
  }

  async #renew(transaction: Executor): Promise<Lease[]> {
    await renewLeases(transaction, this.owner, { beat: this.#beat });
    for (const lease of await listLeases(transaction))
      if (this.#isDead(lease)) await removeLease(transaction, lease.name, lease.owner, lease.beat);
    await insertLease(transaction, `process-${this.owner}`, this.owner);
    const leases = await listLeases(transaction);
    this.#processes = leases.filter(({ name }) => !isShard(name)).length;
    await this.#balance(transaction, leases);
    return listLeases(transaction);
  }

  /** Gives up only shards that this process has not used since the last refresh. */
  async #balance(transaction: Executor, leases: readonly Lease[]): Promise<void> {
    const taken = new Set(leases.map(({ name }) => name));
    const own = leases.filter(({ name, owner }) => owner === this.owner && isShard(name));
    for (const { name, owner, beat } of own)
      if (own.length > this.#fairPart && !this.#shards.has(name)) await removeLease(transaction, name, owner, beat);
    const free = ALL_SHARDS.filter((name) => !taken.has(name));
    for (const name of free.slice(0, Math.max(0, this.#fairPart - own.length)))
      await insertLease(transaction, name, this.owner);
  }

  #noteBeat(lease: Lease): Seen {
    const before = this.#seen.get(lease.name);
    const isSame = before?.owner === lease.owner && before.beat === lease.beat;
    return { ...lease, sinceMs: isSame ? before.sinceMs : performance.now() };
  }

  #isDead({ name, owner, beat }: Lease): boolean {
    const seen = this.#seen.get(name);
    if (owner === this.owner || seen?.owner !== owner || seen.beat !== beat) return false;
    return performance.now() - seen.sinceMs > SILENCE_MAX_MS;
  }
}

const ALL_SHARDS = Array.from({ length: SHARDS }, (_, index) => `shard-${index}`);

function isShard(name: string): boolean {
  return name.startsWith('shard-');
}

function shardOf(accountId: string): string {
  return `shard-${Number.parseInt(hash('sha256', accountId).slice(0, 6), 16) % SHARDS}`;
}
