import type pg from 'pg';
import type { LongTransaction, Statement } from '../database.ts';
import { compiler, send, toQuery } from './connection.ts';
import {
  isConnectionLost,
  isOverdue,
  isRepeatable,
  isVerdict,
  outcomeUnknown,
  TransactionError,
  translateError,
} from './errors.ts';
import { JobTransaction, type Pending } from './job-transaction.ts';
import type { Pool } from './pool.ts';

export interface Job {
  run(transaction: LongTransaction): Promise<unknown>;
  /** Whether it is alone in its transaction. */
  isLong: boolean;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  /** Since when it waits. */
  readonly startTimeMs: number;
}

/** Why a transaction was not committed: the fault of one of its jobs, or of none. Nothing of it was written. */
export class GroupFailure extends TransactionError {
  readonly culprit: Job | undefined;
  /** Whether the same jobs may succeed the next time. */
  readonly isRepeatable: boolean;

  constructor(cause: unknown, culprit: Job | undefined) {
    super('A transaction has failed', { cause });
    this.isRepeatable = isConnectionLost(cause) || isRepeatable(cause);
    // What one has waited for in vain the others would meet as well, each after the same time again.
    this.culprit = this.isRepeatable || isOverdue(cause) ? undefined : culprit;
  }
}

/** What to tell a job once the transaction has ended. */
interface Outcome {
  job: Job;
  tell(): void;
  hasWritten: boolean;
  /** Not for one that is refused. */
  isDone: boolean;
}

/** Jobs in one transaction. */
export class Group {
  readonly jobs: Job[] = [];
  readonly #client: pg.ClientBase;
  readonly #pool: Pool;
  /** Statements whose answers nobody has looked at; undefined stands for the group itself. */
  readonly #pending: Pending<Job | undefined>[] = [];
  readonly #outcomes: Outcome[] = [];

  constructor(client: pg.ClientBase, pool: Pool) {
    this.#client = client;
    this.#pool = pool;
  }

  /** Begins the transaction with a statement that locks what it is about; waits for neither. */
  begin<P>(lock: Statement<P, unknown>, parameters: P): void {
    const { settings, beginLimits } = this.#pool;
    const begun = send(this.#client, { text: `begin${beginLimits}` });
    const locked = send(this.#client, toQuery(compiler.compile(lock), parameters, settings.preparesStatements));
    for (const answer of [begun, locked]) {
      answer.catch(() => {});
      this.#pending.push({ owner: undefined, answer });
    }
  }

  /** @throws {GroupFailure} if the transaction has ended, and every job of the group with it */
  async run(job: Job): Promise<void> {
    this.jobs.push(job);
    const transaction = new JobTransaction(this.#client, this.#pool.settings.preparesStatements, job, this.#pending);
    try {
      const value = await job.run(transaction);
      transaction.assertOpen();
      this.#outcomes.push({ job, tell: () => job.resolve(value), hasWritten: transaction.hasWritten, isDone: true });
    } catch (error) {
      // A job that only refuses does not harm the others.
      if (transaction.hasWritten || transaction.hasFailed) throw await this.#explain(error, job);
      this.#outcomes.push({ job, tell: () => job.reject(translateError(error)), hasWritten: false, isDone: false });
    } finally {
      transaction.end();
    }
  }

  /**
   * Commits, and tells every job what came of it. What was found to be done already, as by a retry, is told after a commit, too:
   * it may have been committed without the standby, before a restart, and only a commit waits until that has it.
   * @returns whether the outcome is known @throws {GroupFailure}
   */
  async end(): Promise<boolean> {
    const commits = this.#outcomes.some(({ isDone }) => isDone);
    const ended = send(this.#client, { text: commits ? 'commit' : 'rollback' });
    const failure = await ended.then(
      ({ command }) => (command === 'ROLLBACK' && commits ? this.#explain(undefined) : undefined),
      (error: unknown) => this.#explain(error),
    );
    if (failure !== undefined && (!commits || (await this.#isRolledBack(failure)))) throw failure;
    for (const { job, tell, hasWritten, isDone } of this.#outcomes) {
      if (failure === undefined || !isDone) tell();
      else job.reject(hasWritten ? outcomeUnknown(failure.cause) : translateError(failure.cause));
    }
    return failure === undefined;
  }

  /** Leaves what is left of the transaction. @returns whether the server has answered */
  async leave(): Promise<boolean> {
    return await send(this.#client, { text: 'rollback' }).then(
      () => true,
      () => false,
    );
  }

  /**
   * Whether nothing is stored for certain, though the commit was sent. The last words on a connection do not tell: the
   * server, or a pooler before it, may have said them after the commit.
   */
  async #isRolledBack(failure: GroupFailure): Promise<boolean> {
    return isVerdict(failure.cause) && (await this.leave());
  }

  /** The first statement that has failed is the reason; what comes after it in a transaction fails for no other. */
  async #explain(error: unknown, job?: Job): Promise<GroupFailure> {
    const settled = await Promise.allSettled(this.#pending.map(({ answer }) => answer));
    const index = settled.findIndex((result) => result.status === 'rejected' && isVerdict(result.reason));
    const result = settled[index];
    if (result?.status === 'rejected') return new GroupFailure(result.reason, this.#pending[index]?.owner);
    return new GroupFailure(error, job);
  }
}
