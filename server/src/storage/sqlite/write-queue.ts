import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../model/errors.ts';
import type { Session } from '../database.ts';
import { Connection } from './connection.ts';
import { isBusy, translateCommitError, translateError } from './errors.ts';

/** A group ends after so many jobs or so long, so that requests that only read are not kept waiting. */
const GROUP_JOBS_MAX = 256;
const GROUP_DURATION_MAX_MS = 10;
/** How long a write waits for another process's lock. */
const LOCK_WAIT_MAX_MS = 5_000;
const LOCK_RETRY_MS = 3;

interface Job {
  run(session: Session): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

type Answer = () => void;

/**
 * The one way to the writing connection. Whatever waits is committed together (group commit), each job in a
 * savepoint of its own; answers go out after the commit, which has then been synced to the disk.
 */
export class WriteQueue {
  readonly #database: DatabaseSync;
  readonly #connection: Connection;
  readonly #steps: Record<'begin' | 'savepoint' | 'release' | 'commit', StatementSync>;
  readonly #waiting: Job[] = [];
  #draining: Promise<void> | undefined;
  /** The session of the job that runs. */
  #running: JobSession | undefined;
  #closed = false;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#connection = new Connection(database);
    this.#steps = {
      begin: database.prepare('begin immediate'),
      savepoint: database.prepare('savepoint job'),
      release: database.prepare('release job'),
      commit: database.prepare('commit'),
    };
  }

  submit<T>(run: (session: Session) => Promise<T>): Promise<T> {
    if (this.#closed) throw new AppError('unavailable', 'The service is stopping; send the request again.');
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#waiting.push({ run, resolve: (value) => resolve(value as T), reject });
    this.#draining ??= this.#drain();
    return promise;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // One turn of the event loop lets the requests that have arrived together join the group.
      await nextTurn();
      const group: Job[] = [];
      try {
        await this.#begin();
        const answers = await withinOneTurn(this.#runJobs(group));
        this.#commit();
        for (const answer of answers) answer();
      } catch (error) {
        // The whole transaction is gone: nobody may be told that anything was written.
        this.#running?.end();
        this.#rollback();
        for (const job of group.length > 0 ? group : this.#waiting.splice(0)) job.reject(error);
      }
    }
    this.#draining = undefined;
  }

  async #begin(): Promise<void> {
    const endTimeMs = performance.now() + LOCK_WAIT_MAX_MS;
    for (;;) {
      try {
        this.#steps.begin.run();
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() > endTimeMs) throw translateError(error);
        await sleep(LOCK_RETRY_MS);
      }
    }
  }

  /** Moves jobs from the queue to `group`, runs them, and says what to answer once they are committed. */
  async #runJobs(group: Job[]): Promise<Answer[]> {
    const answers: Answer[] = [];
    const endTimeMs = performance.now() + GROUP_DURATION_MAX_MS;
    while (group.length < GROUP_JOBS_MAX && performance.now() < endTimeMs) {
      const job = this.#waiting.shift();
      if (job === undefined) break;
      group.push(job);
      answers.push(await this.#runJob(job));
    }
    return answers;
  }

  /** @throws if the transaction has ended, and every job of the group with it */
  async #runJob(job: Job): Promise<Answer> {
    const session = new JobSession(this.#connection);
    this.#running = session;
    this.#steps.savepoint.run();
    try {
      const value = await job.run(session);
      session.assertOpen();
      this.#steps.release.run();
      return () => job.resolve(value);
    } catch (error) {
      // A refused job that comes back late has no transaction any more: one that is open is another group's.
      if (session.ended) throw error;
      const translated = translateError(error);
      // On a full disk SQLite rolls the whole transaction back, and the savepoints are gone.
      if (!this.#database.isTransaction) throw translated;
      this.#database.exec('rollback to job; release job');
      return () => job.reject(translated);
    } finally {
      session.end();
    }
  }

  #commit(): void {
    try {
      this.#steps.commit.run();
    } catch (error) {
      throw translateCommitError(error);
    }
  }

  #rollback(): void {
    if (this.#database.isTransaction) this.#database.exec('rollback');
  }
}

/** Ends with its job, so that no late statement can slip into another job's transaction. */
class JobSession implements Session {
  readonly #connection: Connection;
  #ended = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  get ended(): boolean {
    return this.#ended;
  }

  end(): void {
    this.#ended = true;
  }

  assertOpen(): void {
    if (this.#ended) throw new Error('A statement came after its write job had ended');
  }

  execute: Session['execute'] = (statement, parameters) => {
    this.assertOpen();
    return this.#connection.execute(statement, parameters);
  };

  executeRun: Session['executeRun'] = (statement, parameters, bytesMax) => {
    this.assertOpen();
    return this.#connection.executeRun(statement, parameters, bytesMax);
  };
}

/**
 * Statements are answered within one turn of the event loop, so a group that is still running on the next one
 * awaits something else, with the lock held: that is a fault of ours, and no reason to let everybody wait.
 */
async function withinOneTurn<T>(running: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const guard = setImmediate(() => reject(new Error('A write job awaited something other than its session')));
  try {
    return await Promise.race([running, late]);
  } finally {
    clearImmediate(guard);
  }
}
