import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { onExit, startThread } from '../../lib/threads.ts';
import type { LogDatabase, LogJob, Statement } from '../database.ts';
import { unavailable } from '../errors.ts';
import { rowMapper } from '../statements.ts';
import { compiler } from './connection.ts';
import { translateError } from './errors.ts';
import type { LogQuery, LogResult } from './request-log-thread.ts';

const THREAD_FILE = new URL(`./request-log-thread${extname(import.meta.filename)}`, import.meta.url);

type Rows = Extract<LogResult, { rows: unknown }>;

/** The request log on SQLite: a separate file, accessed on a thread, so that no disk or lock delays a request. */
export class RequestLogFile implements LogDatabase {
  readonly #path: string;
  #thread: Worker | undefined;
  /** The queries in the thread, in the order in which it responds. */
  readonly #waiting: PromiseWithResolvers<Rows>[] = [];
  #lastWrite: Promise<unknown> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns no rows if there is no file. */
  async execute<P, R>(statement: Statement<P, R>, parameters: P): Promise<R[]> {
    return existsSync(this.#path) ? this.#execute(statement, parameters) : [];
  }

  /** Creates the file if there is none. Writes run one after another. */
  write<T>(job: LogJob<T>): Promise<T> {
    const written = this.#lastWrite.then(() => this.#write(job));
    this.#lastWrite = written.catch(() => {});
    return written;
  }

  async close(): Promise<void> {
    await this.#lastWrite;
    const thread = this.#thread;
    if (thread === undefined) return;
    const end = new Promise((resolve) => thread.once('exit', resolve));
    thread.postMessage('close');
    await end;
  }

  async #write<T>(job: LogJob<T>): Promise<T> {
    await this.#run('begin immediate');
    try {
      const value = await job({ execute: (statement, parameters) => this.#execute(statement, parameters) });
      await this.#run('commit');
      return value;
    } catch (error) {
      // Fails if SQLite has already rolled back.
      await this.#run('rollback').catch(() => {});
      throw error;
    }
  }

  async #execute<P, R>(statement: Statement<P, R>, parameters: P): Promise<R[]> {
    const { sql, bind } = compiler.compile(statement);
    const { columns, rows } = await this.#run(sql, bind(parameters));
    return rows.map(rowMapper(columns)) as R[];
  }

  #run(sql: string, values: readonly unknown[] = []): Promise<Rows> {
    const waiting = Promise.withResolvers<Rows>();
    this.#thread ??= this.#start();
    this.#thread.postMessage({ sql, values } satisfies LogQuery);
    this.#waiting.push(waiting);
    return waiting.promise;
  }

  #start(): Worker {
    const thread = startThread(THREAD_FILE, { workerData: this.#path });
    thread.on('message', (result: LogResult) => this.#settle(result));
    onExit(thread, (reason) => this.#end(reason));
    return thread;
  }

  #settle(result: LogResult): void {
    const waiting = this.#waiting.shift();
    if ('error' in result)
      waiting?.reject(translateError(Object.assign(new Error(result.error.message), result.error)));
    else waiting?.resolve(result);
  }

  /** Fails the waiting queries of a thread that has ended. The next query starts another thread. */
  #end(cause: unknown): void {
    this.#thread = undefined;
    for (const { reject } of this.#waiting.splice(0)) reject(unavailable('The request log was interrupted.', cause));
  }
}
