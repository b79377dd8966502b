import type pg from 'pg';
import { type Statement, statement } from '../database.ts';
import { outcomeUnknown } from '../errors.ts';
import type { Job } from '../job-queue.ts';
import { measureCommit } from '../write-metrics.ts';
import { compiler, send, toQuery } from './connection.ts';
import { isConnectionLost, isOverdue, isRepeatable, isVerdict, TransactionError, translateError } from './errors.ts';
import { JobTransaction, type Pending } from './job-transaction.ts';
import type { Pool } from './pool.ts';

/** A transaction that was rolled back, because of one of its jobs or for another reason. */
export class GroupFailure extends TransactionError {
  readonly culprit: Job | undefined;
  readonly isRepeatable: boolean;

  constructor(cause: unknown, culprit: Job | undefined) {
    super('A transaction has failed', { cause });
    this.isRepeatable = isConnectionLost(cause) || isRepeatable(cause);
    // After a timeout, the other jobs would probably time out as well.
    this.culprit = this.isRepeatable || isOverdue(cause) ? undefined : culprit;
  }
}

interface Outcome {
  job: Job;
  /** Settles the job once the transaction has ended. */
  tell(): void;
  hasWritten: boolean;
  /** False if the job has thrown. */
  isDone: boolean;
}

/** Locks an account: until the commit, no other transaction changes its listings or other data. */
const lockAccount = statement<{ accountId: string }, { sequence: number }>((query, parameter) =>
  query.selectFrom('account_heads').select('sequence').where('account_id', '=', parameter('accountId')).forUpdate(),
);

/** Locks data that does not belong to a single account, such as accounts themselves, users, and the setup link. */
const lockDatabase = statement<object, { id: number }>((query) =>
  query.selectFrom('database_info').select('id').forUpdate(),
);

export class Group {
  readonly #client: pg.ClientBase;
  readonly #pool: Pool;
  /** Statements whose results are not awaited yet. The group's own statements have no owner. */
  readonly #pending: Pending<Job | undefined>[] = [];
  readonly #outcomes: Outcome[] = [];

  /** Begins the transaction and acquires its lock, without awaiting the results. */
  constructor(client: pg.ClientBase, pool: Pool, accountId: string | undefined) {
    this.#client = client;
    this.#pool = pool;
    if (accountId === undefined) this.#begin(lockDatabase, {});
    else this.#begin(lockAccount, { accountId });
  }

  #begin<P>(lock: Statement<P, unknown>, parameters: P): void {
    const { settings, beginLimits } = this.#pool;
    const begun = send(this.#client, { text: `begin${beginLimits}` });
    const locked = send(this.#client, toQuery(compiler.compile(lock), parameters, settings.preparesStatements));
    for (const result of [begun, locked]) {
      result.catch(() => {});
      this.#pending.push({ owner: undefined, result });
    }
  }

  /** @throws {GroupFailure} if the whole transaction has failed, and every job of the group with it */
  async run(job: Job): Promise<void> {
    const transaction = new JobTransaction(this.#client, this.#pool.settings.preparesStatements, job, this.#pending);
    try {
      const value = await job.run(transaction);
      transaction.assertOpen();
      this.#outcomes.push({ job, tell: () => job.resolve(value), hasWritten: transaction.hasWritten, isDone: true });
    } catch (error) {
      // A job that throws before it writes does not affect the others.
      if (transaction.hasWritten || transaction.hasFailed) throw await this.#explain(error, job);
      this.#outcomes.push({ job, tell: () => job.reject(translateError(error)), hasWritten: false, isDone: false });
    } finally {
      transaction.end();
    }
  }

  /**
   * Commits and settles all jobs. Even a job that wrote nothing waits for a commit: it may be a retry whose
   * first attempt was committed before a restart but has not reached the standby, and only a commit waits for
   * the standby.
   * @returns whether the outcome is known @throws {GroupFailure}
   */
  async end(): Promise<boolean> {
    const commits = this.#outcomes.some(({ isDone }) => isDone);
    const startTimeMs = performance.now();
    const ended = send(this.#client, { text: commits ? 'commit' : 'rollback' });
    const failure = await ended.then(
      ({ command }) => (command === 'ROLLBACK' && commits ? this.#explain(undefined) : undefined),
      (error: unknown) => this.#explain(error),
    );
    if (commits && failure === undefined) measureCommit(startTimeMs);
    if (failure !== undefined && (!commits || (await this.#isRolledBack(failure)))) throw failure;
    for (const { job, tell, hasWritten, isDone } of this.#outcomes) {
      if (failure === undefined || !isDone) tell();
      else job.reject(hasWritten ? outcomeUnknown(failure.cause) : translateError(failure.cause));
    }
    return failure === undefined;
  }

  /** Rolls back the transaction if it is still open. @returns whether the server has responded */
  async rollBack(): Promise<boolean> {
    return await send(this.#client, { text: 'rollback' }).then(
      () => true,
      () => false,
    );
  }

  /**
   * Whether the failed commit certainly stored nothing. An error that ends the connection does not prove
   * that, since the server, or a pooler in front of it, may have sent the error after the commit.
   */
  async #isRolledBack(failure: GroupFailure): Promise<boolean> {
    return isVerdict(failure.cause) && (await this.rollBack());
  }

  /** The first failed statement is the cause, since it makes all later ones of the transaction fail. */
  async #explain(error: unknown, job?: Job): Promise<GroupFailure> {
    const settled = await Promise.allSettled(this.#pending.map(({ result }) => result));
    const index = settled.findIndex((each) => each.status === 'rejected' && isVerdict(each.reason));
    const failed = settled[index];
    if (failed?.status === 'rejected') return new GroupFailure(failed.reason, this.#pending[index]?.owner);
    return new GroupFailure(error, job);
  }
}
