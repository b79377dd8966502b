import type pg from 'pg';
import type { LongSession, Statement } from '../database.ts';
import { compiler, send, toQuery } from './connection.ts';
import { isConnectionLost, isRepeatable, isVerdict, outcomeUnknown, translateError } from './errors.ts';
import { JobSession, type Pending } from './job-session.ts';

export interface Job {
  run(session: LongSession): Promise<unknown>;
  /** Whether it is alone in its transaction. */
  isLong: boolean;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Why a transaction was not committed: the fault of one of its jobs, or of none. Nothing of it was written. */
export class GroupFailure extends Error {
  readonly culprit: Job | undefined;
  /** Whether the same jobs may succeed the next time. */
  readonly isRepeatable: boolean;

  constructor(cause: unknown, culprit: Job | undefined) {
    super('A transaction has failed', { cause });
    const isNobodysFault = isConnectionLost(cause) || isRepeatable(cause);
    this.culprit = isNobodysFault ? undefined : culprit;
    this.isRepeatable = isNobodysFault;
  }
}

/** What to tell a job once the transaction has ended. */
interface Outcome {
  job: Job;
  tell(): void;
  hasWritten: boolean;
}

/** Jobs in one transaction. */
export class Group {
  readonly jobs: Job[] = [];
  readonly #client: pg.ClientBase;
  readonly #isNamed: boolean;
  /** Statements whose answers nobody has looked at; undefined stands for the group itself. */
  readonly #pending: Pending<Job | undefined>[] = [];
  readonly #outcomes: Outcome[] = [];

  constructor(client: pg.ClientBase, isNamed: boolean) {
    this.#client = client;
    this.#isNamed = isNamed;
  }

  /** Begins the transaction with a statement that locks what it is about; waits for neither. */
  begin<P>(lock: Statement<P, unknown>, parameters: P): void {
    const begun = send(this.#client, { text: 'begin' });
    const locked = send(this.#client, toQuery(compiler.compile(lock), parameters, this.#isNamed));
    for (const answer of [begun, locked]) {
      answer.catch(() => {});
      this.#pending.push({ owner: undefined, answer });
    }
  }

  /** @throws {GroupFailure} if the transaction has ended, and every job of the group with it */
  async run(job: Job): Promise<void> {
    this.jobs.push(job);
    const session = new JobSession(this.#client, this.#isNamed, job, this.#pending);
    try {
      const value = await job.run(session);
      session.assertOpen();
      this.#outcomes.push({ job, tell: () => job.resolve(value), hasWritten: session.hasWritten });
    } catch (error) {
      // A job that only refuses does not harm the others.
      if (session.hasWritten || session.hasFailed) throw await this.#explain(error, job);
      this.#outcomes.push({ job, tell: () => job.reject(translateError(error)), hasWritten: false });
    } finally {
      session.end();
    }
  }

  /** Commits, and tells every job what came of it. @throws {GroupFailure} */
  async end(): Promise<void> {
    const hasWritten = this.#outcomes.some((outcome) => outcome.hasWritten);
    const ended = send(this.#client, { text: hasWritten ? 'commit' : 'rollback' });
    const lost = await ended.then(
      ({ command }) => (command === 'ROLLBACK' && hasWritten ? this.#explain(undefined) : undefined),
      (error: unknown) => this.#explain(error),
    );
    if (lost instanceof GroupFailure && (!hasWritten || isVerdict(lost.cause))) throw lost;
    for (const outcome of this.#outcomes) {
      if (lost !== undefined && outcome.hasWritten) outcome.job.reject(outcomeUnknown(lost.cause));
      else outcome.tell();
    }
  }

  /** Leaves what is left of the transaction. */
  async leave(): Promise<void> {
    await send(this.#client, { text: 'rollback' }).catch(() => {});
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
