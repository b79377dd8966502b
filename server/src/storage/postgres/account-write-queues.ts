import { setImmediate as nextTurn } from 'node:timers/promises';
import type pg from 'pg';
import type { LongTransaction } from '../database.ts';
import { tooManyChanges, unavailable } from '../fair-semaphore.ts';
import { Backoff } from './backoff.ts';
import { isAway, NOTHING_WRITTEN, translateError } from './errors.ts';
import { Group, GroupFailure, type Job } from './group.ts';
import { Lane } from './lane.ts';
import { LaneSlots } from './lane-slots.ts';
import { lockAccount, lockDatabase } from './locks.ts';
import type { Pool } from './pool.ts';
import { requireStandby } from './standby.ts';

/** A group ends after so many jobs or so long, so that the first of them does not wait for the last. */
const GROUP_JOBS_MAX = 256;
const GROUP_DURATION_MAX_MS = 20;
/** Who has waited so long when others have waited in vain would not be told within five seconds. */
const WAITING_MAX_MS = 2_000;

export interface WriteOptions {
  /** Whose data is written; undefined for what belongs to no account, or to several. */
  accountId?: string | undefined;
  isLong?: boolean;
}

/**
 * Write jobs, each account's in a lane of its own, and those of no account in one more. What waits in a lane is committed
 * together (group commit). Each transaction first locks its account's row: what follows sees all that other processes have
 * committed before, and nobody changes the account meanwhile. A job that fails after it has written takes the
 * transaction with it, and the others of its group are run again.
 */
export class AccountWriteQueues {
  readonly #pool: Pool;
  readonly #lanes = new Map<string | undefined, Lane>();
  /** Lanes are written half as many at a time as there are connections: so reading finds some. */
  readonly #slots: LaneSlots;
  /** Whether a commit was not answered, and it is not known yet that commits wait for no standby. */
  #isDoubtful = false;
  #isClosed = false;

  constructor(pool: Pool) {
    this.#pool = pool;
    this.#slots = new LaneSlots(Math.max(1, Math.floor(pool.settings.poolSize / 2)));
  }

  /** @throws {AppError} `unavailable` if too many jobs of the account wait */
  requireRoom(accountId: string): void {
    if (this.#lanes.get(accountId)?.isTooLong) throw tooManyChanges();
  }

  /** @throws {AppError} `unavailable` once it is closed; what the job throws; what `Database.write` says */
  async submit<T>(run: (transaction: LongTransaction) => Promise<T>, options: WriteOptions = {}): Promise<T> {
    const { accountId, isLong = false } = options;
    if (this.#isClosed) throw unavailable('The service is stopping; send the request again.');
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const lane = this.#lanes.get(accountId) ?? new Lane(accountId);
    this.#lanes.set(accountId, lane);
    const startTimeMs = performance.now();
    lane.waiting.push({ run, isLong, resolve: (value) => resolve(value as T), reject, startTimeMs });
    lane.drained ??= this.#drain(lane);
    return promise;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(Array.from(this.#lanes.values(), ({ drained }) => drained));
  }

  /** After each transaction the lane goes to the end of the queue: others have their turn. */
  async #drain(lane: Lane): Promise<void> {
    // One turn of the event loop lets the requests that have arrived together join the group.
    await nextTurn();
    while (lane.waiting.length > 0) {
      const leave = await this.#slots.enter(lane);
      await this.#write(lane);
      leave();
    }
    this.#lanes.delete(lane.accountId);
  }

  async #write(lane: Lane): Promise<void> {
    const jobs: Job[] = [];
    lane.isEntered = true;
    lane.backoff ??= new Backoff();
    // All may have been told meanwhile that they are not written.
    if (lane.waiting.length > 0) {
      await this.#pool
        .use((client) => this.#runGroup(client, lane, jobs), lane.accountId)
        .catch((error: unknown) => this.#settleFailure(error, lane, jobs));
    }
    lane.isEntered = false;
  }

  /** One transaction. Moves its jobs from the lane to `jobs`. @throws {GroupFailure} */
  async #runGroup(client: pg.ClientBase, lane: Lane, jobs: Job[]): Promise<void> {
    const { accountId, waiting } = lane;
    if (this.#isDoubtful) {
      await requireStandby(client, this.#pool.settings.statementTimeoutMs);
      this.#isDoubtful = false;
    }
    const group = new Group(client, this.#pool);
    if (accountId === undefined) group.begin(lockDatabase, {});
    else group.begin(lockAccount, { accountId });
    const endTimeMs = performance.now() + GROUP_DURATION_MAX_MS;
    try {
      do {
        const [job] = waiting;
        if (job === undefined || (job.isLong && jobs.length > 0)) break;
        waiting.shift();
        jobs.push(job);
        await group.run(job);
        if (job.isLong) break;
      } while (jobs.length < GROUP_JOBS_MAX && performance.now() < endTimeMs);
      const isKnown = await group.end();
      lane.backoff = undefined;
      if (isKnown) return;
      this.#isDoubtful = true;
      this.#refuseWaiting(lane, unavailable(NOTHING_WRITTEN), WAITING_MAX_MS);
    } catch (error) {
      await group.leave();
      throw error;
    }
  }

  /**
   * Tells the job whose fault it is; the others are run again. If it is nobody's, all are, for a while. What is of no use
   * to try again is none to wait for either: then all are told who wait behind it, so that nobody waits twice as long.
   */
  async #settleFailure(error: unknown, lane: Lane, jobs: Job[]): Promise<void> {
    const { cause, culprit, isRepeatable } = error instanceof GroupFailure ? error : new GroupFailure(error, undefined);
    if (culprit !== undefined) {
      culprit.reject(translateError(cause));
      lane.waiting.unshift(...jobs.filter((job) => job !== culprit));
      return;
    }
    if (isRepeatable && (await lane.backoff?.next())) {
      lane.waiting.unshift(...jobs);
      return;
    }
    lane.backoff = undefined;
    const told = translateError(cause);
    for (const job of [...jobs, ...lane.waiting.splice(0)]) job.reject(told);
    this.#refuseWaiting(lane, told, isAway(cause) ? 0 : WAITING_MAX_MS);
  }

  /** Refuses those who wait behind a lane, and have done so for so long. */
  #refuseWaiting(lane: Lane, error: unknown, waitedMs: number): void {
    const lastTimeMs = performance.now() - waitedMs;
    for (const other of this.#lanes.values()) {
      if (other.isEntered && other !== lane) continue;
      const waiting = other.waiting.splice(0);
      other.waiting.push(...waiting.filter(({ startTimeMs }) => startTimeMs > lastTimeMs));
      for (const { startTimeMs, reject } of waiting) if (startTimeMs <= lastTimeMs) reject(error);
    }
  }
}
